"""Finds rows with the names of secrets in other languages, and gives rows one form of signs and digits before any search."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from transforms.patterns.folding import fold_signs
from transforms.redaction.names.translated_names import list_beginnings

_SIGNS = r"[\x{FF03}-\x{FF5E}\x{2102}-\x{2149}\x{3000}\x{FB29}\x{1D400}-\x{1D7FF}]|[\p{Nd}--0-9]"
"""Rust regex: it finds something in every text that `fold_signs` changes."""
_LETTER, _DIGIT = r"[\p{L}--a-zA-Z]", "[0-9]"


def fold_rows(texts: pl.Series) -> pl.Series:
    """Return the rows with ASCII for signs of another width or font and digits of any script; if none has any, as they are."""
    wide = _list_wide(texts)
    rows = wide.filter(texts.gather(wide).str.contains(_SIGNS))
    if not len(rows):
        return texts
    folded = [fold_signs(text) for text in texts.gather(rows).to_list()]
    return texts.clone().scatter(rows, pl.Series(folded, dtype=pl.String))


def find_translated_rows(texts: pl.Series, users: Sequence[int]) -> dict[int, set[str]]:
    """Return the rows in which a name may stand before a digit, with the beginnings of names in each; `users` are those that a
    person typed."""
    wide = _list_wide(texts)
    wide = wide.filter(texts.gather(wide).str.contains(_LETTER))  # most have dashes and quotation marks only
    rows = pl.Series(sorted({*users, *wide.to_list()}), dtype=pl.UInt32)
    lower = texts.gather(rows).str.to_lowercase()
    has_digit = lower.str.contains(_DIGIT)
    beginnings = lower.filter(has_digit).str.extract_many(list_beginnings(), overlapping=True).to_list()
    return {row: set(some) for row, some in zip(rows.filter(has_digit).to_list(), beginnings, strict=True) if some}


def _list_wide(texts: pl.Series) -> pl.Series:
    """Return the rows with a character beyond ASCII."""
    return (texts.str.len_bytes() != texts.str.len_chars()).arg_true()
