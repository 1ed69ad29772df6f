"""The folders of a table below the lake: one folder per table, one folder per day inside a daily table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transforms.tables.definition import Table

EMPTY_DAY = date(1970, 1, 1)
"""Day of the empty file that every daily table has, so that a glob over a fresh lake matches and types `day` as a date."""

EMPTY_FILE, DATA_FILE = "empty.parquet", "data.parquet"


def find_table(name: str) -> Table[Any]:
    """Return the definition of a table. It is imported on first use: `recollect ask` reads the index and starts without it."""
    from transforms.tables.schema import TABLES

    return TABLES[name]


def name_partition_folder(root: Path, table: Table[Any], day: date | None) -> Path:
    """Return the folder of a partition.

    Raises:
        ValueError: when a daily table gets no day, or another table gets one.
    """
    if table.is_daily != (day is not None):
        raise ValueError(f"`{table.name}`: a day is {'needed' if table.is_daily else 'not allowed'}")
    return root / table.name / f"day={day.isoformat()}" if day else root / table.name


def list_files(root: Path, name: str, days: Sequence[date] | None = None) -> list[Path]:
    """Return the Parquet files of a table, or of some of its days, sorted."""
    if days is None:
        return [Path(folder, entry.name) for folder, entry in list_entries(root, name)]
    table = find_table(name)
    return sorted(path for day in days for path in name_partition_folder(root, table, day).glob("*.parquet"))


def list_entries(root: Path, name: str) -> list[tuple[str, os.DirEntry[str]]]:
    """Return the Parquet files of a table with their folders, sorted; several times as fast as pathlib for thousands of days."""
    places: list[tuple[str, os.DirEntry[str]]] = []
    waiting = [str(root / name)]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:  # as if it were not there: nothing was ever written, or a commit removed it meanwhile
            continue
        places += [(folder, entry) for entry in listed if entry.name.endswith(".parquet")]
        waiting += [entry.path for entry in listed if "." not in entry.name and entry.is_dir(follow_symlinks=False)]
    return sorted(places, key=lambda place: (place[0], place[1].name))


def list_days(root: Path, name: str) -> list[date]:
    """Return the days of a daily table that have a folder, sorted."""
    names = (path.name.removeprefix("day=") for path in (root / name).glob("day=*"))
    return sorted(day for name in names if (day := date.fromisoformat(name)) != EMPTY_DAY)


def fingerprint_partitions(root: Path, name: str) -> dict[date | None, str]:
    """Return names, sizes and times of a table's files by day (None for a table without days); a changed file changes them."""
    folder = root / name
    if not folder.is_dir():
        return {}
    if not find_table(name).is_daily:
        return {None: _fingerprint_folder(folder)}
    with os.scandir(folder) as entries:  # faster than pathlib's glob for thousands of days
        days = [(entry.name.removeprefix("day="), entry.path) for entry in entries if entry.name.startswith("day=")]
    return {date.fromisoformat(day): _fingerprint_folder(path) for day, path in sorted(days) if day != EMPTY_DAY.isoformat()}


def _fingerprint_folder(folder: str | Path) -> str:
    with os.scandir(folder) as entries:
        files = sorted((entry.name, entry.stat()) for entry in entries if entry.name.endswith(".parquet"))
    return ";".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in files)
