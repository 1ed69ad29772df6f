"""DuckDB over the lake: one view per table, in memory, nothing stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from effects.store.lake import Lake
from effects.system.errors import LakeError, UsageError
from transforms.tables.schema import TABLES

if TYPE_CHECKING:
    import duckdb


def connect(lake: Lake, zone: str = "UTC") -> duckdb.DuckDBPyConnection:
    """A DuckDB connection whose views are the lake's tables; times are shown in `zone`.

    Raises:
        LakeError: when nothing was ever written to the lake.
    """
    import duckdb

    if not lake.exists():
        raise LakeError(f"there is no lake in {lake.root} yet", "recollect nightly")
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    connection.execute(f"SET TimeZone = {_quoted(zone)}")
    for name in TABLES:
        # A glob, not a list of files: a query sees what a run commits while the prompt is open.
        pattern = _quoted(_glob_literal(lake.root / name) + "/**/*.parquet")
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({pattern}, hive_partitioning = false)")
    return connection


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Column names and rows of the last statement; no columns when it returns nothing.

    Raises:
        UsageError: when DuckDB does not accept the query, with its first lines.
    """
    import duckdb

    try:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or []]
        return names, iter(cursor.fetchone, None)
    except duckdb.Error as error:
        told = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise UsageError(told, "recollect sql 'SHOW TABLES'") from error


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _glob_literal(path: Path) -> str:
    """A path whose own characters are not read as wildcards: DuckDB knows character classes."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path.as_posix())
