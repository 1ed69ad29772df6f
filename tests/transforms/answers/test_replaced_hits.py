"""What the owner's newer words replace stands behind them; a summary of a compaction never leads."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.answers.replaced_hits import (
    ProjectChange,
    mark_ended,
    mark_warnings,
    put_changed_numbers_last,
    put_replaced_last,
    put_summaries_behind,
    put_waiting_last,
)
from transforms.answers.waiting_changes import WaitingChange
from transforms.changes.changed_numbers import ChangedNumber
from transforms.memory.former_values import says_replaced
from transforms.recall.newer_values import Folded
from transforms.recall.question import parse_question
from transforms.recall.rank import RankedCandidate

LIMIT_100, LIMIT_120 = (
    "upload limit: 100 files per hour per account",
    "raise the upload limit to 120 per hour, the shop hits the 100",
)
SPOKEN: dict[str, Any] = {
    "source": "turn", "position": 1, "speaker": "user", "kind": None, "superseded_by": None, "question_share": 0.0,
    "session_id": "s", "project": "/p",
}  # fmt: skip


def make_hits(*said: tuple[str, int, dict[str, Any]], scores: tuple[float, ...] = ()) -> tuple[list[Any], Folded]:
    """Return rows, each said on a day of May, and their hits in this order."""
    rows = [SPOKEN | {"text": text, "said_at": datetime(2026, 5, day, tzinfo=UTC)} | other for text, day, other in said]
    return rows, [
        (RankedCandidate(place, scores[place] if scores else 0.9 - place / 100, 1.0, 0.5, 0.5), []) for place in range(len(rows))
    ]


def order(rows: list[Any], hits: Folded, question: str = "What is the upload limit?") -> list[int]:
    """Return the places of the rows after what is replaced went behind."""
    result = put_replaced_last(rows, hits, parse_question(question, date(2026, 6, 1)))
    assert [candidate.score for candidate, _ in result] == [candidate.score for candidate, _ in hits]
    return [candidate.index for candidate, _ in result]


@each_case(
    ("older", "newer"),
    [
        (LIMIT_100, LIMIT_120),
        ("Take an LRU with a lifetime of 400 seconds for article pages.", "Lower the lifetime: 90 seconds instead of 400."),
        ('User decided: "14 months" Outcome: Logs older than 14 months are deleted.', "legal says 20 months, not 14. change it"),
        (
            'User asked: "we take Sidekiq for the export jobs"',
            'User decided: "We drop Sidekiq and use Oban instead." Outcome: The export jobs run on Oban.',
        ),
    ],
)
def test_newer_words_of_the_owner_replace_a_value(older: str, newer: str) -> None:
    """They name it as the former one; what was said later is not replaced by what was said before."""
    assert says_replaced(older, newer)
    rows, hits = make_hits((older, 1, {}), (newer, 9, {}))
    assert order(rows, hits) == [1, 0]
    assert rows[0]["until"] == datetime(2026, 5, 9, tzinfo=UTC)
    rows, hits = make_hits((older, 9, {}), (newer, 1, {}))
    assert order(rows, hits) == [0, 1]


@each_case(
    ("older", "newer"),
    [
        ("the postgres of the shop listens on port 5433", "the redis of the shop listens on port 6380, not 6379"),
        ("Timeout of the mail worker is 30 s", "Timeout of the import worker is 60 s"),
        ("staging keeps logs for 30 days", "prod keeps logs for 90 days, not 60"),
        ("gateway 7 stays on firmware 2.8", "gateway 3 needs firmware 2.9"),
    ],
)
def test_look_alikes_stay(older: str, newer: str) -> None:
    """A value of something else replaces nothing."""
    assert not says_replaced(older, newer)


@each_case(
    "change",
    [
        {"speaker": "assistant"}, {"project": "/other"}, {"superseded_by": "o-1"}, {"question_share": 1.0}, {"quoted": [0, 5]},
    ],
)  # fmt: skip
def test_only_the_owner_replaces_in_his_project(change: dict[str, Any]) -> None:
    """An agent's words, another project's, what is over itself, a question and a paste move nothing."""
    rows, hits = make_hits((LIMIT_100, 1, {}), (LIMIT_120, 9, change))
    assert order(rows, hits) == [0, 1]
    assert "until" not in rows[0]


def test_a_question_about_the_past_and_a_far_lead_stay() -> None:
    """Who asks how it was gets that first; what leads by far is about something else, and is marked only."""
    rows, hits = make_hits((LIMIT_100, 1, {}), (LIMIT_120, 9, {}))
    assert order(rows, hits, "What was the upload limit before?") == [0, 1]
    rows, hits = make_hits((LIMIT_100, 1, {}), (LIMIT_120, 9, {}), scores=(0.9, 0.4))
    assert order(rows, hits) == [0, 1]
    assert "until" in rows[0]


def test_a_line_of_the_owner_stays_in_its_place() -> None:
    """What the owner keeps in MEMORY.md is changed by him."""
    rows, hits = make_hits((LIMIT_100, 1, {"source": "memory", "position": None, "speaker": None}), (LIMIT_120, 9, {}))
    assert order(rows, hits) == [0, 1]


@given(st.lists(st.tuples(st.sampled_from([LIMIT_100, LIMIT_120, "the limit is fine"]), st.integers(1, 28)), max_size=6))
def test_no_hit_is_lost(said: list[tuple[str, int]]) -> None:
    """Only the order changes."""
    rows, hits = make_hits(*((text, day, {}) for text, day in said))
    assert sorted(order(rows, hits)) == list(range(len(said)))


def test_a_summary_never_leads_what_was_said() -> None:
    """It goes behind the first hit that was said; alone it stays."""
    summary = ("Pending: the user wants to move to Oban", 5, {"speaker": None})
    rows, hits = make_hits(summary, ("continue with the modules", 6, {}))
    assert [candidate.index for candidate, _ in put_summaries_behind(rows, hits)] == [1, 0]
    rows, hits = make_hits(summary)
    assert [candidate.index for candidate, _ in put_summaries_behind(rows, hits)] == [0]


@each_case(
    ("question", "scores", "places"),
    [
        ("What is the upload limit?", (), [2, 0, 1]),
        ("What is the upload limit?", (0.9, 0.8, 0.4), [0, 1, 2]),
        ("What was the upload limit before?", (), [0, 1, 2]),
    ],
)
def test_a_line_whose_replacement_waits_says_so_and_goes_behind_the_newer_fact(
    question: str, scores: tuple[float, ...], places: list[int]
) -> None:
    """Unless it leads by far, or the question is about the past: the owner has not decided yet."""
    line, fact = {"source": "memory", "id": "m-1"}, {"source": "observation", "id": "o-2", "kind": "decision"}
    rows, hits = make_hits(
        ("Upload limit: 100 files", 1, line), ("something else", 5, {"id": "t"}), ("Now 120", 9, fact), scores=scores
    )
    changes = {"Upload limit: 100 files": WaitingChange("p-1", is_removal=False, evidence_ids=("o-2",))}
    moved = put_waiting_last(rows, hits, changes, parse_question(question, date(2026, 6, 1)))
    assert [candidate.index for candidate, _ in moved] == places
    assert [row.get("waits") for row in rows] == ["replacement waits: p-1", None, None]


def test_what_says_until_when_it_holds_is_marked_when_that_is_over() -> None:
    """Facts and turns of the owner; not an agent's words, nor a long text that names a day."""
    fact, agent = {"source": "observation", "kind": "request"}, {"speaker": "assistant"}
    rows, hits = make_hits(
        ("just this once commit to main", 4, {"id": "a"}),
        ("until Friday the old printer", 4, fact | {"id": "b"}),
        ("until Friday the old printer", 4, agent | {"id": "c"}),
        ("this time it cost a day: never on Fridays", 4, fact | {"id": "d", "kind": "rule"}),
        ("until Friday " * 30, 4, {"id": "e"}),
        ("until 12 May the new printer", 4, {"id": "f"}),
    )
    mark_ended(rows, hits, UTC, date(2026, 5, 9))
    assert [row.get("changed") for row in rows] == ["ended 2026-05-04", "ended 2026-05-08", None, None, None, None]
    mark_warnings(rows, hits, {"b": "x is gone since commit 1"})
    assert rows[1]["changed"] == "⚠️ x is gone since commit 1; ended 2026-05-08"


