"""Reads what an answer says of lines that wait for their owner: the marks that it names, its verdict, and the rows behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from transforms.model_answers.answer_fields import list_texts
from transforms.tables.enums import LineVerdict

MARK = "w"
_AROUND = "\"'`“”‘’«»()[]{}<>*.,:;!-–—"
"""Signs around a mark or a number, as models write them."""


class Remark(NamedTuple):
    """What an answer says of waiting lines (their places, from 0): a verdict, and the numbers of the rows that show it."""

    places: tuple[int, ...]
    verdict: LineVerdict
    refs: tuple[int, ...]


def make_mark(place: int) -> str:
    """Return the mark of the waiting line at a place: `w1` is the first."""
    return f"{MARK}{place + 1}"


def read_places(text: str, most: int) -> tuple[int, ...]:
    """Return the places, below `most`, of the waiting lines that a text names by their marks: `w3`, `W3: …`, `"w3", "w5"`."""
    named = (word.strip(_AROUND).lower() for word in _split(text))
    numbers = (int(word[1:]) for word in named if word[:1] == MARK and word[1:].isascii() and word[1:].isdigit())
    return tuple(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= most))


def read_remark(text: str, most: int) -> Remark | None:
    """Return what a text such as `w3: outdated, #12` says; None when it names no waiting line. Only a `#` makes a number a row:
    a reason may have numbers of its own."""
    if not (places := read_places(text, most)):
        return None
    words = [word.strip(_AROUND).lower() for word in _split(text)]
    rows = (word.removeprefix("#") for word in words if word.startswith("#"))
    refs = tuple(dict.fromkeys(int(digits) for digits in rows if digits.isascii() and digits.isdigit()))
    return Remark(places, "wrong" if "wrong" in words else "outdated", refs)


def read_remarks(value: Any) -> list[str]:
    """Return the remarks of an answer as texts, also where each is an object, or all are one: its numbers in a list are rows."""
    if isinstance(value, dict):
        is_one = any(key in value for key in ("line", "refs", "verdict"))
        return [_join_object(value)] if is_one else [f"{key}: {' '.join(read_remarks([item]))}" for key, item in value.items()]
    items: Sequence[Any] = value if isinstance(value, list) else [value]
    return [text for item in items for text in ([_join_object(item)] if isinstance(item, dict) else list_texts(item))]


def _join_object(value: Mapping[str, Any]) -> str:
    parts = [part for item in value.values() for part in (item if isinstance(item, list) else [item])]
    return " ".join(f"#{part}" if isinstance(part, int) and not isinstance(part, bool) else str(part) for part in parts)


def _split(text: str) -> list[str]:
    return re.split(r"[\s,;/]+", text)
