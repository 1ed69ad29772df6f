"""Finds the rows of outputs and files in which a value without a name may be a secret, with the judge itself.

Rust cuts the words with digits out of the raw JSON; the form of each different word, judged once, leaves few rows to read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import orjson
import polars as pl

from transforms.patterns.literal_places import find_places
from transforms.reading.candidates.bare_candidates import DIGIT_WORD, list_readings
from transforms.redaction.bare.printed_judge import find_printed_secrets, list_possible_secrets
from transforms.redaction.bare.printed_values import LEAST_VALUE, MOST_VALUE, ORDINARY, cut_blocks, is_ordinary_word
from transforms.redaction.known_secrets import ID_NAME, KEPT_KEYS

MOST_WORD = 600
FEW_VALUES = 64
"""Values of a row up to which each is looked for by itself: most rows have one, and preparing Rust takes longer."""
_ORDINARY = "^" + ORDINARY.replace(r"\Z", r"\z")
"""Rust regex: most words, which are no value whatever stands around them."""


def find_printed_rows(texts: pl.Series) -> Iterator[int]:
    """Yield the rows of JSON in which a value without a name is a secret."""
    words = texts.str.extract_all(DIGIT_WORD).alias("word").to_frame().with_row_index("row")
    is_path = (pl.col("word").str.count_matches("/", literal=True) > 1) & pl.col("word").str.contains("://", literal=True).not_()
    words = words.explode("word").filter(pl.col("word").str.len_bytes().is_between(LEAST_VALUE, MOST_WORD)).filter(is_path.not_())
    different = words["word"].unique()
    different = different.filter(~different.str.contains(_ORDINARY))
    possible = {word: values for word in different.to_list() if (values := _list_possible_secrets(word))}
    some = (
        words.filter(pl.col("word").is_in(list(possible))).unique().group_by("row").agg("word").sort("row")
        if possible
        else words.clear()
    )
    known: dict[str, bool] = {}
    for row, row_words in some.rows():
        if _holds_secret(texts[row], sorted({value for word in row_words for value in possible[word]}), known):
            yield row


def _list_possible_secrets(word: str) -> list[str]:
    """Return the values of a word, maybe behind the letters of an escape, whose form is that of a secret in some place."""
    return [value for reading in list_readings(word) if not is_ordinary_word(reading) for value in list_possible_secrets(reading)]


def _holds_secret(json: str, values: list[str], known: dict[str, bool]) -> bool:
    """Whether one of the values is a secret in a row; clients write many texts twice into an entry."""
    for text in _read_texts(json):
        if text not in known:
            known[text] = next(find_printed_secrets(text, list_blocks_with(text, values)), None) is not None
        if known[text]:
            return True
    return False


def list_blocks_with(text: str, values: list[str]) -> list[tuple[int, int]]:
    """Return the blocks of a text in which one of the values begins, and with many values those right before one.

    A line of 60 MB has hundreds of thousands of them: looking for each took hours, Rust looks for all at once.
    """
    blocks = list(cut_blocks(text))
    if len(values) <= FEW_VALUES:
        places = sorted(find_places(text, *values))
        return [(start, end) for start, end in blocks if bisect_left(places, start) < bisect_left(places, end)]
    parts = pl.Series([text[start : end + MOST_VALUE] for start, end in blocks], dtype=pl.String)
    return [block for block, has_value in zip(blocks, parts.str.contains_any(values), strict=True) if has_value]


def _read_texts(json: str) -> Iterator[str]:
    try:
        yield from _list_texts(orjson.loads(json), "")
    except orjson.JSONDecodeError:
        yield json


def _list_texts(value: Any, name: str) -> Iterator[str]:
    """Yield the strings that redaction searches: ids, pictures and places are none."""
    if isinstance(value, str):
        if len(value) >= 8 and name not in KEPT_KEYS and not ID_NAME.search(name):
            yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _list_texts(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _list_texts(item, name if isinstance(item, str) else "")
