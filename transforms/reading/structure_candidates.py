"""Finds the rows in which the structure of a text tells a secret: commands, tables, blocks and lists.

Rust selects rows and cuts words and the surroundings of commands out; the functions that redaction asks judge them.
"""

from __future__ import annotations

import re
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
    WORD_HINT,
    decode_account,
    find_seed_phrases,
    find_structures,
    is_random_groups,
)
from transforms.redaction.table_secrets import TABLE_HINTS, find_table_secrets

_LONG_WORD, MOST_WORD_BYTES = r"[!#$%&*+\-./:=@A-Z^_a-z~?0-9]{16,}", 300
"""A word whose structure may tell a secret is no shorter and no longer."""
_BASE64_WORD = r"^(?:[\w.-]{1,40}[=:])?[A-Za-z0-9+/]{15,400}={0,2}$"


def find_structured_rows(texts: pl.Series, users: list[int]) -> list[int]:
    """Return the rows of JSON in which structure tells a secret; `users` are the rows that a person typed."""
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
    rows.update(_find_word_rows(frame, name, users))
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


def _find_word_rows(frame: pl.DataFrame, name: pl.Expr, users: list[int]) -> list[int]:
    """Return the rows with a word whose structure is a secret's; where no person typed, it has digits and other characters."""
    words = frame.select("row", word=name.str.extract_all(_LONG_WORD)).explode("word").drop_nulls()
    words = words.filter(pl.col("word").str.len_bytes() <= MOST_WORD_BYTES)
    word = pl.col("word")
    hinted = words.select(word.unique()).filter(word.str.contains(WORD_HINT) | word.str.contains(_BASE64_WORD))["word"]
    secret = [text for text in hinted.to_list() if re.search(WORD_HINT, text) or _holds_account(text)]
    is_mixed = word.str.contains("[0-9]") & word.str.contains("[^0-9]")
    rows: list[int] = words.filter(word.is_in(secret)).filter(pl.col("row").is_in(users) | is_mixed)["row"].unique().to_list()
    return rows


def _holds_account(word: str) -> bool:
    """Whether a word is base64 of an account, maybe behind a name or the letter of an escape."""
    word = word.split("=", 1)[-1] if "=" in word.rstrip("=") else word
    return any(decode_account(part) is not None for part in (word, word[1:]))


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
