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
