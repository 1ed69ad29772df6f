"""DuckDB over the lake."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from effects.store.lake import Lake
from effects.store.sql_console import connect, run_query
from effects.system.errors import LakeError, UsageError
from transforms.tables.schema import TABLES


@pytest.mark.parametrize("name", ["lake", "it's a [lake]*"])
def test_every_table_is_a_view_whose_columns_are_those_of_the_schema(tmp_path: Path, name: str) -> None:
    """This holds for empty tables, and for folders whose names are special in SQL or a glob."""
    lake = Lake(tmp_path / name)
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["r-1"], "flow": ["nightly"]}))
    with connect(lake) as connection:
        for table in TABLES.values():
            names, found = run_query(connection, f"SELECT * FROM {table.name}")
            assert names == list(table.schema)
            assert len(list(found)) == (1 if table.name == "runs" else 0)


def test_a_bad_query_is_one_line(tmp_path: Path) -> None:
    """DuckDB's message without its drawing of the place."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    with connect(lake) as connection, pytest.raises(UsageError) as caught:
        run_query(connection, "SELECT nothing FROM nowhere")
    assert "nowhere" in caught.value.message
    assert "\n" not in caught.value.message


def test_without_a_lake_the_next_command_is_named(tmp_path: Path) -> None:
    """Nothing is created by asking."""
    with pytest.raises(LakeError) as caught:
        connect(Lake(tmp_path / "none"))
    assert caught.value.hint == "recollect nightly"
    assert not (tmp_path / "none").exists()


def test_files_of_several_versions_are_one_view(tmp_path: Path) -> None:
    """An older file lacks a column and a newer one has another: the query runs all the same."""
    lake = Lake(tmp_path / "lake")
    days = [date(2026, 3, day) for day in (1, 2, 3)]
    with lake.writing("test"), lake.commit() as change:
        for day in days:
            change.replace("coverage", pl.DataFrame({"session_id": [f"s-{day}"], "ordinal": [0], "day": [day]}), day)
    older, newer = lake.files("coverage", days[:1]) + lake.files("coverage", days[1:2])
    pl.read_parquet(older).drop("window_id").write_parquet(older)
    pl.read_parquet(newer).with_columns(invented=pl.lit("x")).write_parquet(newer)
    with connect(lake) as connection:
        for query in ("SELECT session_id, window_id FROM coverage ORDER BY 1", "SELECT count(*), count(window_id) FROM coverage"):
            names, found = run_query(connection, query)
            assert len(list(found)) == (3 if "session_id" in names else 1)
        assert list(run_query(connection, "SELECT invented FROM coverage WHERE invented IS NOT NULL")[1]) == [("x",)]


@pytest.mark.parametrize(
    "query",
    [
        "FROM read_text('{outside}/secret.txt')",
        "FROM '{lake}/../secret.txt'",
        "FROM glob('{outside}/*')",
        "FROM read_csv('{lake}x/table.csv')",
        "COPY (SELECT 1) TO '{outside}/made'",
        "COPY (SELECT 1) TO '{lake}/made'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{lake}/made'",
        "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{lake}/made'",
        "EXPLAIN /* */ ANALYZE COPY (SELECT 1) TO '{lake}/made'",
        "SELECT 1; COPY (SELECT 1) TO '{lake}/made'",
        "PREPARE p AS COPY (SELECT 1) TO '{lake}/made'; EXECUTE p",
        "EXPORT DATABASE '{lake}/made'",
        "ATTACH '{lake}/made'",
        "ATTACH '{outside}/made'",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET temp_directory = '{outside}/made'",
        "CALL enable_logging(storage='file', storage_path='{lake}/made')",
        "INSTALL httpfs",
        "LOAD '{outside}/made.duckdb_extension'",
        "FROM read_csv('https://example.org/made.csv')",
    ],
)
def test_a_statement_reaches_no_other_file_and_writes_none(tmp_path: Path, query: str) -> None:
    """An agent may be told by a page to run a query: it can neither fetch a key of this machine nor leave something."""
    lake = Lake(tmp_path / "lake")
    (tmp_path / "lakex").mkdir()
    (tmp_path / "lakex" / "table.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    with lake.writing("test"):
        pass
    with connect(lake) as connection, pytest.raises(UsageError):
        list(run_query(connection, query.format(lake=lake.root, outside=tmp_path))[1])
    assert not list(tmp_path.rglob("made*"))


def test_tables_in_memory_and_plans_still_work(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    with connect(lake) as connection:
        names, rows = run_query(connection, "CREATE TABLE t AS SELECT 7 AS n; UPDATE t SET n = n + 1; FROM t")
        assert (names, list(rows)) == (["n"], [(8,)])
        assert list(run_query(connection, "EXPLAIN SELECT count(*) FROM entries")[1])
