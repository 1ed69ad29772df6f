"""A question whether something was committed, opened or released begins with the latest event of that piece of work."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, cast

from tests.each_case import each_case
from transforms.answers.leading.event_hits import (
    add_first,
    asks_for_event,
    find_leading_event,
    list_events,
    list_open_work,
    put_leads_first,
)
from transforms.language.tokenizer import tokenize
from transforms.recall.question import Question, parse_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

PLAN = "We move the linting to ultracite, the whole migration in one go."
SET_OUT = 'Set out to commit "chore: migrate linting to ultracite"; no result is recorded.'
DONE = 'Committed and pushed "chore: migrate linting to ultracite" (a82e07c).'
OPENED = 'Opened pull request "chore: polish output": https://github.com/o/r/pull/24'


def ask(text: str) -> Question:
    return parse_question(text, date(2026, 6, 1))


def make_row(text: str, day: int = 1, **changed: Any) -> RankingRecord:
    said_at = datetime(2026, 5, day, tzinfo=UTC)
    row = {"id": text, "text": text, "terms": tokenize(text), "said_at": said_at, "superseded_by": None}
    return cast(RankingRecord, row | {"source": "observation", "kind": "completion"} | changed)


def find_first(text: str, *rows: RankingRecord, lead: float = 0.1) -> str:
    """Return the text of the event that comes first; empty where none does. The first row leads the others."""
    ranked = [RankedCandidate(place, 0.9 - lead * (place > 0), 1.0, 0.5, 0.5) for place in range(len(rows))]
    question = ask(text)
    events = list_events(rows, ranked, question)
    event = find_leading_event(rows, [(ranked[0], [])], events, question, dict.fromkeys(question.words, 1.0))
    return rows[event.index].get("text", "") if event else ""


TURN = make_row(PLAN, source="turn", kind=None)


@each_case(
    ("text", "is_asked"),
    [
        ("is the ultracite migration merged?", True),
        ("was PR #24 merged?", True),
        ("did we release v0.8.0?", True),
        ("why was the migration merged?", False),
        ("which migration was merged?", False),
        ("is it merged?", False),
        ("is the migration slow?", False),
    ],
)
def test_a_question_for_an_event_is_answered_by_yes_or_no_and_names_what_it_is_about(text: str, *, is_asked: bool) -> None:
    assert asks_for_event(ask(text)) is is_asked


def test_the_later_event_of_the_same_work_counts() -> None:
    asked = "is the ultracite migration merged?"
    assert find_first(asked, TURN, make_row(SET_OUT, 2, kind="status")) == SET_OUT
    assert find_first(asked, TURN, make_row(SET_OUT, 2, kind="status"), make_row(DONE, 3)) == DONE
    assert find_first(asked, TURN, make_row(SET_OUT, 4, kind="status"), make_row(DONE, 3)) == SET_OUT


def test_of_two_that_are_as_near_one_has_the_verb_of_the_question() -> None:
    other = make_row('Committed "test: ultracite migration of the fixtures" (b1).', 5)
    rows = (TURN, other, make_row(DONE, 3))
    assert find_first("was the ultracite migration committed?", *rows) == other.get("text")
    assert find_first("was the ultracite migration pushed?", *rows) == DONE


def test_an_event_of_other_work_or_one_that_is_led_by_far_stays_behind() -> None:
    asked = "is the ultracite migration merged?"
    assert not find_first(asked, TURN, make_row(OPENED, 2))
    assert not find_first(asked, TURN, make_row("The migration to ultracite is done.", 2))
    assert not find_first(asked, TURN, make_row(DONE, 3), lead=0.5)
    assert not find_first(asked, TURN, make_row(DONE, 3, superseded_by="o-1"))
    assert not find_first("which linter was merged?", TURN, make_row(DONE, 3))


def test_a_first_hit_that_tells_of_a_later_event_stays_first() -> None:
    asked = "is the ultracite migration merged?"
    assert not find_first(asked, make_row("I merged the ultracite migration", 9, source="turn"), make_row(DONE, 3))
    assert find_first(asked, make_row("I merged the ultracite migration", 2, source="turn"), make_row(DONE, 3)) == DONE


def test_a_number_names_a_pull_request() -> None:
    for text in ("is PR #24 open?", "is pr 24 still open?", "was pull request #24 merged?"):
        assert find_first(text, TURN, make_row(OPENED, 2)) == OPENED
    assert not find_first("is PR #2 open?", TURN, make_row(OPENED, 2))


ISSUE = 'Opened issue "fonts of the invoices": https://github.com/o/r/issues/7'


@each_case(
    ("text", "rows", "is_open"),
    [
        ("what is left to do?", (make_row(ISSUE, 2), make_row(SET_OUT, 3), make_row(OPENED, 4)), [1, 0]),
        ("which issues are open?", (make_row(ISSUE, 2), make_row(SET_OUT, 3)), [0]),
        ("are there open PRs?", (make_row(ISSUE, 2), make_row(OPENED, 4)), []),
        ("what is left to do?", (make_row(SET_OUT, 3), make_row('Committed "docs: notes" (a1).', 4)), []),
        ("what is left to do?", (make_row(SET_OUT, 3), make_row('Committed "docs: notes" (a1).', 2)), [0]),
        ("what is left to do?", (make_row(SET_OUT, 3), make_row('Committed "docs" (a1).', 4, project="/b")), [0]),
        ("what is left to do?", (make_row(ISSUE, 2, superseded_by="o-1"), TURN), []),
    ],
)
def test_issues_and_a_commit_with_no_later_one_are_open(text: str, rows: tuple[RankingRecord, ...], is_open: list[int]) -> None:
    ranked = [RankedCandidate(place, 0.5, 1.0, 0.5, 0.5) for place in range(len(rows))]
    assert [fact.index for fact in list_open_work(rows, ranked, ask(text))] == is_open


def test_an_event_stands_once() -> None:
    ranked = [RankedCandidate(place, 0.9 - place / 10, 1.0, 0.5, 0.5) for place in range(3)]
    hits = add_first([(ranked[0], [2]), (ranked[1], [])], [ranked[2]])
    assert [(hit.index, hit.score, beside) for hit, beside in hits] == [(2, 0.9, []), (0, 0.9, []), (1, 0.8, [])]


def test_the_event_is_the_first_hit_whatever_is_closer() -> None:
    fields = {"kind": None, "priority": None, "project": None, "session_id": "s", "entry_ids": (), "lines": (), "said_at": None}
    hits = [Hit(id=name, source="turn", text="", score=1 / ord(name), **cast(Any, fields)) for name in "abc"]
    first = put_leads_first(hits, ["b"])
    assert [hit.id for hit in first] == ["b", "a", "c"]
    assert [hit.score for hit in first] == [hit.score for hit in hits]
    assert put_leads_first(hits, []) == hits
