"""A decision in whose thing the agent later found an error."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from transforms.pairing.found_wrong import FoundFact, find_found_wrong

START = datetime(2026, 2, 9, 9, tzinfo=UTC)
DECIDED = 'User decided: "read by id and use retry batching" (asked: Which way, since the batch queue is slow?)'
FOUND = "The tests pass; Retry batching is broken at the root: the clock starts too late."


def find(decided: str = DECIDED, found: str = FOUND, *, session: str = "s", minutes: int = 30) -> dict[str, str]:
    return find_found_wrong(
        [
            FoundFact("o-old", "s", START, decided, is_decision=True, is_finding=False),
            FoundFact("o-new", session, START + timedelta(minutes=minutes), found, is_decision=False, is_finding=True),
        ]
    )


def test_a_later_error_whose_subject_is_a_decided_thing_stands_with_the_decision() -> None:
    assert find() == {"o-old": "o-new"}


@pytest.mark.parametrize(
    ("decided", "found"),
    [
        (DECIDED, "The batch queue is full."),  # asked, not decided
        (DECIDED, "The night failed because nobody had asked for retry batching."),  # another subject
        (DECIDED, 'Cause found for "retry batching is slow": the disk is full.'),  # quoted from the report
        ('User decided: "write it to retry_batching.json"', FOUND),  # a name is one word
        ('User decided: "keep version 2 of the file"', "Version 2 of the parser is wrong."),  # numbers stand everywhere
    ],
)
def test_an_error_about_something_else_does_not(decided: str, found: str) -> None:
    assert find(decided, found) == {}


def test_neither_an_earlier_error_nor_one_of_another_talk_does() -> None:
    assert find(minutes=-5) == {}
    assert find(session="other") == {}


def test_the_first_finding_counts() -> None:
    rows = [FoundFact("o-old", "s", START, DECIDED, is_decision=True, is_finding=False)]
    rows += [
        FoundFact(f"o-{minute}", "s", START + timedelta(minutes=minute), FOUND, is_decision=False, is_finding=True)
        for minute in (9, 5)
    ]
    assert find_found_wrong(rows) == {"o-old": "o-5"}
