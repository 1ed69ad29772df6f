"""DuckDB over the lake: one view per table, in memory, nothing stored, and no file outside the lake within reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from effects.config.paths import suggest_first_command
from effects.store.forgotten import list_forgotten_ids
from effects.store.lake import Lake
from effects.system.errors import LakeError, UsageError
from transforms.dictionary.comments import describe_table, list_comments
from transforms.forgetting.row_filter import FORGOTTEN, select_remembered
from transforms.pages.nested_text import name_columns
from transforms.patterns.late_pattern import compile_late
from transforms.tables.schema import TABLES
from transforms.views.sql_views import VIEW_COLUMN_COMMENTS, VIEW_COMMENTS, VIEWS

if TYPE_CHECKING:
    import duckdb

    from transforms.tables.definition import Table

MIXED_COLUMNS = "schema mismatch in glob"
"""DuckDB's words when the files of a view have different columns."""

NO_FILES = "No files found"
"""DuckDB's words when no file is below the folder of a view."""

SPILL_FOLDER = "_sql"
"""Folder of the lake for large intermediate results; DuckDB makes and removes it."""

SHOWN_STATEMENT = 100
"""Characters of a statement that an error quotes."""

HARMLESS_STATEMENTS = frozenset(
    {"SELECT", "RELATION", "EXPLAIN", "PRAGMA", "SET", "VARIABLE_SET", "CALL", "TRANSACTION"}
    | {"CREATE", "CREATE_FUNC", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "MERGE_INTO"}
)
"""Kinds of statements that touch memory only; not COPY, EXPORT, ATTACH, LOAD, nor PREPARE, which hides another one."""

CATALOGS = ("comment", "duckdb_", "information_schema", "pg_")
"""Words of every query that can show comments: DuckDB has them in its functions and in the catalogs of other databases."""

_EXPLAIN = compile_late(r"^\s*explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?", re.IGNORECASE)


def connect(lake: Lake, zone: str = "UTC") -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection whose views are the lake's tables, `items` and `own_sessions`; times are shown in `zone`.

    Rows that were forgotten when it was opened are in no view, also before they are purged.

    Raises:
        LakeError: when nothing was ever written to the lake.
    """
    import duckdb

    if not lake.exists():
        raise LakeError(f"there is no lake in {lake.root} yet", suggest_first_command())
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    connection.execute(f"SET TimeZone = {_quote(zone)}")
    connection.execute(f"SET VARIABLE lake = {_quote(_escape_glob(lake.root))}")
    connection.execute(f"SET VARIABLE {FORGOTTEN} = ?::VARCHAR[]", [list_forgotten_ids(lake)])
    _confine(connection, lake)
    _create_views(connection, is_united=False)
    return connection


def run_statements(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[list[str], Iterator[tuple[object, ...]]]]:
    """Carry out statements one after the other; yield column names and rows of each that has a result.

    A second column `a` is named `a_1`, so that rows as objects keep both.

    The rows are there until the next statement runs. Statements are checked before the first one runs.

    Raises:
        UsageError: when DuckDB does not accept a statement, with its message and the statement, or one would write a file.
        LakeError: when a file of the lake cannot be read.
    """
    import duckdb

    statement = ""
    try:
        statements = _check_statements(query)
        for parsed in statements:
            if any(word in parsed.query.casefold() for word in CATALOGS):
                _comment_views(connection)
            statement = " ".join(parsed.query.split()).rstrip(";") if len(statements) > 1 else ""
            cursor = _execute(connection, parsed)
            if duckdb.ExpectedResultType.QUERY_RESULT in parsed.expected_result_type and cursor.description:
                yield name_columns([column[0] for column in cursor.description]), iter(cursor.fetchone, None)
    except duckdb.Error as error:
        message, _, line = str(error).partition("\n\nLINE ")
        message = " ".join(part.strip() for part in message.splitlines() if part.strip())
        if isinstance(error, duckdb.IOException | duckdb.InvalidInputException) and ".parquet" in message:
            raise LakeError(message, "recollect doctor") from error  # a damaged file, and no mistake of the query
        place = f"in `{shorten(statement, SHOWN_STATEMENT, placeholder=' …')}`: " if statement else ""
        marked = f"\nLINE {line}" if line else ""  # a mark stands below the place: this line keeps its spaces
        hint = _quote_reserved_columns(connection, query) if isinstance(error, duckdb.ParserException) else ""
        if isinstance(error, duckdb.BinderException):  # a column that the table does not have
            named = next((word for word in re.findall(r"\w+", query.lower()) if word in TABLES), "")
            hint = f"recollect sql 'DESCRIBE {named}'" if named else ""
        raise UsageError(place + message + marked, hint or "recollect sql 'SHOW TABLES'") from error


def _quote_reserved_columns(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """Return how to write a query in which the name of a column is a reserved word; empty when this is not what is wrong."""
    import duckdb

    words = connection.execute("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'").fetchall()
    reserved = sorted({column for table in TABLES.values() for column in table.schema} & {word for (word,) in words})
    for column in reserved:
        quoted = re.sub(rf"""('[^']*'|"[^"]*"|\.\s*{column}\b)|\b({column})\b""", _quote_second, query, flags=re.IGNORECASE)
        with suppress(duckdb.Error):
            if quoted != query and duckdb.extract_statements(quoted):
                return f'`{column}` is a reserved word, as a column write "{column}": {" ".join(quoted.split())}'
    return ""


