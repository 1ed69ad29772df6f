"""Empties entries that were forgotten or pruned: their places, times and a flag stay."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from transforms.forgetting.row_filter import name_entries
from transforms.forgetting.scrub_text import blank_entry

FORGOTTEN_FLAG = "forgotten"
"""Flag of an entry that was emptied because it is forgotten."""
WITHOUT_FORGOTTEN = "without_forgotten"
"""Beginning of the reason of a distilled or failed window of which the engine did not see the forgotten entries."""


def blank_forgotten_entries(entries: pl.DataFrame, targets: Collection[str]) -> pl.DataFrame:
    """Return rows of `entries` in their places, without the content of those that a target names: for whoever makes facts.

    A fact that is made after the forgetting has no id that a target could name.
    """
    if not targets or entries.is_empty():
        return entries
    listed = sorted(targets)
    return blank_rows(entries, (pl.col("session_id").is_in(listed) | name_entries(listed)).fill_null(False), FORGOTTEN_FLAG)


def blank_rows(rows: pl.DataFrame, is_due: pl.Expr, flag: str) -> pl.DataFrame:
    """Return rows of `entries` without the content of those that are due; their place, times and a flag stay."""
    columns = rows.select("entry_type", "entry_id", "parent_id", "role").iter_rows()
    blanks = [blank_entry(kind or "message", name or "", parent, role, flag) for kind, name, parent, role in columns]
    return rows.with_columns(
        pl.when(is_due).then(pl.lit("")).otherwise("text").alias("text"),
        pl.when(is_due).then(None).otherwise("thinking").alias("thinking"),
        pl.when(is_due).then(pl.Series("raw", blanks, dtype=pl.String)).otherwise("raw_json").alias("raw_json"),
        flag_rows(is_due, flag),
    )


def flag_rows(is_due: pl.Expr, flag: str) -> pl.Expr:
    """Return the column `flags`, with one more on the rows that are due."""
    flags = pl.col("flags").fill_null([])
    is_new = is_due & flags.list.contains(flag).not_()
    return pl.when(is_new).then(pl.concat_list(flags, pl.lit(flag)).list.sort()).otherwise("flags").alias("flags")
