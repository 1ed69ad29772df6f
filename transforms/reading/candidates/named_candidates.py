"""Finds the rows in which a value near a name is a secret, with the judge itself on the surroundings of each name.

Rust finds all names in one pass over the raw JSON and cuts their surroundings out; a name and its value stand in one string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import orjson
import polars as pl

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.login_flags import find_login_flags
from transforms.redaction.context import PASSWORDS, STRUCTURES, holds_near_secret, lower_keeping_length
from transforms.redaction.context_rules import PASSWORD_WORDS
from transforms.redaction.formats.command_answers import find_command_answers
from transforms.redaction.named_values import MIXED_VALUE, NAME_LITERALS, SECRET_NAMES, find_name_at
from transforms.redaction.numbers.access_codes import CODE_LITERALS, CODE_VALUE, find_access_codes
from transforms.redaction.secret_rules import ASSIGNED_LITERALS, ASSIGNED_VALUE
from transforms.redaction.written.written_values import holds_written_secret

BEFORE_BYTES, AFTER_BYTES = 64, 420
"""Bytes of raw JSON around the beginning of a name: the text that the judge reads there, with room for escapes."""

SLICE_PLACES = 50_000
"""Names whose surroundings are in memory at once."""

_STRING = r'^(?:[^"\\]|\\.)*?'
_SIGN = r"(?:[\p{L}_](?: +|[-_.:/+=]?)[0-9]|[0-9](?: +|[-_.:/+=]?)\p{L}|[!#$%&*?@^~+=]|[a-z][A-Z]|[A-Z].?[A-Z]|\w\\+\")"
VALUE_HINT = (
    f"{_STRING}{MIXED_VALUE}"
    rf"|(?i)^(?:{'|'.join((*SECRET_NAMES['password'], *PASSWORD_WORDS))}|cred|pw|mdp|(?: |\\[nt])[-/])(?-i:{_STRING[1:]}{_SIGN})"
    rf"|(?i)^identified by|{CODE_VALUE}"
)
"""Finds something in the text after a name with a value in its string: any name's, a password's, a flag's or a code."""
_CODE_VALUE = compile_late(CODE_VALUE)
_ASCII_NAMES = [*(name for name in NAME_LITERALS if name.isascii()), *CODE_LITERALS, *ASSIGNED_LITERALS]
_WIDE_NAMES = [name for name in NAME_LITERALS if not name.isascii()]
_UNESCAPED_QUOTE = compile_late(r'(?<!\\)(?:\\\\)*"')
_STRING_REST = compile_late(r'[^"\\]*(?:\\.[^"\\]*)*')
_CUT_ESCAPE = compile_late(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_JSON_ESCAPE = compile_late(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_PROMPT_MARK = compile_late(r"[$#>%] ")
_FLAGS = (" -", "\n-", "\t-")
_ESCAPE_VALUES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class NamePlace(NamedTuple):
    """The beginning of a name in a row of JSON: the JSON around it, and whether a value or an assignment may be behind it."""

    row: int
    line: bytes
    at: int
    after: str
    has_value: bool
    is_assigned: bool


def search_names(texts: pl.Series) -> tuple[dict[int, int], dict[int, list[int]]]:
    """Return the rows of JSON in which a value near a name is a secret, with the bits of the search that finds it there, and the
    rows with assignments: the bytes at which the names of their values begin."""
    rows: dict[int, int] = {}
    assigned: dict[int, list[int]] = {}
    known: dict[tuple[str, str], int] = {}
    for place in _cut_surroundings(texts):
        if place.is_assigned:
            assigned.setdefault(place.row, []).append(place.at)
        if not place.has_value or place.after[:3].lower() == "api":
            continue
        before = decode_piece(place.line[max(0, place.at - BEFORE_BYTES) : place.at])
        surroundings = before, _STRING_REST.match(place.after)[0]  # type: ignore[index]  # it matches an empty rest, too
        if (bits := known.get(surroundings)) is None:
            bits = known[surroundings] = _judge_surroundings(*surroundings)
        if bits:
            rows[place.row] = rows.get(place.row, 0) | bits
    return rows, assigned


def _cut_surroundings(texts: pl.Series) -> Iterator[NamePlace]:
    """Yield the names that may have a value or an assignment, maybe beyond their string."""
    for some in _find_names(texts).iter_slices(SLICE_PLACES):
        places = list(zip(some["row"].to_list(), some["at"].to_list(), strict=True))
        lines = {row: texts[row].encode() for row in dict.fromkeys(row for row, _ in places)}  # polars would copy one per place
        after = [decode_piece(lines[row][at : at + AFTER_BYTES]) for row, at in places]
        behind = pl.Series("after", after, pl.String)
        has_value, is_assigned = (behind.str.contains(hint).to_list() for hint in (VALUE_HINT, ASSIGNED_VALUE))
        for (row, at), text, *signs in zip(places, after, has_value, is_assigned, strict=True):
            if True in signs:
                yield NamePlace(row, lines[row], at, text, *signs)


def _find_names(texts: pl.Series) -> pl.DataFrame:
    """Return the row and the byte of each beginning of a name.

    Aho-Corasick is three times as fast with at most 100 literals, so that names beyond ASCII are found apart, in the few rows
    with such letters; where there are none, no automaton is built for them.
    """
    rows = texts.to_frame("json").with_row_index("row")
    wide = rows.filter(pl.col("json").str.len_bytes() != pl.col("json").str.len_chars())
    offsets = [
        some.select("row", at=pl.col("json").str.find_many(names, ascii_case_insensitive=True, overlapping=True))
        for some, names in ((rows, _ASCII_NAMES), (wide, _WIDE_NAMES))
        if some.height or some is rows
    ]
    matches = pl.concat(offsets).filter(pl.col("at").list.len() > 0).explode("at")
    return matches.with_columns(pl.col("at").cast(pl.Int64))


def decode_piece(data: bytes) -> str:
    """Return a piece of UTF-8 that may be cut inside of a character."""
    return data.decode("utf-8", "ignore")


def _judge_surroundings(before: str, after: str) -> int:
    """Return the bits of the searches that find a secret near a name, from the JSON before it and the rest of its string."""
    text_before, text_after = read_surroundings(before, after)
    text = text_before + text_after
    is_code = (
        _CODE_VALUE.match(after) is not None
        and not text_before[-1:].isalpha()
        and next(find_access_codes(text, False), None) is not None
    )
    is_answer = (
        "\n" in text_after and _PROMPT_MARK.search(text_before) is not None and next(find_command_answers(text), None) is not None
    )
    place = len(text_before) + text_after[:1].isspace()
    is_flag = text_after[:2] in _FLAGS and next(find_login_flags(text), None) is not None
    lower = lower_keeping_length(text)
    name = find_name_at(text, lower, place)
    is_near = holds_near_secret(text, lower, place, name) or holds_written_secret(text, place, name)
    return (PASSWORDS if is_near else 0) | (STRUCTURES if is_code or is_answer or is_flag else 0)


def read_surroundings(before: str, after: str) -> tuple[str, str]:
    """Return the text before a place in raw JSON, from the beginning of its string on, and the text after it in this string."""
    quotes = [match.end() for match in _UNESCAPED_QUOTE.finditer(before)] if '"' in before else []
    rest = _STRING_REST.match(after)[0]  # type: ignore[index]  # it matches an empty rest, too
    return _read_escapes(before[quotes[-1] :] if quotes else before), _read_escapes(rest)


def _read_escapes(json: str) -> str:
    """Return the text of a piece of a JSON string, which may be cut inside of an escape."""
    if "\\" not in json:
        return json
    json = _CUT_ESCAPE.sub("", json) if "\\" in json[-6:] else json
    try:
        return str(orjson.loads(f'"{json}"'))
    except orjson.JSONDecodeError:  # half of a pair of surrogates, or it begins within an escape
        return _JSON_ESCAPE.sub(lambda match: _ESCAPE_VALUES.get(match[1], " " if len(match[1]) > 1 else match[1]), json)
