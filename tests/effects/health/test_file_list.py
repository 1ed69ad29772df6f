"""The list of files: what went since the last run is named, and nothing else ever is."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.health.file_list import FILE_LIST, find_missing_files, keeping_file_list
from effects.store.lake import Lake
from effects.store.run import open_run
from effects.store.run_record import record_run
from effects.system.errors import LakeError


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Return a lake after two runs, whose records are its only rows."""
    for _ in range(2):
        do_run(tmp_path)
    return Lake(tmp_path / "lake")


def do_run(place: Path, keeps_list: bool = True) -> None:
    """Record a run without steps, as a version that keeps a list of files or as an older one."""
    run = open_run(Settings(lake=place / "lake", workspace=place / "workspace"))
    with run.lake.writing("test"):
        if keeps_list:
            with keeping_file_list(run.lake), record_run(run, "nightly", {}):
                pass
        else:
            with record_run(run, "nightly", {}):
                pass


def test_a_file_that_is_gone_is_named_and_refuses_the_next_run(lake: Lake, tmp_path: Path) -> None:
    """It stays named until a repair, however often a run is tried."""
    gone = lake.list_files("runs")[0]
    gone.unlink()
    assert find_missing_files(lake) == [gone]
    for _ in range(2):
        with pytest.raises(LakeError, match=gone.name):
            do_run(tmp_path)
    with lake.writing("test"), keeping_file_list(lake, is_repair=True):
        pass
    assert find_missing_files(lake) == []


def test_nothing_is_missing_after_a_run_that_kept_no_list(lake: Lake, tmp_path: Path) -> None:
    """An older version, or another machine over an object store, may have merged and removed files."""
    do_run(tmp_path, keeps_list=False)
    lake.list_files("runs")[0].unlink()
    assert find_missing_files(lake) == []


def test_nothing_is_missing_while_a_run_writes_or_after_it_was_killed(lake: Lake) -> None:
    """A run removes files that it replaces: its list goes before the first one."""
    with lake.writing("test"), keeping_file_list(lake):
        lake.list_files("runs")[0].unlink()
        assert find_missing_files(lake) == []
        assert not (lake.root / FILE_LIST).exists()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_in_a_repair_that_is_killed_only_that_is_missing_which_was_missing_before(
    lake: Lake, tmp_path: Path, is_damaged: bool
) -> None:
    """What the repair itself removed is no damage, and what it was started for is still known to the next one."""
    with lake.writing("test"), lake.commit() as change:
        for name, row in (("memory_lines", {"line_hash": "h"}), ("confirmations", {"target": "m-1", "name": "x"})):
            change.replace(name, pl.DataFrame([row]))
    do_run(tmp_path)
    lake.refresh()
    (lost,), (replaced,) = lake.list_files("memory_lines"), lake.list_files("confirmations")
    if is_damaged:
        lost.unlink()
    with lake.writing("test"), keeping_file_list(lake, is_repair=True):
        replaced.unlink()
        assert find_missing_files(lake) == ([lost] if is_damaged else [])


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'{"runs/x.parquet": "y"}'])
def test_a_damaged_list_misses_no_file(data: bytes, lake: Lake) -> None:
    """It is no truth: without it nobody knows what was there."""
    (lake.root / FILE_LIST).write_bytes(data)
    assert find_missing_files(lake) == []
