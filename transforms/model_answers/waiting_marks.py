"""Reads what an answer says of lines that wait for their owner: the marks that it names, its verdict, and the rows behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from transforms.language.sentences import split_words
from transforms.model_answers.answer_fields import list_texts
from transforms.tables.enums import LineVerdict

MARK = "w"
_AROUND = "\"'`“”‘’«»()[]{}<>*.,:;!-–—"
"""Signs around a mark or a number, as models write them."""
_VERDICTS = ("wrong", "outdated")


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
    """Return what a text such as `w3: outdated, #12` says; None when it names no waiting line, or says of one neither a verdict
    nor a row: `w3` alone is outdated, as it stands among what is over, `w3 still holds` is nothing.

    Only a `#` makes a number a row: a reason may have numbers of its own.
    """
    if not (places := read_places(text, most)):
        return None
    words = [word for part in _split(text) if (word := part.strip(_AROUND).lower())]
    rows = (word.removeprefix("#") for word in words if word.startswith("#"))
    refs = tuple(dict.fromkeys(int(digits) for digits in rows if digits.isascii() and digits.isdigit()))
    at = next((at for at, word in enumerate(words) if word in _VERDICTS), -1)
    is_denied = at > 0 and words[at - 1].endswith(("not", "n't", "n’t"))
    says_more = len(words) > len(places) + len(refs)
    if is_denied or (at < 0 and says_more and not refs):
        return None
    return Remark(places, "wrong" if at >= 0 and words[at] == "wrong" else "outdated", refs)


def move_marks(value: Any) -> Any:
    """Return an object of an answer with the marks that stand among its references in `replaces`: `"refs": ["w3", 12]`."""
    refs = value.get("refs") if isinstance(value, dict) else None
    if not isinstance(refs, list):
        return value
    marks = [ref for ref in refs if isinstance(ref, str) and ref.strip(_AROUND).lower().startswith(MARK)]
    replaced = [text for text in list_texts(value.get("replaces")) if text]
    return value | {"refs": [ref for ref in refs if ref not in marks], "replaces": [*replaced, *marks]} if marks else value


def says_again(text: str, lines: Iterable[str]) -> bool:
    """Whether a text has the words of one of the lines, with the head that names its project or without."""
    words = split_words(text.casefold())
    return any(words == split_words(said.casefold()) for line in lines for said in (line, line.partition("** — ")[2]))


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
