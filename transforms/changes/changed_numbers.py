"""Tells of a text which of its numbers later work replaced, and by which: "5055 instead of 5010".

A line of MEMORY.md is asked about, so it needs proof (`undone_values`). A text that is shown only gets a remark beside it, which
is true of that number whatever else the text says. So a long number that is not round (a port, a version) is the same thing
wherever it stands in a project, and may stand twice; another one needs words in common with the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from transforms.changes.numbers import WRITTEN_NUMBER, normalise_number
from transforms.changes.setting_values import is_signed
from transforms.language.sentences import find_content_words, split_sentences
from transforms.language.tokenizer import find_telling_words, write_numbers

TELLING_DIGITS, TELLING_FIGURES, VERSION_DOTS = 4, 3, 2
"""Digits of a number that says something alone, how many of them before the last zeros, and dots of a version."""
MIN_AROUND = 2
"""Words that another number and its change have in common, one of them beside the number in the file."""
YEARS = range(1900, 2100)
"""Numbers that are mostly years: when a notice of rights goes from one to the next, what was said in that year stands."""
PART_DIGITS = 3
"""Digits of a part of "8081:8080" that is a number of its own."""
MOST_WORDS = 30
"""Words of one kind that a change is stored with."""
STANDALONE_WORDS = 3
"""Content words from which quoted words say themselves what they set; behind fewer the answer or the outcome says it."""
_APART, _NO_UNIT = "|", "-"


class ChangedNumber(NamedTuple):
    """A number that work replaced, as files give it: the words beside it there, those of the sentences that name it, its unit.

    Of a value that needs a name (`setting_values`) `name` has the words of it, of which a text must have one.
    """

    removed: str
    added: str
    unit: str
    beside: frozenset[str]
    named: frozenset[str]
    name: frozenset[str] = frozenset()


class LaterNumber(NamedTuple):
    """What holds instead of a number of a text, since when, and the last change of it."""

    removed: str
    since: datetime
    change: ChangedNumber

    @property
    def added(self) -> str:
        """The number that holds."""
        return self.change.added

    def describe(self, day: date) -> str:
        """Return the remark beside the text; `day` is that of `since` in the reader's zone."""
        return f"since {day}: {self.added} instead of {self.removed}"


def write_changed_number(change: ChangedNumber) -> str:
    """Return a changed number as one line; `read_changed_number` reads it."""
    words = (" ".join(sorted(part)[:MOST_WORDS]) for part in (change.beside, change.named, change.name))
    return _APART.join([f"{change.removed} {change.added} {change.unit or _NO_UNIT}", *words])


def read_changed_number(line: str) -> ChangedNumber:
    """Return the changed number that a line has."""
    head, *parts = line.split(_APART)
    removed, added, unit = head.split(" ")
    beside, named, name = (frozenset(part.split()) for part in (*parts, "")[:3])
    return ChangedNumber(removed, added, "" if unit == _NO_UNIT else unit, beside, named, name)


def find_later_numbers(text: str, changes: Iterable[tuple[datetime, ChangedNumber]]) -> list[LaterNumber]:
    """Return which numbers of a text were replaced behind it, by the last of `changes`, which are in the order of time.

    A number that a later change brought back stands, and so does one of a text that has the new number as well.
    """
    words = list_names(find_telling_words(text))
    later: dict[str, LaterNumber] = {}
    for since, change in changes:
        removed, added = normalise_number(change.removed), normalise_number(change.added)
        later.pop(added, None)
        if names_value(text, change.added):
            continue
        if names_value(text, change.removed) and _is_about(text, words, change):
            later[removed] = LaterNumber(change.removed, since, change)
        for first, last in list(later.items()):
            if normalise_number(last.added) == removed and not last.change.beside.isdisjoint(change.beside):
                later[first] = last._replace(since=since, change=change)
    return list(later.values())


def tells_later_number(text: str, later: LaterNumber) -> bool:
    """Whether a text, which was said since, gives the number that holds, about the same thing."""
    if not names_value(text, later.added):
        return False
    return _is_about(text, list_names(find_telling_words(text)), later.change._replace(removed=later.added))


def names_value(text: str, value: str) -> bool:
    """Whether a text has a value of a file: a number in any spelling, another value as a word."""
    if not WRITTEN_NUMBER.fullmatch(value):
        return bool(_find_word(text, value))
    number = normalise_number(value)
    return number in read_numbers(text) or (len(number) == 1 and number in read_digits(text))


