"""Files of a table in other readers: words in their metadata, and folders that are read as they are."""

from __future__ import annotations

import importlib.util
import random
import re
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from effects.store import table_files
from effects.store.lake import Lake
from effects.store.layout import find_held, list_files
from effects.store.table_files import FIRST_DAY, find_fault, scan_files, write_rows
from effects.system.errors import LakeError
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
def test_every_line_of_the_data_dictionary_that_reads_a_folder_reads_it_with_its_days(lake: Lake, name: str) -> None:
    """Those of pandas run where it is installed."""
    page = Path("docs/tables.md").read_text(encoding="utf-8")
    reads = re.findall(r"^      ((\w+)\..+)$", page, re.MULTILINE)
    assert {"pandas", "pyarrow", "polars", "duckdb"} == {library for _, library in reads}
    for line, library in reads:
        if importlib.util.find_spec(library) is None:
            continue
        names = {library: importlib.import_module(library), "folder": str(lake.root / name)}
        rows = eval(line, names)  # lines of our own page
        columns = rows.column_names if library == "pyarrow" else list(rows.columns)
        assert columns == list(TABLES[name].schema), line
        assert len(rows) == {"coverage": 2, "runs": 1}.get(name, 0), line


def test_pyarrow_reads_one_day_with_the_partitioning_that_the_dictionary_names(lake: Lake) -> None:
    days = ds.partitioning(pa.schema([("day", pa.date32())]), flavor="hive")
    assert ds.dataset(lake.root / "coverage", partitioning=days).count_rows(filter=ds.field("day") == DAYS[0]) == 1
    assert pq.read_table(lake.root / "coverage", partitioning=days, filters=[("day", "=", DAYS[0])]).num_rows == 1


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


def test_the_first_files_of_every_lake_have_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the second lake are copies; a file that is no longer as it was written is read and found out."""
    monkeypatch.setattr(table_files, "_first_files", {})
    for name in ("one", "two"):
        with Lake(tmp_path / name).writing("test"):
            pass
    first, second = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*.parquet")} for root in tmp_path.iterdir()
    )
    assert first == second
    assert len(first) == len(TABLES)
    for path, data in first.items():
        assert not find_fault(tmp_path / "two" / path, TABLES[path.parts[0]], None)
        (tmp_path / "two" / path).write_bytes(data.replace(b"PAR1", b"PAR2"))
    for name in TABLES:
        with Lake(tmp_path / "two").writing("test"), pytest.raises(LakeError, match=f"table `{name}`"):
            Lake(tmp_path / "two").read(name)


def test_an_empty_frame_belongs_to_its_caller() -> None:
    """It is a copy of one that is kept: rows that are added to it are in no other."""
    rows = TABLES["coverage"].make_empty()
    rows.extend(pl.DataFrame([[None] * rows.width], schema=rows.schema, orient="row"))
    assert (rows.height, TABLES["coverage"].make_empty().height) == (1, 0)


@pytest.mark.parametrize("seed", range(6))
def test_a_writer_reads_what_the_files_hold_after_any_commits(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a table is larger than what is held, where days vanish, get part files or are joined, and where the last writer
    kept its rows."""
    chance, lake = random.Random(seed), Lake(tmp_path)
    monkeypatch.setattr(table_files, "HELD_BYTES", chance.choice((0, 6_000, 1_000_000)))
    monkeypatch.setattr(table_files, "FOOTER_BYTES", 0)
    monkeypatch.setattr(table_files, "KEPT_FROM", 2)
    for _ in range(6):
        with lake.writing("test"):
            _commit_and_compare(lake, chance)
        assert find_held(tmp_path, "coverage") is None


def _commit_and_compare(lake: Lake, chance: random.Random) -> None:
    """Make a few random commits; whatever was read in between are the rows of the files."""
    for _ in range(4):
        with lake.commit() as change:
            for number in chance.sample(range(6), chance.randrange(3)):
                day = date(2026, 3, 1) + timedelta(days=number)
                ordinals = [chance.randrange(1_000) * 1_000 + place for place in range(chance.randrange(4))]
                rows = pl.DataFrame({"session_id": ["s"] * len(ordinals), "ordinal": ordinals, "day": [day] * len(ordinals)})
                (change.replace if chance.random() < 0.6 else change.append)("coverage", rows, day)
            if chance.random() < 0.4:
                change.append("runs", pl.DataFrame({"run_id": [f"r-{chance.randrange(99)}"]}))
        if chance.random() < 0.2:
            lake.compact(chance.choice(("coverage", "runs")))
        for name in chance.sample(("coverage", "runs"), chance.randrange(3)):
            files = sorted((lake.root / name).rglob("*.parquet"))
            assert lake.list_files(name) == files
            assert lake.scan(name).collect().equals(scan_files(files, TABLES[name]).collect())


def test_what_describes_the_columns_of_a_small_day_does_not_make_a_table_large(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand days of ten rows are half footers; rows alone decide whether a table is held."""
    monkeypatch.setattr(table_files, "HELD_BYTES", 100)
    with lake.writing("test"):
        assert table_files.read_held_rows(lake.root, TABLES["coverage"]) is not None
        monkeypatch.setattr(table_files, "FOOTER_BYTES", 0)
        assert table_files.read_held_rows(lake.root, TABLES["coverage"]) is None


def test_unchanged_days_are_read_once_a_run(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[str]] = []

    def scan(files: list[str], *arguments: object, **named: object) -> pl.LazyFrame:
        read.append([Path(file).parent.name for file in files])
        return scan_files(files, *arguments, **named)

    monkeypatch.setattr(table_files, "scan_files", scan)
    with lake.writing("test"):
        assert lake.read("coverage").height == lake.read("coverage").height == 2
        with lake.commit() as change:
            change.replace("coverage", pl.DataFrame({"session_id": ["t"], "ordinal": [9], "day": [DAYS[1]]}), DAYS[1])
        assert lake.read("coverage")["session_id"].to_list() == ["s", "t"]
        assert read == [[f"day={day}" for day in DAYS]], "what this run wrote is not read either"


def test_a_held_table_with_a_damaged_file_is_the_same_clear_error(lake: Lake) -> None:
    damaged = list_files(lake.root, "coverage", [DAYS[0]])[0]
    data = damaged.read_bytes()
    damaged.write_bytes(b"no parquet")
    with lake.writing("test"), pytest.raises(LakeError, match="table `coverage`"):
        lake.read("coverage")
    damaged.write_bytes(data)