def _quote_second(match: re.Match[str]) -> str:
    return match[1] or f'"{match[2]}"'


def _execute(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> duckdb.DuckDBPyConnection:
    import duckdb

    try:
        return connection.execute(statement)
    except duckdb.InvalidInputException as error:
        if MIXED_COLUMNS not in str(error):
            raise
        _create_views(connection, is_united=True)
        return connection.execute(statement.query)


def _confine(connection: duckdb.DuckDBPyConnection, lake: Lake) -> None:
    """Leave the connection no file but those of the lake, no extension and no setting that could open others."""
    folders = {f"{lake.root.as_posix()}/", f"{_escape_glob(lake.root)}/"}  # DuckDB compares patterns as they are written
    connection.execute(f"SET temp_directory = {_quote((lake.root / SPILL_FOLDER).as_posix())}")
    connection.execute(f"SET allowed_directories = [{', '.join(map(_quote, sorted(folders)))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _check_statements(query: str) -> list[duckdb.Statement]:
    """Return the statements of a query. Refuse those that write files: DuckDB could write into the lake."""
    import duckdb

    statements = duckdb.extract_statements(query)
    for statement in statements:
        kind, text = statement.type.name, statement.query
        if kind == "EXPLAIN" and (text := _EXPLAIN.sub("", text, count=1)):  # EXPLAIN ANALYZE carries its statement out
            inner = [part.type.name for part in duckdb.extract_statements(text)]
            kind = next((name for name in inner if name not in HARMLESS_STATEMENTS), kind)
        if kind not in HARMLESS_STATEMENTS:
            message = f"{kind} is not for the lake: statements read it, or write tables in memory"
            raise UsageError(message, "recollect sql --csv 'FROM observations' > observations.csv")
    return statements


def _create_views(connection: duckdb.DuckDBPyConnection, is_united: bool) -> None:
    """Define the views. United ones read the columns of every file first, which takes seconds over years of days;
    only a lake that several versions of recollect wrote needs them."""
    import duckdb

    has_forgotten = bool(connection.execute(f"SELECT len(getvariable('{FORGOTTEN}'))").fetchall()[0][0])
    for table in TABLES.values():
        # A glob, not a list of files: a query sees the rows that a run commits while the prompt is open.
        pattern = f"getvariable('lake') || '/{table.name}/**/*.parquet'"
        options = f"hive_partitioning = false, union_by_name = {is_united or not table.is_daily}"
        rows = f"read_parquet({pattern}, {options})"
        query = select_remembered(table, rows) if has_forgotten else f"SELECT * FROM {rows}"
        try:
            connection.execute(f"CREATE OR REPLACE VIEW {table.name} AS {query}")
        except duckdb.IOException as error:
            if NO_FILES not in str(error):
                raise
            connection.execute(f"CREATE OR REPLACE VIEW {table.name} AS {_select_nothing(connection, table)}")
    for name, query in VIEWS.items():
        with suppress(duckdb.BinderException):  # a lake of an older version lacks a column; the next night writes it
            connection.execute(f"CREATE OR REPLACE VIEW {name} AS {query}")


def _select_nothing(connection: duckdb.DuckDBPyConnection, table: Table[Any]) -> str:
    """Return a query with the columns of a table and no row: an older version had no such table, and the next night makes it."""
    connection.register("nothing", table.make_empty().to_arrow())
    columns = connection.execute("DESCRIBE nothing").fetchall()
    connection.unregister("nothing")
    return f"SELECT {', '.join(f'NULL::{kind} AS {_quote_name(name)}' for name, kind, *_ in columns)} WHERE false"


def _comment_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Give views and their columns the words of `docs/tables.md`; columns of another version have none.

    It takes twice as long as all the rest of opening the lake, so only a query that can show comments pays for it.
    """
    words = {name: (describe_table(table), list_comments(table)) for name, table in TABLES.items()}
    words |= {name: (VIEW_COMMENTS[name], {**list_comments(TABLES["sessions"]), **VIEW_COLUMN_COMMENTS[name]}) for name in VIEWS}
    columns = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    views = sorted({view for view, _ in columns} & set(words))
    statements = [f"COMMENT ON VIEW {view} IS {_quote(words[view][0])}" for view in views]
    for view, column in columns:
        if comment := words.get(view, ("", {}))[1].get(column):
            statements.append(f'COMMENT ON COLUMN {view}."{column}" IS {_quote(comment)}')
    connection.execute(";".join(statements))  # one batch: several times as fast as one after the other


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escape_glob(path: Path) -> str:
    """Return a glob that matches this path only: DuckDB knows character classes."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path.as_posix())
