"""Leaves out the rows that tombstones name: of frames, and in queries of DuckDB.

A target is an id (`o-…`, `s-…`, `w-…`, `d-…`, `p-…`, `m-…`), a session, an entry `session:entry` with all that cites it, or the
hash of a text. `turn:session:entry` hides an entry and nothing that cites it; `task:window` and `title:session` hide one column;
`line:n` keeps a line that was taken out of MEMORY.md; `raw:window` says that uncited entries of a window were pruned.
A condensed period is left out with what it was made from: until it is made again, its text tells what was forgotten.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import polars as pl

from transforms.forgetting.named_documents import TURN
from transforms.tables.definition import Table
from transforms.tables.ids import hash_text

TASK, TITLE, LINE, RAW = "task:", "title:", "line:", "raw:"

ID_COLUMNS = ("observation_id", "segment_id", "window_id", "session_id", "distillate_id", "proposal_id")
HIDDEN_COLUMNS = {"title": (TITLE, "session_id"), "current_task": (TASK, "window_id"), "suggested_response": (TASK, "window_id")}
FORGOTTEN = "forgotten"
"""DuckDB variable with the list of targets."""
_TARGETS = f"(SELECT unnest(getvariable('{FORGOTTEN}')))"
_TARGETS_OF_TABLE = {
    "entries": ("session_id || ':' || entry_id", f"'{TURN}' || session_id || ':' || entry_id"),
    "memory_lines": ("'m-' || line_hash",),
}
"""Further names of a table's rows."""
_SESSION_OF_TARGET = rf"regexp_extract(target, '^(?:{TURN})?(.*):[^:]*$', 1)"
_HIDDEN = {
    "tombstones": (("text", "NOT coalesce(is_undone, false)"),),
    "model_calls": (("answer", f"session_id IN (SELECT {_SESSION_OF_TARGET} FROM {_TARGETS} AS targets (target))"),),
}
"""Columns that tell what was forgotten: lines kept for undoing, and answers about a session of which something was forgotten."""


def drop_forgotten_rows(rows: pl.DataFrame, targets: Collection[str]) -> pl.DataFrame:
    """Return the rows of a table that no target names by id, session, cited entry or text; hidden columns become null."""
    if not targets or rows.is_empty():
        return rows
    listed = sorted(targets)
    named = [pl.col(name).is_in(listed) for name in ID_COLUMNS if name in rows.columns]
    if {"session_id", "entry_ids"} <= set(rows.columns):
        named.append(pl.int_range(pl.len()).is_in(_find_citing_rows(rows, listed)))
    if {"session_id", "entry_id"} <= set(rows.columns):
        named.append(name_entries(listed))
    if "child_ids" in rows.columns:
        named.append(pl.col("distillate_id").is_in(sorted(find_resting_periods(rows, listed))))
    if "text" in rows.columns and "observation_id" in rows.columns:
        hashes = {target for target in listed if len(target) == len(hash_text(""))}
        named.append(
            pl.lit(pl.Series([bool(hashes) and hash_text(text or "") in hashes for text in rows["text"]], dtype=pl.Boolean))
        )
    kept_rows = rows.filter(~pl.any_horizontal(condition.fill_null(False) for condition in named)) if named else rows
    return kept_rows.with_columns(
        pl.when(pl.format("{}{}", pl.lit(prefix), key).is_in(listed)).then(None).otherwise(pl.col(name)).alias(name)
        for name, (prefix, key) in HIDDEN_COLUMNS.items()
        if name in kept_rows.columns and key in kept_rows.columns
    )


def name_entries(targets: list[str]) -> pl.Expr:
    """Return whether a target names a row of `entries` by session and entry, with or without all that cites it."""
    names = pl.format("{}:{}", "session_id", "entry_id")
    return names.is_in(targets) | pl.format("{}{}", pl.lit(TURN), names).is_in(targets)


def find_resting_periods(distillates: pl.DataFrame, targets: Collection[str]) -> set[str]:
    """Return the ids of the condensed periods that rest on something forgotten, also through the periods below them."""
    resting: set[str] = set()
    columns = ("distillate_id", "child_ids", "source_ids", "entry_refs")
    for name, *sources in distillates.sort("tier").select(columns).iter_rows():
        below = {source for listed in sources[:2] for source in listed or ()}
        cited = {part for entry in sources[2] or () for part in (entry, entry.rpartition(":")[0])}
        if not (below | cited).isdisjoint(targets) or not below.isdisjoint(resting):
            resting.add(name)
    return resting


def drop_forgotten_documents(documents: pl.DataFrame, targets: Collection[str]) -> pl.DataFrame:
    """Return the documents of recall that no target names by id, session, entry or hash of the text."""
    if not targets or documents.is_empty():
        return documents
    names = pl.concat_list(
        pl.col("id"),
        pl.col("key"),
        pl.col("session_id"),
        pl.col("text_hash"),
        pl.format("{}{}", pl.lit(TURN), "id"),
        pl.col("entry_ids").fill_null([]),
        pl.col("also").fill_null([]),
    )
    listed = sorted(targets)
    is_named = names.list.eval(pl.element().is_in(listed)).list.any()
    return documents.filter(~is_named & pl.int_range(pl.len()).is_in(_find_citing_rows(documents, listed)).not_())


def _find_citing_rows(rows: pl.DataFrame, targets: list[str]) -> list[int]:
    """Return the positions of the rows that cite a target `session:entry`."""
    cited = rows.select("session_id", "entry_ids").with_row_index("row").explode("entry_ids").drop_nulls()
    return cited.filter(pl.format("{}:{}", "session_id", "entry_ids").is_in(targets))["row"].unique().to_list()


def select_remembered(table: Table[Any], rows: str) -> str:
    """Return a query over `rows`, an expression of SQL, without the rows that a target names; hidden columns are null.

    Targets that name an observation by its text or by a citation must be in the list as ids of observations.
    """
    names = [*(name for name in ID_COLUMNS if name in table.columns), *_TARGETS_OF_TABLE.get(table.name, ())]
    hidden = [f"CASE WHEN {condition} THEN NULL ELSE {name} END AS {name}" for name, condition in _HIDDEN.get(table.name, ())]
    hidden += [
        f"CASE WHEN '{prefix}' || {key} IN {_TARGETS} THEN NULL ELSE {name} END AS {name}"
        for name, (prefix, key) in HIDDEN_COLUMNS.items()
        if name in table.columns and key in table.columns
    ]
    columns = f"* REPLACE ({', '.join(hidden)})" if hidden else "*"
    conditions = " AND ".join(f"({name} IS NULL OR {name} NOT IN {_TARGETS})" for name in names)
    return f"SELECT {columns} FROM {rows}" + (f" WHERE {conditions}" if conditions else "")
