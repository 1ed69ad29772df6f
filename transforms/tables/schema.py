"""All tables of the lake, and frames that follow their schemas. `docs/tables.md` is generated from `TABLES`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, cast

import polars as pl

from transforms.tables.definition import RowT, Table
from transforms.tables.memory_tables import (
    CONFIRMATIONS,
    DISTILLATES,
    MEMORY_LINES,
    PROPOSAL_EVENTS,
    PROPOSALS,
    RELATIONS,
    TOMBSTONES,
)
from transforms.tables.run_tables import EMBEDDINGS, MODEL_CALLS, PAGES, RUNS
from transforms.tables.session_tables import ENTRIES, PROJECTS, QUARANTINE, SESSIONS, SKETCHES, SOURCES
from transforms.tables.task_tables import TASK_EVENTS, TASKS
from transforms.tables.window_tables import COVERAGE, OBSERVATIONS, SEGMENTS, WINDOWS

__all__ = [
    "CONFIRMATIONS",
    "COVERAGE", "DISTILLATES", "EMBEDDINGS", "ENTRIES", "MEMORY_LINES", "MODEL_CALLS", "OBSERVATIONS", "PAGES", "PROJECTS",
    "PROPOSALS", "PROPOSAL_EVENTS", "QUARANTINE", "RELATIONS", "RUNS", "SCHEMA_VERSION", "SEGMENTS", "SESSIONS",
    "SKETCHES", "SOURCES", "TABLES", "TASKS", "TASK_EVENTS", "TOMBSTONES", "WINDOWS", "build_frame", "check_keys", "conform",
    "hash_groups", "read_rows",
]  # fmt: skip

SCHEMA_VERSION = 1
_HASH_SEEDS = (1, 2)
"""Two hashes of 64 bits a row."""

_ALL: tuple[Table[Any], ...] = (
    SOURCES, SESSIONS, PROJECTS, ENTRIES, SKETCHES, COVERAGE, WINDOWS, SEGMENTS, OBSERVATIONS, DISTILLATES, PROPOSALS,
    PROPOSAL_EVENTS, MODEL_CALLS, RUNS, EMBEDDINGS, PAGES, MEMORY_LINES, CONFIRMATIONS, RELATIONS, TOMBSTONES, TASKS, TASK_EVENTS,
    QUARANTINE,
)  # fmt: skip
TABLES: dict[str, Table[Any]] = {table.name: table for table in _ALL}


def build_frame(table: Table[Any], rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return a frame of these rows in the table's schema, without `schema_version`.

    Polars would infer a schema from the first 100 rows and fail at a later row that does not fit.

    Raises:
        ValueError: when a row has a column that the table does not know, or a value outside of a closed set.
    """
    listed = list(rows)
    unknown = {name for row in listed for name in row} - set(table.columns) - {"schema_version"}
    if unknown:
        raise ValueError(f"`{table.name}`: unknown columns {sorted(unknown)}")
    frame = pl.DataFrame(listed, schema=table.row_schema)
    check_choices(table, frame)
    return frame


def check_choices(table: Table[Any], frame: pl.DataFrame) -> None:
    """Check that every value of an enum's column is one of its choices.

    Raises:
        ValueError: when one is not; it names table, column and value.
    """
    for name, column in table.columns.items():
        if column.choices:
            values = frame[name].explode() if column.is_list else frame[name]
            if strange := set(values.unique()) - {*column.choices, None}:
                raise ValueError(f"`{table.name}.{name}`: {sorted(strange)} not among {list(column.choices)}")


def read_rows(table: Table[RowT], frame: pl.DataFrame) -> Iterator[RowT]:
    """Return the rows of a frame that holds all columns of the table, without `schema_version`."""
    return cast(Iterator[RowT], frame[list(table.columns)].iter_rows(named=True))


def conform(table: Table[Any], frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with exactly the table's columns, in order, cast and sorted by key; missing columns become null.

    Raises:
        ValueError: when a column is unknown, a key column is missing, or a key repeats.
    """
    unknown = set(frame.columns) - set(table.columns) - {"schema_version"}
    missing_keys = set(table.key) - set(frame.columns)
    if unknown or missing_keys:
        raise ValueError(f"`{table.name}`: unknown columns {sorted(unknown)}, missing key columns {sorted(missing_keys)}")
    present = frame.schema
    columns = [
        pl.col(name)
        if present.get(name) == dtype
        else (pl.col(name) if name in present else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in table.row_schema.items()
    ]
    result = frame.select(*columns, schema_version=pl.lit(SCHEMA_VERSION, pl.Int16))
    if result.height > 1:
        result = result.sort(table.key)
    check_keys(table, result)
    return result


def check_keys(table: Table[Any], rows: pl.DataFrame) -> None:
    """Check that no key repeats in rows that are sorted by it.

    Raises:
        ValueError: when one does.
    """
    if rows.height < 2:
        return
    repeats = rows.select(pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift()) for name in table.key)).to_series()
    if (repeated := repeats.slice(1).arg_true()).len():
        raise ValueError(f"`{table.name}`: key {table.key} repeats, for example {rows.select(table.key).row(repeated[0])}")


def hash_groups(rows: pl.DataFrame, by: Sequence[str]) -> dict[tuple[Any, ...], str]:
    """Return a hash of the rows of each group, in any order of rows, by the values of its key columns.

    Another version of polars may hash otherwise: who stores these stores its version beside them.
    """
    names = [f"hash {seed}" for seed in _HASH_SEEDS]
    hashes = [rows.hash_rows(seed).alias(name) for seed, name in zip(_HASH_SEEDS, names, strict=True)]
    grouped = rows.select(by).with_columns(hashes).sort(*by, *names).group_by(by, maintain_order=True).agg(names)
    width = len(by)
    return {row[:width]: blake2b(repr(row[width:]).encode(), digest_size=16).hexdigest() for row in grouped.iter_rows()}
