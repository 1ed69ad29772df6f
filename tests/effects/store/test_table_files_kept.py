"""The rows of a table of many files, kept for the next writer in one file."""

from __future__ import annotations

import shutil
from datetime import date
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import orjson
import polars as pl
import pytest

from effects.store import table_files
from effects.store.lake import Lake
from effects.store.layout import list_files, name_kept_file, note_change
from effects.store.table_files import scan_files, write_rows
from transforms.tables.schema import TABLES, conform

DAYS = [date(2026, 3, day) for day in (1, 2)]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Return a lake with two days of a daily table."""
    lake = Lake(tmp_path)
    with lake.writing("test"), lake.commit() as change:
        for day in DAYS:
            change.replace("coverage", pl.DataFrame({"session_id": ["s"], "ordinal": [day.day], "day": [day]}), day)
    return lake


@pytest.fixture
def kept(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file with the rows of `coverage` that a writer kept."""
    monkeypatch.setattr(table_files, "KEPT_FROM", 2)
    read_as_writer(lake)
    return name_kept_file(lake.root, "coverage")


def read_as_writer(lake: Lake) -> list[str]:
    """Return the sessions that a writer reads in `coverage`."""
    with lake.writing("test"):
        return lake.read("coverage")["session_id"].to_list()


def test_the_next_writer_reads_kept_rows_and_the_days_that_changed_since(
    lake: Lake, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that another program wrote is noticed by its checksum, its size or its time."""
    read: list[str] = []

    def scan(files: list[str], *arguments: object, **named: object) -> pl.LazyFrame:
        read.extend(Path(file).parent.name for file in files)
        return scan_files(files, *arguments, **named)

    monkeypatch.setattr(table_files, "scan_files", scan)
    before = kept.read_bytes()
    assert (read_as_writer(lake), read, kept.read_bytes()) == (["s", "s"], [], before)
    rows = pl.DataFrame({"session_id": ["t"], "ordinal": [9], "day": [DAYS[1]]})
    write_rows(conform(TABLES["coverage"], rows), list_files(lake.root, "coverage", [DAYS[1]])[0], TABLES["coverage"])
    assert (read_as_writer(lake), read) == (["s", "t"], [f"day={DAYS[1]}"])
    shutil.rmtree(lake.root / "coverage" / f"day={DAYS[0]}")
    assert (read_as_writer(lake), read_as_writer(lake), len(read)) == (["t"], ["t"], 1)


def test_damaged_kept_rows_or_those_of_another_version_are_no_rows(lake: Lake, kept: Path) -> None:
    whole = kept.read_bytes()
    other = BytesIO()
    TABLES["coverage"].make_empty().drop("day").write_ipc(other)
    head = orjson.loads(whole.partition(b"\n")[0]) | {"digest": blake2b(other.getvalue(), digest_size=16).hexdigest()}
    for data in (b"", whole[:-9], whole.replace(b"ARROW1", b"ARROW2"), orjson.dumps(head) + b"\n" + other.getvalue()):
        kept.write_bytes(data)
        assert read_as_writer(lake) == ["s", "s"]
        assert kept.read_bytes() == whole


def test_no_kept_row_outlives_a_change_of_its_table(lake: Lake, kept: Path) -> None:
    """Not for the rest of the run that changes it, and not after its kill: words that a purge removes are in no other file."""
    with lake.writing("test"):
        with lake.commit() as change:
            change.replace("coverage", pl.DataFrame({"session_id": ["t"], "ordinal": [9], "day": [DAYS[1]]}), DAYS[1])
        assert not kept.exists()
    assert kept.exists()  # made again from what is there now
    assert read_as_writer(lake) == ["s", "t"]
    note_change(lake.root, list_files(lake.root, "coverage")[0])  # as the next writer finishes the commit of a killed one
    assert not kept.exists()
