"""Finds the rows of people and agents in which a value without a name may be a secret, with the judge itself.

Rust cuts the words with digits out of the raw JSON; the form of each, judged once, leaves few whose surroundings are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import polars as pl

from transforms.patterns.late_pattern import compile_late
from transforms.reading.candidates.named_candidates import read_surroundings
from transforms.redaction.bare.bare_judge import find_bare_secrets, may_be_secret

_CHARS = r"!#$%&*+\-./:=@A-Z_a-z~^?À-ſ"
DIGIT_WORD = rf"[{_CHARS}]+[0-9][{_CHARS}0-9]*|[0-9]+[{_CHARS}][{_CHARS}0-9]*"
"""Rust regex: a word with a digit and something else, as long as it is."""
LEAST_WORD, MOST_WORD = 5, 240
BEFORE_CHARS, AFTER_CHARS = 400, 260
"""Characters of raw JSON around a value: the words that the judge reads there, with room for escapes."""
MOST_PLACES = 4
"""Places of a word in one row that are judged."""
_ESCAPE_LETTERS = compile_late(r"[bfnrt]|u[0-9a-fA-F]{4}")
"""What stands behind the backslash of an escape of JSON (RFC 8259, 7) that is no mark."""
_ID_MEMBER = compile_late(
    r"(?:[iI]d|ID|uuid|Uuid|UUID|timestamp|type|role|data|version|[sS]ignature|encrypted_content|slug|cwd|gitBranch)"
    r'\\*": ?\\*"(?:[bfnrt]|u[0-9a-fA-F]{4})?\Z'
)
"""A member that holds an id or no text; redaction keeps its value."""

_ORDINARY = (
    r"^[nrt]?(?:[0-9a-fA-F-]+|[\d.,:+\-/%xTZ]+[a-zA-Z]{0,3}[.:]?"
    r"|[\w./-]*\.[a-z]{1,5}(?:[:\-]\d+[:\-]?)*"
    r"|(?:toolu|tooluse|msg|req|call|resp|run|fc|rs)_\w+|chatcmpl-\w+|[~$]*\d[\d.,$~-]*[.)]?"
    r"|#[0-9a-f]{3,8}|REDACTED/.*|[A-Za-z]+\d{1,2}[.,:]?)\z"
)
"""Rust regex of words that the judge takes for no value: hashes, numbers, times, files, ids; most words with a digit are one."""
_SEPARATORS = r"\s\"'`<>,;()\[\]{}|\\"
_WORD_END, _WORD_START = compile_late(rf"[^{_SEPARATORS}]{{0,400}}\Z"), compile_late(rf"[^{_SEPARATORS}]*")


def list_readings(word: str) -> Iterator[str]:
    """Yield a word of raw JSON, and what is left of it behind the letters of an escape with which it may begin."""
    yield word
    if (escape := _ESCAPE_LETTERS.match(word)) and escape.end() < len(word):
        yield word[escape.end() :]


def list_digit_words(texts: pl.Series) -> pl.Series:
    """Return for each row of JSON its words with digits."""
    return texts.str.extract_all(DIGIT_WORD)


def find_bare_rows(texts: pl.Series, words: pl.Series, is_user: bool) -> Iterator[int]:
    """Yield the places of the rows in which a value without a name is a secret; `words` are those of `list_digit_words`."""
    known: dict[tuple[str, str], bool] = {}
    every = words.alias("word").to_frame().with_row_index("row").explode("word")
    has_form = pl.col("word").str.len_chars().is_between(LEAST_WORD, MOST_WORD) & ~pl.col("word").str.contains(_ORDINARY)
    for row, row_words in every.filter(has_form).group_by("row", maintain_order=True).agg("word").iter_rows():
        candidates = [word for word in dict.fromkeys(row_words) if _may_hold_secret(word, is_user)]
        if not candidates:
            continue
        json = texts[row]
        for before, after in (place for word in candidates for place in _cut_places(json, word)):
            key = before[-160:], after[:160]
            if key not in known:
                known[key] = _is_secret(before, after, is_user)
            if known[key]:
                yield row
                break


@lru_cache(maxsize=1 << 16)
def _may_hold_secret(word: str, is_user: bool) -> bool:
    """Whether the form of a word, maybe behind the letter of an escape, is that of a secret in some place."""
    return any(may_be_secret(reading, is_user) for reading in list_readings(word))


def _cut_places(json: str, word: str) -> Iterator[tuple[str, str]]:
    place = json.find(word)
    for _ in range(MOST_PLACES):
        if place < 0:
            return
        before = json[max(0, place - BEFORE_CHARS) : place]
        if not _ID_MEMBER.search(before, max(0, len(before) - 40)):
            yield before, json[place : place + max(AFTER_CHARS, len(word) + 60)]
        place = json.find(word, place + len(word))


def _is_secret(before: str, after: str, is_user: bool) -> bool:
    """Whether a secret begins in the word between two pieces of raw JSON, which may reach beyond its string."""
    if (len(before) - len(before.rstrip("\\"))) % 2:  # the word begins with the letter of an escape
        letters = len(_ESCAPE_LETTERS.match(after)[0])  # type: ignore[index]  # JSON knows no other
        before, after = before + after[:letters], after[letters:]
    text_before, text_after = read_surroundings(before, after)
    start = len(text_before) - len(_WORD_END.search(text_before)[0])  # type: ignore[index]  # it matches nothing, too
    end = len(text_before) + len(_WORD_START.match(text_after)[0])  # type: ignore[index]
    return next(find_bare_secrets(text_before + text_after, is_user, start, end), None) is not None
