"""DuckDB over the lake: one view per table, in memory, nothing stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from effects.store.lake import Lake
from effects.system.errors import LakeError, UsageError
from transforms.tables.schema import TABLES

if TYPE_CHECKING:
    import duckdb

MIXED_COLUMNS = "schema mismatch in glob"
"""DuckDB's words when the files of a view have different columns."""


def connect(lake: Lake, zone: str = "UTC") -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection whose views are the lake's tables; times are shown in `zone`.

    Raises:
        LakeError: when nothing was ever written to the lake.
    """
    import duckdb

    if not lake.exists():
        raise LakeError(f"there is no lake in {lake.root} yet", "recollect nightly")
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    connection.execute(f"SET TimeZone = {_quote(zone)}")
    connection.execute(f"SET VARIABLE lake = {_quote(_escape_glob(lake.root))}")
    _create_views(connection, is_united=False)
    return connection


def run_query(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], Iterator[tuple[object, ...]]]:
    """Return the column names and rows of the last statement; no columns when it returns nothing.

    Raises:
        UsageError: when DuckDB does not accept the query, with its first lines.
    """
    import duckdb

    try:
        try:
            cursor = connection.execute(query)
        except duckdb.InvalidInputException as error:
            if MIXED_COLUMNS not in str(error):
                raise
            _create_views(connection, is_united=True)
            cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or []]
        return names, iter(cursor.fetchone, None)
    except duckdb.Error as error:
        message = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise UsageError(message, "recollect sql 'SHOW TABLES'") from error


def _create_views(connection: duckdb.DuckDBPyConnection, is_united: bool) -> None:
    """Define the views. United ones read the columns of every file first, which takes seconds over years of days;
    only a lake that several versions of recollect wrote needs them."""
    for table in TABLES.values():
        # A glob, not a list of files: a query sees the rows that a run commits while the prompt is open.
        pattern = f"getvariable('lake') || '/{table.name}/**/*.parquet'"
        options = f"hive_partitioning = false, union_by_name = {is_united or not table.is_daily}"
        connection.execute(f"CREATE OR REPLACE VIEW {table.name} AS SELECT * FROM read_parquet({pattern}, {options})")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escape_glob(path: Path) -> str:
    """Return a glob that matches this path only: DuckDB knows character classes."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path.as_posix())