@lru_cache(maxsize=4096)
def read_numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text in one spelling."""
    return frozenset(list_numbers(text))


@lru_cache(maxsize=4096)
def read_digits(text: str) -> frozenset[str]:
    """Return the single digits of a text, also those that it has in words."""
    return frozenset(number for number in list_numbers(write_numbers(text)) if len(number) == 1)


def find_value_place(text: str, value: str) -> tuple[int, ...]:
    """Return where a value of a file begins and ends in a text, as the text writes it; empty where it stands there in words."""
    if not WRITTEN_NUMBER.fullmatch(value):
        return _find_word(text, value)
    same = (match for match in WRITTEN_NUMBER.finditer(text) if normalise_number(match[0]) == normalise_number(value))
    return next((match.span() for match in same), ())


def _find_word(text: str, word: str) -> tuple[int, ...]:
    """Return where a word stands that is no part of a longer one, in large or small letters; empty when it stands nowhere."""
    lower, small = text.lower(), word.lower()
    if len(lower) != len(text):
        return ()  # a letter that is two in small ones moves all places
    place = lower.find(small)
    while place >= 0:
        end = place + len(small)
        beside = lower[max(place - 1, 0) : place] + lower[end : end + 1]
        if not any(char.isalnum() or char in "_-" for char in beside):
            return place, end
        place = lower.find(small, place + 1)
    return ()


def _is_about(text: str, words: frozenset[str], change: ChangedNumber) -> bool:
    if _is_telling(change.removed):
        return True
    if change.name or not WRITTEN_NUMBER.fullmatch(change.removed):
        return _names_setting(text, change)
    around = words & (change.beside | change.named)
    if len(around) > MIN_AROUND and _counts_alike(text, change):
        return True  # "30 weeks", where "door events for 90 weeks" was asked for: files give no unit
    has_unit = not change.unit or f"{change.removed}{change.unit}" in text.replace(" ", "")
    return has_unit and not words.isdisjoint(change.beside) and len(around) >= MIN_AROUND


def _names_setting(text: str, change: ChangedNumber) -> bool:
    """Whether a sentence has the value with a word of its name, and another word of its place or of those who changed it; a value
    with a sign of its own needs no word."""
    if is_signed(change.removed) and ":" not in change.removed:
        return True
    for sentence in split_sentences(text):
        words = _list_own_names(sentence) if names_value(sentence, change.removed) else frozenset[str]()
        is_named = not change.name or not words.isdisjoint(change.name)
        if is_named and len(words & (change.name | change.beside | change.named)) >= MIN_AROUND:
            return True
    return False


@lru_cache(maxsize=1024)
def _list_own_names(sentence: str) -> frozenset[str]:
    """Return the telling words of a sentence that are no numbers; many changes are held against one sentence."""
    return list_names(find_telling_words(sentence))


def _counts_alike(text: str, change: ChangedNumber) -> bool:
    """Whether the word behind the number, of what there are so many, is among those of the sentences that name the change."""
    number = normalise_number(change.removed)
    matches = [match for match in WRITTEN_NUMBER.finditer(text) if normalise_number(match[0]) == number]
    behind = " ".join(" ".join(text[match.end() :].split(maxsplit=1)[:1]) for match in matches)
    return not change.named.isdisjoint(find_telling_words(behind))


def _is_telling(number: str) -> bool:
    """Whether a number is hardly the same as another one by chance: long, not round and no year, or a version."""
    if number.isdigit() and int(number) in YEARS:
        return False
    digits = "".join(filter(str.isdigit, normalise_number(number)))
    is_long = len(digits) >= TELLING_DIGITS and len(digits.strip("0")) >= TELLING_FIGURES
    return is_long or number.count(".") >= VERSION_DOTS


def list_numbers(text: str) -> list[str]:
    """Return the numbers of a text in one spelling, and the parts of "8081:8080"."""
    numbers = [normalise_number(match[0]) for match in WRITTEN_NUMBER.finditer(text)]
    return numbers + [part for number in numbers if ":" in number for part in number.split(":") if len(part) >= PART_DIGITS]


def list_names(words: Iterable[str]) -> frozenset[str]:
    """Return the words without a digit."""
    return frozenset(word for word in words if not re.search(r"\d", word))


def is_terse_setting(text: str) -> bool:
    """Whether words do not say themselves what they set: "the second", "20"."""
    return len(find_content_words(text)) < STANDALONE_WORDS
