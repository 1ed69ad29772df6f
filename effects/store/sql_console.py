"""DuckDB over the lake: one view per table, in memory, nothing stored, and no file outside the lake within reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from effects.store.lake import Lake
from effects.system.errors import LakeError, UsageError
from transforms.tables.schema import TABLES
from transforms.views.sql_views import VIEWS

if TYPE_CHECKING:
    import duckdb

MIXED_COLUMNS = "schema mismatch in glob"
"""DuckDB's words when the files of a view have different columns."""

SPILL_FOLDER = "_sql"
"""Folder of the lake for large intermediate results; DuckDB makes and removes it."""

HARMLESS_STATEMENTS = frozenset(
    {"SELECT", "RELATION", "EXPLAIN", "PRAGMA", "SET", "VARIABLE_SET", "CALL", "TRANSACTION"}
    | {"CREATE", "CREATE_FUNC", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "MERGE_INTO"}
)
"""Kinds of statements that touch memory only; not COPY, EXPORT, ATTACH, LOAD, nor PREPARE, which hides another one."""

_EXPLAIN = re.compile(r"^\s*explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?", re.IGNORECASE)


def connect(lake: Lake, zone: str = "UTC") -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection whose views are the lake's tables, `items` and `own_sessions`; times are shown in `zone`.

    Raises:
        LakeError: when nothing was ever written to the lake.
    """
    import duckdb

    if not lake.exists():
        raise LakeError(f"there is no lake in {lake.root} yet", "recollect nightly")
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    connection.execute(f"SET TimeZone = {_quote(zone)}")
    connection.execute(f"SET VARIABLE lake = {_quote(_escape_glob(lake.root))}")
    _confine(connection, lake)
    _create_views(connection, is_united=False)
    return connection


def run_query(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], Iterator[tuple[object, ...]]]:
    """Return the column names and rows of the last statement; no columns when it returns nothing.

    Raises:
        UsageError: when DuckDB does not accept the query, with its first lines, or a statement would write a file.
    """
    import duckdb

    try:
        _check_statements(query)
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


def _confine(connection: duckdb.DuckDBPyConnection, lake: Lake) -> None:
    """Leave the connection no file but those of the lake, no extension and no setting that could open others."""
    folders = {f"{lake.root.as_posix()}/", f"{_escape_glob(lake.root)}/"}  # DuckDB compares patterns as they are written
    connection.execute(f"SET temp_directory = {_quote((lake.root / SPILL_FOLDER).as_posix())}")
    connection.execute(f"SET allowed_directories = [{', '.join(map(_quote, sorted(folders)))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _check_statements(query: str) -> None:
    """Refuse statements that write files: DuckDB may read the lake's folder, and what it may read it may also write."""
    import duckdb

    for statement in duckdb.extract_statements(query):
        kind, text = statement.type.name, statement.query
        if kind == "EXPLAIN" and (text := _EXPLAIN.sub("", text, count=1)):  # EXPLAIN ANALYZE carries its statement out
            inner = [part.type.name for part in duckdb.extract_statements(text)]
            kind = next((name for name in inner if name not in HARMLESS_STATEMENTS), kind)
        if kind not in HARMLESS_STATEMENTS:
            message = f"{kind} is not for the lake: statements read it, or write tables in memory"
            raise UsageError(message, "recollect sql --csv 'FROM observations' > observations.csv")


def _create_views(connection: duckdb.DuckDBPyConnection, is_united: bool) -> None:
    """Define the views. United ones read the columns of every file first, which takes seconds over years of days;
    only a lake that several versions of recollect wrote needs them."""
    import duckdb

    for table in TABLES.values():
        # A glob, not a list of files: a query sees the rows that a run commits while the prompt is open.
        pattern = f"getvariable('lake') || '/{table.name}/**/*.parquet'"
        options = f"hive_partitioning = false, union_by_name = {is_united or not table.is_daily}"
        connection.execute(f"CREATE OR REPLACE VIEW {table.name} AS SELECT * FROM read_parquet({pattern}, {options})")
    for name, query in VIEWS.items():
        with suppress(duckdb.BinderException):  # a lake of an older version lacks a column; the next night writes it
            connection.execute(f"CREATE OR REPLACE VIEW {name} AS {query}")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escape_glob(path: Path) -> str:
    """Return a glob that matches this path only: DuckDB knows character classes."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path.as_posix())