def test_an_end_in_one_sentence_of_several_is_told_with_that_sentence() -> None:
    """What else the hit says may hold on."""
    rows, hits = make_hits(("nothing gets restarted before nine. today only, restart cups on hl-pc", 4, {}))
    mark_ended(rows, hits, UTC, date(2026, 5, 9))
    assert rows[0]["changed"] == "ended 2026-05-04: “today only, restart cups on hl-pc”"


def order_by_work(rows: list[Any], hits: Folded, question: str, replies: dict[int, int] | None = None) -> list[int]:
    """Return the places of the rows after the work of 5 May moved the port of /p from 5010 to 5055."""
    change = ChangedNumber("5010", "5055", "", frozenset({"mlflow"}), frozenset())
    changes: list[ProjectChange] = [("/p", datetime(2026, 5, 5, tzinfo=UTC), change)]
    parsed = parse_question(question, date(2026, 6, 1))
    return [hit.index for hit, _ in put_changed_numbers_last(rows, hits, changes, replies or {}, parsed, UTC)]


NOW, BEFORE = "Which port is mlflow on?", "Which port was mlflow on before?"
MARK_OF_PORT = "since 2026-05-05: 5055 instead of 5010"


def test_a_hit_with_a_number_that_work_replaced_goes_behind_the_new_one_and_says_so() -> None:
    """For a question about the past the order stays, and the remark tells."""
    said = (("mlflow listens on 5010", 1, {}), ("mlflow is on 5055 now", 9, {}))
    rows, hits = make_hits(*said)
    assert order_by_work(rows, hits, NOW) == [1, 0]
    assert rows[0]["changed"] == MARK_OF_PORT
    assert "changed" not in rows[1]
    rows, hits = make_hits(*said)
    assert order_by_work(rows, hits, BEFORE) == [0, 1]
    assert rows[0]["changed"] == MARK_OF_PORT


