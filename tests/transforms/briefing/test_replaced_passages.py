"""A passage that tells what was replaced since gives way; what only names it, or came later, stays."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import polars as pl

from tests.each_case import each_case
from transforms.briefing.replaced_passages import _SharedWords, find_replaced_passages
from transforms.tables.schema import OBSERVATIONS, build_frame

CHOICE = 'User decided: "SQLite in WAL mode as the job store" Outcome: store.py has enqueue, claim and finish.'
PASSAGE = "SQLite in WAL mode. One machine, and a backup is one file copy."


def make_fact(key: str, day: int, text: str, **more: object) -> dict[str, object]:
    fact = {"observation_id": key, "session_id": "s", "project": "/w/post", "verdict": "allow", "kind": "decision"}
    return fact | {"text": text, "said_at": datetime(2026, 3, day, tzinfo=UTC), "origin": "owner"} | more


def find(text: str, day: int = 1, *others: dict[str, object], successor: dict[str, object] | None = None) -> bool:
    """Return whether a passage of that day is taken for stale; the choice of the 2nd was replaced on the 6th."""
    old = make_fact("old", 2, CHOICE, entry_ids=["e-2"], superseded_by="new")
    new = make_fact("new", 6, 'User decided: "Postgres 16 is the store, two hosts must claim jobs"') | (successor or {})
    passage = make_fact("passage", day, text, origin="agent", kind="status")
    facts = build_frame(OBSERVATIONS, [old, new, passage, *others])
    return find_replaced_passages(facts.filter(pl.col("observation_id") == "passage"), facts) == {"passage"}


@each_case(
    ("text", "day", "is_stale"),
    [
        (PASSAGE, 1, True),
        (PASSAGE, 4, True),
        (PASSAGE, 7, False),
        ("The store keeps its jobs in one table.", 1, False),
        ("Fixed in store.py: claim and finish are one statement.", 3, False),
        ("The race came from two readers. SQLite in WAL mode allows them.", 3, False),
    ],
)
def test_a_passage_that_begins_with_what_was_replaced_later_is_stale(text: str, day: int, is_stale: bool) -> None:
    """What came of the former choice may hold on, and so may a passage that only mentions it."""
    assert find(text, day) == is_stale


def test_what_a_fact_that_holds_says_as_well_stays() -> None:
    assert not find(PASSAGE, 1, make_fact("also", 5, "SQLite in WAL mode is for the cache"))
    assert find(PASSAGE, 1, make_fact("also", 5, "Did SQLite in WAL mode work?", kind="question"))


def test_what_was_only_said_again_still_holds() -> None:
    """The successor cites it, too."""
    assert not find(PASSAGE, successor={"also": ["s:e-2"], "text": "The job store is WAL"})


def test_most_shared_words_are_those_of_reading_every_text() -> None:
    """Texts without one of the rarest words cannot have enough of them."""
    chance = random.Random(3)
    texts = [frozenset(chance.sample("abcdefghijkl", chance.randrange(9))) for _ in range(60)]
    shared = _SharedWords(texts)
    for _ in range(300):
        words = frozenset(chance.sample("abcdefghijklmno", chance.randrange(1, 9)))
        asked = {place for place in range(60) if chance.random() < 0.4}
        most = max((len(words & texts[place]) for place in asked), default=0)
        for least in range(1, len(words) + 1):
            assert shared.count_most(words, least, asked.__contains__) == (most if most >= least else 0)
