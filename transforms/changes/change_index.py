"""Finds, among many changes of values and many texts, those that can have to do with each other, without reading each pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from transforms.changes.changed_numbers import ChangedNumber, names_value, read_digits, read_numbers
from transforms.changes.numbers import WRITTEN_NUMBER, normalise_number

DatedChange = tuple[datetime, ChangedNumber]


class ChangeIndex:
    """The changes of a project in the order of time, by the values that went and came."""

    def __init__(self, changes: Sequence[DatedChange]) -> None:
        self._changes = changes
        self._removing: defaultdict[str, list[int]] = defaultdict(list)
        self._adding: defaultdict[str, list[int]] = defaultdict(list)
        words = dict[str, str]()
        for place, (_, change) in enumerate(changes):
            self._removing[normalise_number(change.removed)].append(place)
            self._adding[normalise_number(change.added)].append(place)
            if not WRITTEN_NUMBER.fullmatch(change.removed):
                words[change.removed] = change.removed.lower()
        self._words = list(words.items())
        self._has_digits = any(len(value) == 1 for value in self._removing)

    def list_about(self, text: str, since: datetime) -> list[DatedChange]:
        """Return the changes behind a moment that can tell which values of a text were replaced, in the order of time.

        Those that are left out tell nothing of it, alone or behind others (`find_later_numbers`): they took out no value of the
        text, nor one that came in place of such a value, and brought none of them back.
        """
        named = self._find_named(text)
        removed, waiting, places = set(named), list(named), {place for value in named for place in self._adding.get(value, ())}
        while waiting:
            for place in self._removing.get(waiting.pop(), ()):
                places.add(place)
                added = normalise_number(self._changes[place][1].added)
                if added not in removed:
                    removed.add(added)
                    waiting.append(added)
        return [self._changes[place] for place in sorted(places) if self._changes[place][0] > since]

    def _find_named(self, text: str) -> set[str]:
        """Return the values that some change took out and a text has, in one spelling."""
        lower = text.lower()
        words = {normalise_number(word) for word, small in self._words if small in lower and names_value(text, word)}
        numbers = read_numbers(text) | (read_digits(text) if self._has_digits else frozenset())
        return words | {number for number in numbers if number in self._removing}


class NumberIndex:
    """The places of texts by the numbers that they have."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._count = 0
        for place, text in enumerate(texts):
            self._count = place + 1
            for number in read_numbers(text) | read_digits(text):
                self._places[number].append(place)

    def list_places(self, value: str, first: int) -> Iterator[int]:
        """Yield the places from the `first` on of the texts that can have a value; all of them for a value that is a word."""
        if WRITTEN_NUMBER.fullmatch(value):
            return (place for place in self._places.get(normalise_number(value), ()) if place >= first)
        return iter(range(first, self._count))
