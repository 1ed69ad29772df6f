"""One query over the lake, as tests ask it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from effects.store.sql_console import run_statements

if TYPE_CHECKING:
    import duckdb


def run_query(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], Iterator[tuple[object, ...]]]:
    """Return the column names and rows of the last statement with a result; no columns when there is none.

    Raises:
        UsageError: as `run_statements`.
    """
    names: list[str] = []
    rows: Iterator[tuple[object, ...]] = iter(())
    for names, rows in run_statements(connection, query):  # noqa: B007 - the last one is wanted
        pass
    return names, rows
