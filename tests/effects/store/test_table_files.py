"""Files of a table in other readers: words in their metadata, and folders that are read as they are."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from effects.store.lake import Lake
from effects.store.table_files import FIRST_DAY, find_fault, write_rows
from transforms.dictionary.comments import COMMENT, DESCRIPTION, describe_table, list_comments
from transforms.tables.schema import TABLES

DAYS = [date(2026, 3, day) for day in (1, 2)]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Return a lake with two days of a daily table and one row of another; all other tables are empty."""
    lake = Lake(tmp_path_factory.mktemp("lake"))
    with lake.writing("test"), lake.commit() as change:
        for day in DAYS:
            change.replace("coverage", pl.DataFrame({"session_id": ["s"], "ordinal": [day.day], "day": [day]}), day)
        change.append("runs", pl.DataFrame({"run_id": ["r-1"]}))
    return lake


@pytest.mark.parametrize("name", TABLES)
def test_a_folder_is_a_dataset_whose_columns_have_their_words(lake: Lake, name: str) -> None:
    """pyarrow reads the folder without an argument; pandas calls `read_table` with the one that `docs/tables.md` names."""
    table = TABLES[name]
    schema = ds.dataset(lake.root / name).schema
    assert {field.name: field.metadata[COMMENT.encode()].decode() for field in schema} == list_comments(table)
    rows = pq.read_table(lake.root / name, partitioning=None)
    assert rows.num_rows == ds.dataset(lake.root / name).count_rows() == {"coverage": 2, "runs": 1}.get(name, 0)
    assert rows.column_names == list(table.schema)
    assert pl.read_parquet(lake.root / name).height == rows.num_rows


@pytest.mark.parametrize("name", TABLES)
def test_every_file_says_what_a_row_is(lake: Lake, name: str) -> None:
    for path in lake.list_files(name):
        assert pl.read_parquet_metadata(path)[DESCRIPTION] == describe_table(TABLES[name])


def test_files_of_days_hold_no_words_of_columns(lake: Lake) -> None:
    """They would be a third of the bytes of a small day."""
    day_file = lake.list_files("coverage", DAYS)[0]
    assert all(COMMENT.encode() not in (field.metadata or {}) for field in pq.read_schema(day_file))


def test_words_of_an_older_version_are_replaced_and_those_of_this_one_stay(tmp_path: Path) -> None:
    """The next writer does it; the file is whole before and after."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    first = lake.root / "coverage" / FIRST_DAY / "empty.parquet"
    whole = first.read_bytes()
    TABLES["coverage"].make_empty().write_parquet(first)  # as version 0.4 wrote it
    with lake.writing("test"):
        pass
    assert first.read_bytes() == whole
    before = first.stat().st_mtime_ns
    with lake.writing("test"):
        pass
    assert first.stat().st_mtime_ns == before
    assert not find_fault(first, TABLES["coverage"], None)


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_rows(TABLES["runs"].make_empty(), tmp_path / name, TABLES["runs"])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
