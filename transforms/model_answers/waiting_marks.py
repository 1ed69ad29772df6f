"""Reads what an answer says of lines that wait for their owner: the marks that it names, its verdict, and the rows behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from transforms.language.sentences import split_words
from transforms.model_answers.answer_fields import list_texts
from transforms.tables.enums import LineVerdict
from transforms.words.word_classes import PRESENT_COPULAS

MARK = "w"
_AROUND = "\"'`“”‘’«»()[]{}<>*.,:;!-–—&+→"
"""Signs around a mark or a number, as models write them."""
_AND = "and"
_VERDICTS: dict[str, LineVerdict] = {"wrong": "wrong", "outdated": "outdated"}
_MOST_DIGITS = 9


class Remark(NamedTuple):
    """What an answer says of waiting lines (their places, from 0): a verdict, and the numbers of the rows that show it."""

    places: tuple[int, ...]
    verdict: LineVerdict
    refs: tuple[int, ...]


def make_mark(place: int) -> str:
    """Return the mark of the waiting line at a place: `w1` is the first."""
    return f"{MARK}{place + 1}"


def read_places(text: str, lines: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the waiting `lines` that a text names by their marks and says nothing else of: `w3`, `"w3", "w5"`, or
    each with its own words, whole or begun (`w3: The report has …`).

    With any other word it names none: "Worker w1 pulls the large jobs" is a sentence about a worker.
    """
    parts = [part for part in _split(text) if not _is_row(part)]
    places: list[int] = []
    while parts:
        if not _is_mark(parts[0]):
            return ()
        named = _list_places(parts[:1], len(lines))  # none for a mark that was not given
        places += named
        parts = parts[1 + sum(_count_copied(parts[1:], lines[place]) for place in named) :]
        parts = parts[1:] if parts[:1] == [_AND] else parts
    return tuple(dict.fromkeys(places))


def read_remark(text: str, lines: Sequence[str]) -> Remark | None:
    """Return what a text such as `w3: outdated, #12` says of waiting `lines`; None in doubt.

    The marks stand at its head, and right behind them, or behind a copy of the line, its verdict. `w3` and `w3, #12` are
    outdated, as they stand among what is over; with other words and no such verdict (`w3 still holds, see #12`, `w3: no longer
    wrong`) they are nothing. Marks further on belong to the reason, as do the rows behind them, and numbers without a `#`.
    """
    parts = _split(text)
    count = _count_head(parts)
    if not (places := _list_places(parts[:count], len(lines))):
        return None
    end = next((at for at in range(count, len(parts)) if _is_mark(parts[at])), len(parts))
    said = parts[count:end]
    at = next((at for at, part in enumerate(said) if _strip(part) in _VERDICTS), None)
    before = [part for part in (parts[count:] if at is None else said[:at]) if not _is_row(part)]
    if at is not None and before and before[-1].lower() in PRESENT_COPULAS:
        before.pop()
    is_copy = at is not None and before != [] and _list_words(before) in _list_forms(lines[places[-1]])
    if before and not is_copy:
        return None
    rows = (_strip(part)[1:] for part in said[at if is_copy else 0 :] if _is_row(part))  # the line may have a number of its own
    verdict: LineVerdict = "outdated" if at is None else _VERDICTS[_strip(said[at])]
    return Remark(places, verdict, tuple(dict.fromkeys(map(int, rows))))


def find_remarks(texts: Iterable[str], lines: Sequence[str], others: Sequence[str]) -> dict[int, Remark]:
    """Return the first remark about each of the waiting `lines`, by its place; a text that quotes one of these or of `others`,
    the lines of the page, is no remark, though it may begin like one."""
    quotable = [f" {' '.join(split_words(line.casefold()))} " for line in (*lines, *others)]
    remarks: dict[int, Remark] = {}
    for text in texts:
        words = split_words(text.casefold())
        is_quotation = len(words) > 1 and any(f" {' '.join(words)} " in line for line in quotable)
        if not is_quotation and (remark := read_remark(text, lines)):
            remarks |= dict.fromkeys((place for place in remark.places if place not in remarks), remark)
    return remarks


