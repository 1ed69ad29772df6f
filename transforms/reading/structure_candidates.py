"""Finds the rows in which the structure of a text tells a secret: commands, tables, blocks and lists.

Rust selects rows and cuts the surroundings of commands out; the functions that redaction asks judge them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import polars as pl

from transforms.reading.named_candidates import read_surroundings
from transforms.redaction.command_secrets import AROUND_CHARS, COMMAND_HINTS, find_command_secrets
from transforms.redaction.structures import (
    GROUP_HINT,
    SEED_HINT,
    STRUCTURE_HINTS,
    SURE_WORDS,
    find_seed_phrases,
    find_structures,
    is_random_groups,
)
from transforms.redaction.table_secrets import TABLE_HINTS, find_table_secrets


def find_structured_rows(texts: pl.Series, users: list[int]) -> list[int]:
    """Return the rows of JSON in which structure tells a secret."""
    name = pl.col(texts.name)
    frame = texts.to_frame().with_row_index("row")
    typed = set(users)
    hinted = {row for hint in STRUCTURE_HINTS for row in _find_rows(frame, name, hint)}
    hinted.update(_find_group_rows(frame.filter(pl.col("row").is_in(users)), name))
    tables = frame.filter(name.str.contains(TABLE_HINTS[0]))
    known: dict[str, bool] = {}
    rows = {
        row
        for row in _find_rows(tables, name, TABLE_HINTS[1])
        if any(_holds_table(text, known) for text in _read_strings(texts[row]))
    }
    rows.update(row for row in hinted if any(_holds_structure(text, row in typed) for text in _read_strings(texts[row])))
    rows.update(_find_command_rows(frame, name))
    rows.update(_find_seed_rows(frame, name))
    return sorted(rows)


def _find_rows(frame: pl.DataFrame, name: pl.Expr, hint: str) -> list[int]:
    rows: list[int] = frame.filter(name.str.contains(hint))["row"].to_list()
    return rows


def _find_group_rows(frame: pl.DataFrame, name: pl.Expr) -> Iterator[int]:
    """Yield the rows that a person typed with groups of random letters or of digits."""
    for row, pieces in frame.filter(name.str.contains(GROUP_HINT)).select("row", name.str.extract_all(GROUP_HINT)).iter_rows():
        if any(piece[:4].isdigit() or is_random_groups(piece.replace(" ", "")) for piece in pieces):
            yield row


def _find_command_rows(frame: pl.DataFrame, name: pl.Expr) -> Iterator[int]:
    """Yield the rows with a command that holds a secret; equal surroundings are judged once."""
    known: dict[tuple[str, str], bool] = {}
    for hint in COMMAND_HINTS:
        some = frame.filter(name.str.contains(hint))
        for row, json, pieces in some.select("row", name.alias("json"), pieces=name.str.extract_all(hint)).iter_rows():
            if any(_holds_command(before, after, known) for before, after in _cut_places(json, dict.fromkeys(pieces))):
                yield row


def _find_seed_rows(frame: pl.DataFrame, name: pl.Expr) -> Iterator[int]:
    """Yield the rows with a run of words that is a seed phrase."""
    for row, pieces in frame.filter(name.str.contains(SEED_HINT)).select("row", name.str.extract_all(SEED_HINT)).iter_rows():
        if any(next(find_seed_phrases(piece.replace("\\n", "\n").replace("\\t", "\t"), SURE_WORDS), None) for piece in pieces):
            yield row


def _cut_places(json: str, pieces: dict[str, None]) -> Iterator[tuple[str, str]]:
    for piece in pieces:
        place = json.find(piece)
        while place >= 0:
            yield json[max(0, place - AROUND_CHARS) : place], json[place : place + AROUND_CHARS]
            place = json.find(piece, place + AROUND_CHARS // 2)


def _holds_command(before: str, after: str, known: dict[tuple[str, str], bool]) -> bool:
    key = (before[-120:], after[:240])
    if (verdict := known.get(key)) is None:
        text = "".join(read_surroundings(before, after))
        verdict = known[key] = next(find_command_secrets(text), None) is not None
    return verdict


def _holds_table(text: str, known: dict[str, bool]) -> bool:
    if (verdict := known.get(text)) is None:
        verdict = known[text] = next(find_table_secrets(text), None) is not None
    return verdict


def _holds_structure(text: str, is_user: bool) -> bool:
    return next(find_structures(text, is_user), None) is not None


def _read_strings(json: str) -> list[str]:
    try:
        return list(_list_strings(orjson.loads(json)))
    except orjson.JSONDecodeError:
        return [json]


def _list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= 12:
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _list_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _list_strings(item)
