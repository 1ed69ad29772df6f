"""A word of an end counts beside a full day alone."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.calendars.calendar_words import CALENDAR_WORDS
from transforms.calendars.end_words import BEFORE_DAY, BEHIND_DAY, ends_at


@each_case("language", [*CALENDAR_WORDS])
def test_every_language_of_the_calendars_has_a_word_of_an_end(language: str) -> None:
    assert language in BEFORE_DAY or language in BEHIND_DAY


@each_case(
    ("words", "is_end"),
    [
        ("til 2026-03-14", True),
        ("jusqu au 2026-03-14", True),
        ("what to do by 2026-03-14", False),
        ("2026-03-14 kadar", True),
        ("2026-03-14 まで運用", True),
        ("release 2026-03-14", False),
        ("do the release of 2026-03-14", False),
        ("2026-03-14 til", False),
    ],
)
def test_the_word_stands_right_beside_the_day(words: str, is_end: bool) -> None:
    """At most one word is between them."""
    tokens = words.split()
    place = next(place for place, token in enumerate(tokens) if token.startswith("2026"))
    assert ends_at(tokens, place) == is_end