def test_a_question_of_the_owner_goes_behind_when_its_answer_is_over() -> None:
    """The answer is shown with it, so the remark stands there, too."""
    rows, hits = make_hits(("what's the port of mlflow again?", 1, {}), ("mlflow is on 5055 now", 9, {}))
    rows.append(SPOKEN | {"text": "Port 5010.", "said_at": datetime(2026, 5, 1, tzinfo=UTC)})
    assert order_by_work(rows, hits, NOW, {0: 2}) == [1, 0]
    assert rows[0]["changed"] == MARK_OF_PORT


def test_a_hit_has_no_mark_for_what_its_neighbour_says() -> None:
    """It still goes behind, since the neighbour is shown with it."""
    agents = {"speaker": "assistant"}
    rows, hits = make_hits(("Great Expectations is out and gone", 1, agents), ("mlflow is on 5055 now", 9, {}))
    rows.append(SPOKEN | {"text": "mlflow on port 5010.", "said_at": datetime(2026, 5, 1, tzinfo=UTC)})
    assert order_by_work(rows, hits, NOW, {0: 2}) == [1, 0]
    assert "changed" not in rows[0]


@each_case(
    ("older", "newer"),
    [
        ({"project": "/other"}, {}),  # another project has its own port
        ({"superseded_by": "o-1"}, {}),  # known to be over
        ({"source": "memory"}, {}),  # what the owner keeps has its place
        ({"source": "observation", "kind": "error"}, {}),  # a report of a fault tells what was so when it went wrong
    ],
)
def test_work_elsewhere_and_what_has_its_place_move_nothing(older: dict[str, Any], newer: dict[str, Any]) -> None:
    rows, hits = make_hits(("mlflow listens on 5010", 1, older), ("mlflow is on 5055 now", 9, newer))
    assert order_by_work(rows, hits, NOW) == [0, 1]
    assert "changed" not in rows[0]


def test_a_period_and_a_hit_that_is_led_by_far_stay_behind() -> None:
    period = ("mlflow is on 5055 now", 9, {"source": "distillate"})
    assert order_by_work(*make_hits(("mlflow listens on 5010", 1, {}), period), NOW) == [0, 1]
    far = make_hits(("mlflow listens on 5010", 1, {}), ("mlflow is on 5055 now", 9, {}), scores=(0.9, 0.1))
    assert order_by_work(*far, NOW) == [0, 1]


def test_the_words_behind_which_a_number_changed_lead_however_terse_they_are() -> None:
    """The work shows what they set; said later, the same words could mean anything, and a segment sums up more."""
    scores = (0.9, 0.1)
    by_work = make_hits(("mlflow listens on 5010", 1, {}), ("5055 then", 5, {}), scores=scores)
    assert order_by_work(*by_work, NOW) == [1, 0]
    without = make_hits(("mlflow listens on 5010", 1, {}), ("then go on", 5, {}), scores=scores)
    assert order_by_work(*without, NOW) == [0, 1]
    later = make_hits(("mlflow listens on 5010", 1, {}), ("5055 then", 6, {}), scores=scores)
    assert order_by_work(*later, NOW) == [0, 1]
    segment = make_hits(("mlflow listens on 5010", 1, {}), ("5055 then", 5, {"source": "segment"}), scores=scores)
    assert order_by_work(*segment, NOW) == [0, 1]
