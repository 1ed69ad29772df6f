"""Reads from an owner's lake where his memory stands: numbers only."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl

from effects.fleet.fleet_file import LAKE, FleetOwner, find_place, list_owner_files
from effects.store.forgotten import read_holding_facts
from effects.store.lake import Lake
from effects.system.errors import RecollectError
from transforms.fleet.fleet_report import OwnerFigures

THIRTY_DAYS = timedelta(days=30)


def read_owner_figures(owner: FleetOwner, as_of: datetime) -> OwnerFigures:
    """Return the figures of an owner; zeros for a lake that is not there yet, or cannot be read.

    Also of one for whom nothing may be run: what waits for him grows meanwhile.
    """
    figures: OwnerFigures = {
        "owner": owner.name, "sessions": 0, "observations": 0, "last_night_at": None, "waiting_files": 0, "failed_windows": 0,
        "waiting_windows": 0, "spent_today_usd": 0.0, "spent_30_days_usd": 0.0, "lake_mb": 0.0,
    }  # fmt: skip
    lake = Lake(owner.home / LAKE)
    try:
        if lake.exists() and _is_plain(owner, lake):
            _add_lake_figures(figures, lake, as_of)
        figures["waiting_files"] = _count_waiting(owner, lake)
    except (pl.exceptions.PolarsError, OSError, RecollectError):  # the run of this owner failed, too, and says why
        return figures
    return figures


def _is_plain(owner: FleetOwner, lake: Lake) -> bool:
    """Whether all tables are files of this home: a pipe in their place is never filled, and a link leads to somebody else's."""
    own = find_place(owner.home)
    paths = (Path(folder) / name for folder, folders, names in os.walk(lake.root) for name in [*folders, *names])
    return all((path.is_file() or path.is_dir()) and find_place(path).is_relative_to(own) for path in paths)


def _add_lake_figures(figures: OwnerFigures, lake: Lake, as_of: datetime) -> None:
    runs = lake.scan("runs").filter(pl.col("error") == "", pl.col("flow").is_in(["nightly", "backfill"]))
    last = runs.select(pl.col("as_of").max()).collect().item()
    calls = lake.scan("model_calls").filter(pl.col("at") > as_of - THIRTY_DAYS).select("at", "cost_usd").collect()
    is_subagent = pl.col("is_subagent").fill_null(value=False)
    figures["sessions"] = int(lake.scan("sessions").filter(~is_subagent).select(pl.len()).collect().item())
    figures["observations"] = read_holding_facts(lake).height
    is_due = (pl.col("status") == "pending") & (pl.col("reason").fill_null("") == "")
    windows = (
        lake.scan("windows").select((pl.col("status") == "failed").sum().alias("failed"), is_due.sum().alias("due")).collect()
    )
    figures["failed_windows"], figures["waiting_windows"] = (int(count) for count in windows.row(0))
    figures["last_night_at"] = last.isoformat() if last else None
    figures["spent_today_usd"] = round(float(calls.filter(pl.col("at").dt.date() == as_of.date())["cost_usd"].sum()), 6)
    figures["spent_30_days_usd"] = round(float(calls["cost_usd"].sum()), 6)
    sizes = ((os.lstat(os.path.join(folder, name)).st_size) for folder, _, names in os.walk(lake.root) for name in names)  # noqa: PTH118
    figures["lake_mb"] = round(sum(sizes) / 1e6, 1)


def _count_waiting(owner: FleetOwner, lake: Lake) -> int:
    """Return how many session files changed since they were read."""
    rows = lake.scan("sources").select("path", "size", "mtime_ns").collect().iter_rows() if lake.exists() else ()
    read = {path: (size, changed) for path, size, changed in rows}
    return sum(read.get(file.path) != (file.size, file.mtime_ns) for file in list_owner_files(owner))
