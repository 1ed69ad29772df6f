"""Clauses whose form says what holds."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.standing_clause import find_standing_clauses


@each_case(
    ("quote", "clause"),
    [
        ("no!! no photos in git, they have names on em. draw a fake one in the test", "no photos in git"),
        ("the lamp heater we never turn on, and I have one without it. what now?", "the lamp heater we never turn on"),
        ("yarn caches we dont use in ci. and the image is old", "yarn caches we don't use in ci"),
        ("stop please, you write in history. shipped migrations stay as they are", "shipped migrations stay as they are"),
    ],
)  # fmt: skip
def test_a_clause_that_states_what_holds_is_cut_from_its_occasion(quote: str, clause: str) -> None:
    assert find_standing_clauses(quote) == [clause]


@each_case(
    "quote",
    [
        "no photos in git?",
        "no it is in there already",
        "no python on her machine ever",
        "the log may stay as it is",
        "the old branch stays until friday evening",
        "what we never see is the second page",
        "no more mails at all",
        "we never talk about that page",
    ],
)
def test_a_clause_of_the_moment_states_nothing(quote: str) -> None:
    assert find_standing_clauses(quote) == []
