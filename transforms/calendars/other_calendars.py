"""Reads spans of days and days before today in the languages of `calendar_words`: "hace once días", "через три дня", "三日前".

Number and unit must be words of one language, so that no English text holds a span. German and English have more forms, which
`transforms.language.relative_dates` reads. A text is given as its words, as `transforms.language.sentences` splits it.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from transforms.calendars.calendar_words import CALENDAR_WORDS

UNITS = ("day", "week", "month", "year")
_HOMONYMS = frozenset({"hier"})
"""A word for yesterday that is another word elsewhere: "here" in German."""
_DAYS_OF_UNIT = {"day": 1, "week": 7}
_MONTHS_OF_UNIT = {"month": 1, "year": 12}
_MOST_DIGITS = 2
_MOST_WORDS = 4
"""Words of the longest name of a day or a period, and of what stands around a span."""

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CalendarSpan:
    """Some units of time that a text names; `sign` is -1 for a span that is past, 1 for one to come, 0 when nothing tells."""

    count: int
    unit: str
    sign: int

    def add_to(self, day: date) -> date:
        """Return the day that lies a span after the given one, or before it when the span is past.

        Raises:
            OverflowError, ValueError: beyond the calendar.
        """
        direction = self.sign or 1
        if self.unit in _DAYS_OF_UNIT:
            return day + timedelta(days=direction * self.count * _DAYS_OF_UNIT[self.unit])
        months = day.year * 12 + day.month - 1 + direction * self.count * _MONTHS_OF_UNIT[self.unit]
        year, month = divmod(months, 12)
        return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


@dataclass(frozen=True, slots=True)
class _Tables:
    """The words of all languages: numbers, units, days and periods are sequences of words; all but numbers are found by the first
    one."""

    numbers: dict[Words, dict[str, int]]
    units: dict[str, list[tuple[Words, str, str]]]
    around: dict[str, list[tuple[Words, Words, int]]]
    days: dict[str, dict[Words, int]]
    periods: dict[str, dict[Words, tuple[str, str]]]


def list_spans(words: list[str]) -> list[CalendarSpan]:
    """Return the spans of days, weeks, months and years that a text names in another language than English."""
    units = _make_tables().units
    return [span for place, word in enumerate(words) if word in units for span in _read_spans(words, place)]


def list_days_ago(words: list[str]) -> list[int]:
    """Return how many days ago a day was that a text names by a word: 1 for "ayer", 2 for "позавчера"."""
    days = _make_tables().days
    return [days[name[0]][name] for name in _find_names(words, days)]


def list_periods(words: list[str]) -> list[tuple[str, str]]:
    """Return the weeks, months and years that a text names from today: ("last", "week") for "la semana pasada"."""
    periods = _make_tables().periods
    return [periods[name[0]][name] for name in _find_names(words, periods)]


def _find_names(words: list[str], names: Mapping[str, Container[Words]]) -> Iterator[Words]:
    """Yield the names in a text; of two that begin at one place the longer one, and none inside of another."""
    free = 0
    for place, word in enumerate(words):
        if word not in names or place < free:
            continue
        for size in range(_MOST_WORDS, 0, -1):
            name = tuple(words[place : place + size])
            if name in names[word]:
                free = place + len(name)
                yield name
                break


def _read_spans(words: list[str], place: int) -> Iterator[CalendarSpan]:
    """Yield the span whose unit begins at a place: the first one of any language."""
    tables = _make_tables()
    for unit_words, unit, language in tables.units[words[place]]:
        end = place + len(unit_words)
        if tuple(words[place:end]) != unit_words:
            continue
        for size in (2, 1):
            number = tuple(words[max(place - size, 0) : place])
            count = _read_number(number, size, language)
            if not count:
                continue
            start = place - size
            sign = next(
                (sign for before, behind, sign in tables.around[language] if _stands_around(words, start, end, before, behind)), 0
            )
            if sign or len(unit_words) > 1 or len(unit_words[0]) > 1:  # "6月3日" is no span of three days
                yield CalendarSpan(count, unit, sign)
                return


def _read_number(number: Words, size: int, language: str) -> int:
    if len(number) != size:
        return 0
    if size == 1 and number[0].isdecimal():
        return int(number[0]) if len(number[0]) <= _MOST_DIGITS else 0
    return _make_tables().numbers.get(number, {}).get(language, 0)


def _stands_around(words: list[str], start: int, end: int, before: Words, behind: Words) -> bool:
    is_before = tuple(words[max(start - len(before), 0) : start]) == before
    return is_before and tuple(words[end : end + len(behind)]) == behind


@cache
def _make_tables() -> _Tables:
    """Return the words of all languages."""
    tables = _Tables({}, {}, {}, {}, {})
    for language, (numbers, units, past, ahead, near, this, last) in CALENDAR_WORDS.items():
        for count, words in enumerate(_split_places(numbers), 1):
            for word in words:
                tables.numbers.setdefault(word, {})[language] = count
        for unit, words in zip(UNITS, _split_places(units), strict=True):
            for word in sorted(words, key=len, reverse=True):
                tables.units.setdefault(word[0], []).append((word, unit, language))
        tables.around[language] = [*_split_around(past, -1), *_split_around(ahead, 1)]
        for days, words in enumerate(_split_places(near), 1):
            for word in words:
                if word[0] not in _HOMONYMS:
                    tables.days.setdefault(word[0], {})[word] = days
        for which, names in (("this", this), ("last", last)):
            for unit, words in zip(UNITS[1:], _split_places(names), strict=True):
                for word in words:
                    tables.periods.setdefault(word[0], {})[word] = (which, unit)
    return tables


def _split_places(text: str) -> list[list[Words]]:
    return [[tuple(word.split()) for word in place.split("/") if word] for place in text.split("|")]


def _split_around(text: str, sign: int) -> list[tuple[Words, Words, int]]:
    """Return what stands before and behind a span, the longest first."""
    sides = [form.partition("#") for form in text.split("/") if form]
    around = [(tuple(before.split()), tuple(behind.split()), sign) for before, _, behind in sides]
    return sorted(around, key=lambda form: -len(form[0]) - len(form[1]))
