"""What the owner said next goes before what it follows in an answer."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.answers.next_words import LEADING_HITS, find_next_words, put_next_words_first
from transforms.recall.question import parse_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

QUESTION = "how long until the door alarm?"
TALK = (
    ("user", "how long till the door alarm"), ("assistant", "90 seconds, then a push message."),
    ("user", "45. folks wander off"), ("assistant", "The alarm comes after 45 seconds."),
)  # fmt: skip


def make_rows(*said: tuple[str, str], **changed: Any) -> list[RankingRecord]:
    """Return the turns of a conversation as candidates; `changed` are columns of the owner's last message."""
    rows: list[dict[str, Any]] = [
        {
            "id": f"s:e{number}", "key": f"t:s:{number}", "part": "entries/2026-02-01", "source": "turn", "session_id": "s",
            "position": number, "speaker": speaker, "follows": None, "cites": None, "text": text, "entry_ids": [f"e{number}"],
            "lines": [number], "quoted": None, "kind": None, "question_share": 0.0, "project": "/p",
        }
        for number, (speaker, text) in enumerate(said)
    ]  # fmt: skip
    last = max(number for number, (speaker, _) in enumerate(said) if speaker == "user")
    rows[last] |= changed
    return cast(list[RankingRecord], rows)


def find(rows: list[RankingRecord], *order: int, question: str = QUESTION) -> dict[int, int]:
    """Return what goes before what among the hits, which are these rows."""
    folded: list[tuple[RankedCandidate, list[int]]] = [
        (RankedCandidate(row, 0.9 - place / 100, 1.0, 0.5, 0.5), []) for place, row in enumerate(order)
    ]
    return find_next_words(rows, folded, parse_question(question, date(2026, 6, 1)))


def make_hits(count: int) -> list[Hit]:
    """Return hits by rank."""
    return [Hit(str(place), "turn", "", None, None, None, "s", (), (), None, 1 - place / 100) for place in range(count)]


def test_the_next_message_goes_before_the_exchange_that_has_the_words_of_the_question() -> None:
    """Before the question and before the agent's answer to it, whichever leads; the agent's turn may stand between."""
    assert find(make_rows(*TALK), 0, 2) == {0: 1}
    assert find(make_rows(*TALK), 1, 3, 2) == {0: 2}
    assert [hit.id for hit in put_next_words_first(make_hits(3), {0: 2})] == ["2", "0", "1"]


def test_a_fact_that_quotes_the_next_message_stands_for_it() -> None:
    fact = cast(
        RankingRecord,
        dict(make_rows(*TALK)[2]) | {"id": "o-1", "source": "observation", "position": None, "speaker": None, "text": '"45."'},
    )
    rows = [*make_rows(*TALK), fact]
    assert find(rows, 1, 4) == {0: 1}
    assert find([*rows[:4], cast(RankingRecord, dict(fact) | {"cites": ["e2"]})], 1, 4) == {}, "a model's fact stands alone"


@each_case(
    ("said", "changed", "question"),
    [
        ("45. folks wander off", {"question_share": 1.0}, QUESTION),
        ("45. folks wander off", {"speaker": "paste"}, QUESTION),
        ("45. folks wander off", {"quoted": [0, 20]}, QUESTION),
        ("45. folks wander off", {"project": "/other"}, QUESTION),
        ("good, leave it", {}, QUESTION),
        ("next is the label printer on port 9100: " + "it prints each label twice and " * 8, {}, QUESTION),
        ("45. folks wander off", {}, "how long was the door alarm before the change?"),
    ],
)
def test_nothing_moves_without_a_short_value_of_the_owner(said: str, changed: dict[str, Any], question: str) -> None:
    """Neither do another project, a long message, and a question about the past."""
    assert find(make_rows(TALK[0], TALK[1], ("user", said), **changed), 0, 2, question=question) == {}


def test_words_said_before_or_much_later_do_not_lead() -> None:
    later = (*TALK, ("user", "and the light?"), ("assistant", "On."), ("user", "30 for the light"))
    rows = make_rows(*later)
    assert find(rows, 2, 0) == {}
    assert find(rows, 0, 6) == {}


def test_only_the_first_hits_have_their_next_words_before_them() -> None:
    rows = make_rows(*[("user", f"take {number}") for number in range(12)])
    assert find(rows, 0, 3, 6, 9, 1, 4, 7, 10) == {0: 4, 1: 5, 2: 6}, "and the fourth has none"
    assert LEADING_HITS == 3


@given(st.integers(0, 12), st.dictionaries(st.integers(0, 11), st.integers(0, 14), max_size=5))
def test_no_hit_is_lost_or_doubled_and_each_place_keeps_its_score(count: int, pairs: dict[int, int]) -> None:
    hits = make_hits(count)
    moved = put_next_words_first(hits, {first: later for first, later in pairs.items() if first < later})
    assert sorted(hit.id for hit in moved) == sorted(hit.id for hit in hits)
    assert [hit.score for hit in moved] == [hit.score for hit in hits]
