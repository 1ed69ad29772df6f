"""Words for one occasion are over with the day on which they were said."""

from __future__ import annotations

from datetime import date

from tests.each_case import each_case
from transforms.language.relative_dates import find_last_day, is_of_one_occasion

SAID = date(2026, 7, 1)


@each_case(
    ("text", "is_over"),
    [
        ('User asked: "for this one release skip the smoke test, the CI is down"', True),
        ("just this once commit straight to main", True),
        ('User said: "this time answer in English, my boss reads along"', True),
        ("skip the review this time", True),
        ("push it without the tests, but this once.", True),
        ("for this repo use tabs", False),
        ("for this one we use tabs", False),
        ("this one is the source of truth", False),
        ("store this timestamp in UTC", False),
        ("what does this time zone mean for the report", False),
        ("once this is merged, tag it", False),
    ],
)
def test_a_clause_says_that_it_is_about_one_occasion(text: str, is_over: bool) -> None:
    """A thing at hand is none: what holds in this repository lasts."""
    assert is_of_one_occasion(text) is is_over


@each_case(
    ("text", "kind", "day"),
    [
        ("until Friday all orders go to the old printer", "request", date(2026, 7, 3)),
        ("only for today's demo: use the sandbox key", "request", SAID),
        ("just this once commit straight to main", "request", SAID),
        ("just this once commit straight to main", None, SAID),
        ("this time it cost us a day: never deploy on Fridays", "rule", None),
        ("never push to main", "request", None),
    ],
)
def test_the_last_day_of_words(text: str, kind: str | None, day: date | None) -> None:
    """A stated end comes first, and a rule that tells of an occasion outlives it."""
    assert find_last_day(text, kind, SAID) == day
