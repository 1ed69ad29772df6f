"""Where words stand in a text: looking for words is many times faster than for the patterns that begin with them."""

from __future__ import annotations

from collections.abc import Iterator


def find_places(text: str, *words: str) -> Iterator[int]:
    """Yield where each of the words begins, one word after the other; two places of a word may share letters."""
    for word in words:
        place = text.find(word)
        while place >= 0:
            yield place
            place = text.find(word, place + 1)
