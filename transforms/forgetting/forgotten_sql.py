"""The condition under which a row was not forgotten, in SQL: as `row_filter` decides for frames, for views in DuckDB."""

from __future__ import annotations

from typing import Any

from transforms.forgetting.named_documents import TURN
from transforms.forgetting.row_filter import HIDDEN_COLUMNS, ID_COLUMNS
from transforms.tables.definition import Table

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