def move_marks(value: Any) -> Any:
    """Return an object of an answer with the marks that stand among its references in `replaces`: `"refs": ["w3", 12]`, also as
    one text, `"w3, #12"`.

    Among other words, or where `replaces` has words, a mark takes no place; the number of none is a row's.
    """
    refs = value.get("refs") if isinstance(value, dict) else None
    kept: list[Any] = []
    marks: list[str] = []
    for item in refs if isinstance(refs, list) else [refs]:
        parts = item.replace(",", " ").split() if isinstance(item, str) else []  # with the dash of `12 - 14`
        rest = [part for part in parts if not any(map(_is_mark, re.split(r"[^\w#]+", part)))]
        if len(rest) == len(parts):
            kept.append(item)
            continue
        kept += [" ".join(rest)] if rest else []
        is_list = not any(char.isalpha() for part in rest if part != _AND for char in part)
        marks += [part for part in parts if is_list and _is_mark(part)]
        refs = kept
    if refs is not kept:
        return value
    replaced = [text for text in list_texts(value.get("replaces")) if text]
    is_free = all(_is_mark(part) for text in replaced for part in _split(text))
    return value | {"refs": kept} | ({"replaces": [*replaced, *marks]} if marks and is_free else {})


def cut_marked_refs(text: str) -> tuple[str, list[str]]:
    """Return a line without the marks and rows in brackets at its end, and these: `the line (w3 #12)`; a mark alone, as in
    `the large worker (w1)`, is a part of the line."""
    body = text.rstrip(" .")
    start = max(body.rfind("("), body.rfind("["))
    parts = [part for part in _split(body[start:]) if part != _AND] if start >= 0 and body[-1] in ")]" else []
    is_refs = any(map(_is_mark, parts)) and any(map(_is_row, parts)) and all(_is_mark(part) or _is_row(part) for part in parts)
    return (body[:start].rstrip(), [_strip(part) for part in parts]) if is_refs else (text, [])


def split_marked(text: str) -> tuple[str, str]:
    """Return the marks and the line of `replace w3 with: the line`, without quotation marks; no marks and the text if it has not
    this form."""
    head, _, line = text.partition(":")
    first, *marks, last = _split(head) if len(head.split()) > 2 else ["", ""]
    is_form = first.lower() == "replace" and last.lower() in ("with", "by") and _count_head(marks) == len(marks) > 0
    return (", ".join(marks), line.strip()) if is_form and line.strip() else ("", text)


def repeats_line(text: str, lines: Iterable[str]) -> bool:
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
    """Return the fields in one text, the verdict behind the first mark, or at the head: small models have their own order."""
    fields = [" ".join(map(_write_part, item if isinstance(item, list) else [item])) for item in value.values()]
    verdicts = [field for field in fields if _strip(field) in _VERDICTS]
    others = [field for field in fields if _strip(field) not in _VERDICTS]
    at = next((at for at, field in enumerate(others, 1) if any(map(_is_mark, _split(field)[:1]))), 0)
    return " ".join([*others[:at], *verdicts, *others[at:]])


def _write_part(part: Any) -> str:
    return f"#{part}" if isinstance(part, int) and not isinstance(part, bool) else str(part)


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"[\s,;/]+", text) if part.strip(_AROUND)]


def _strip(part: str) -> str:
    return part.strip(_AROUND).lower()


def _is_mark(part: str) -> bool:
    return _strip(part)[:1] == MARK and _is_number(_strip(part)[1:])


def _is_row(part: str) -> bool:
    return _strip(part)[:1] == "#" and _is_number(_strip(part)[1:])


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS


def _list_places(marks: Iterable[str], most: int) -> tuple[int, ...]:
    numbers = (int(_strip(mark)[1:]) for mark in marks if _is_mark(mark))
    return tuple(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= most))


def _count_head(parts: Sequence[str]) -> int:
    """Return how many parts at the head are marks; behind a colon the rest is about them."""
    for at, part in enumerate(parts):
        if not _is_mark(part) and (part != _AND or at == 0):
            return at
        if ":" in part:
            return at + 1
    return len(parts)


def _list_words(parts: Iterable[str]) -> list[str]:
    return [word for part in parts for word in split_words(part.casefold())]


def _list_forms(line: str) -> list[list[str]]:
    """Return the words of a line with the head that names its project, and without; rows in it are left out."""
    forms = [form for form in (line, line.partition("** — ")[2]) if form]
    return [_list_words(part for part in _split(form) if not _is_row(part)) for form in forms]


def _count_copied(parts: Sequence[str], line: str) -> int:
    """Return how many parts copy the line from its beginning."""
    count = 0
    forms = _list_forms(line)
    for end in range(1, len(parts) + 1):
        words = _list_words(parts[:end])
        if not any(form[: len(words)] == words for form in forms):
            break
        count = end
    return count
