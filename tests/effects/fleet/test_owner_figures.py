"""The figures of an owner are counted in his lake, and an owner without one has zeros."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl

from effects.fleet.fleet_file import LAKE, FleetOwner
from effects.fleet.owner_figures import read_owner_figures
from effects.store.lake import Lake
from transforms.tables.schema import TABLES

AT = datetime(2026, 5, 20, tzinfo=UTC)
DAY = date(2026, 5, 19)


def test_windows_that_failed_and_windows_that_wait_are_counted_apart(tmp_path: Path) -> None:
    """A window that was skipped for a reason waits for nothing; one whose model could not be asked does."""
    states = [("pending", None), ("pending", ""), ("pending", "too short"), ("distilled", None), ("failed", "no JSON")]
    lake, windows = Lake(tmp_path / LAKE), TABLES["windows"]
    rows = [{"window_id": f"w{at}", "status": status, "reason": reason} for at, (status, reason) in enumerate(states)]
    frame = pl.concat([windows.make_empty().drop("schema_version"), pl.DataFrame(rows)], how="diagonal_relaxed")
    with lake.writing("test"), lake.commit() as change:
        change.replace("windows", frame.with_columns(day=pl.lit(DAY)), DAY)
    figures = read_owner_figures(FleetOwner("ana", tmp_path), AT)
    assert (figures["failed_windows"], figures["waiting_windows"]) == (1, 2)
    assert read_owner_figures(FleetOwner("ana", tmp_path, "his settings cannot be read"), AT) == figures


def test_an_owner_without_a_lake_has_zeros(tmp_path: Path) -> None:
    figures = read_owner_figures(FleetOwner("ana", tmp_path), AT)
    assert (figures["sessions"], figures["waiting_windows"], figures["last_night_at"]) == (0, 0, None)


def test_a_lake_with_a_pipe_or_with_another_owners_table_is_not_read(tmp_path: Path) -> None:
    for name in ("ana", "bo"):
        lake = Lake(tmp_path / name / LAKE)
        with lake.writing("test"), lake.commit() as change:
            change.replace("proposals", TABLES["proposals"].make_empty().drop("schema_version"))
        (lake.root / "pad").write_bytes(b"x" * 200_000)
    assert read_owner_figures(FleetOwner("ana", tmp_path / "ana"), AT)["lake_mb"] > 0
    table = tmp_path / "bo" / LAKE / "runs"
    shutil.rmtree(table, ignore_errors=True)
    table.mkdir()
    os.mkfifo(table / "data.parquet")
    assert read_owner_figures(FleetOwner("bo", tmp_path / "bo"), AT)["lake_mb"] == 0.0
    shutil.rmtree(table)
    table.symlink_to(tmp_path / "ana" / LAKE)
    assert read_owner_figures(FleetOwner("bo", tmp_path / "bo"), AT)["lake_mb"] == 0.0
