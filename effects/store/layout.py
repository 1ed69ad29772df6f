"""The folders of a table below the lake: one folder per table, one folder per day inside a daily table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from transforms.tables.definition import Table

EMPTY_DAY = date(1970, 1, 1)
"""Day of the empty file that every daily table has, so that a glob over a fresh lake matches and types `day` as a date."""

EMPTY_FILE, DATA_FILE = "empty.parquet", "data.parquet"

KEPT_FOLDER = "_held"
"""Folder of the lake with the rows of tables as a writer held them last, one file a table: `effects.store.table_files`."""

MOST_WRITTEN, MOST_WRITTEN_BYTES = 64, 500_000
"""Folders of a commit or a table, and bytes of the rows of each, that stay in memory until the next look at the table: a day of
entries may be as large as a table."""

Entries = list[os.DirEntry[str]]


@dataclass(slots=True)
class HeldTable:
    """The files of a table by folder, while its lake is held; folders that a commit changed are listed again when asked for."""

    entries: dict[str, Entries] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    rows: pl.DataFrame | None = None
    """All rows as `effects.store.table_files` read them; None when they were not read."""
    heights: dict[str, int] = field(default_factory=dict)
    """Rows of each folder in `rows`, in their order there."""
    unread: set[str] = field(default_factory=set)
    """Folders that changed since."""
    written: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Rows of changed folders as this process wrote them, each into the one file that the folder has: they need not be read."""
    content_key: str = ""
    """Key of the files as `effects.store.content_key` computed it; empty when they changed since."""


_held: dict[str, dict[str, HeldTable]] = {}
"""Tables by name, by the root of a lake that this process writes: nothing but its own commits changes them then."""
HELD_LOCK = RLock()
"""Held while a held table is brought up to date: windows are distilled by several threads."""


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
    folders = [name_partition_folder(root, table, day) for day in days]
    return sorted(Path(entry.path) for folder in folders for entry in _list_folder(folder) if entry.name.endswith(".parquet"))


@contextmanager
def holding_tables(root: Path) -> Iterator[None]:
    """List the files of a table below `root` once, and read small tables once, while the block, which writes alone, runs."""
    _held[str(root)] = {}
    try:
        yield
    finally:
        del _held[str(root)]


def find_held(root: Path, name: str) -> HeldTable | None:
    """Return a held table with the files that it has now; None where nobody holds the lake."""
    if (tables := _held.get(str(root))) is None:
        return None
    with HELD_LOCK:
        if (held := tables.get(name)) is None:
            held = tables[name] = HeldTable(_list_folders(str(root / name)))
        while held.changed:
            folder = held.changed.pop()
            held.unread.add(folder)
            held.content_key = ""
            others = {key: value for key, value in held.entries.items() if key != folder}
            held.entries = others | _list_folders(folder)
    return held


def list_held(root: Path) -> dict[str, HeldTable]:
    """Return the tables whose rows this process holds, by name."""
    return {name: held for name, held in _held.get(str(root), {}).items() if held.rows is not None}


def name_kept_file(root: Path, name: str) -> Path:
    """Return the path of the rows of a table as a writer held them last."""
    return root / KEPT_FOLDER / f"{name}.arrow"


def note_change(root: Path, path: Path) -> None:
    """Note that a file of a table below `root` is new, changed or gone. Whoever changes one of a lake in use calls this.

    The rows that were kept of the table are held from then on, and their file goes: no word stays in it that a purge took from
    the table.
    """
    name = path.relative_to(root).parts[0]
    if (kept := name_kept_file(root, name)).exists():
        if str(root) in _held:
            from effects.store.table_files import read_held_rows

            read_held_rows(root, find_table(name))
        kept.unlink(missing_ok=True)
    if held := _held.get(str(root), {}).get(name):
        held.changed.add(str(path.parent))
        held.written.pop(str(path.parent), None)


def note_rows(root: Path, name: str, folder: Path, rows: pl.DataFrame) -> None:
    """Note the rows that the file of a folder has now, after `note_change`; a table that nobody reads as a whole keeps none."""
    held = _held.get(str(root), {}).get(name)
    if held and held.rows is not None and len(held.written) < MOST_WRITTEN:
        held.written[str(folder)] = rows


def list_entries(root: Path, name: str) -> list[tuple[str, os.DirEntry[str]]]:
    """Return the Parquet files of a table with their folders, sorted; several times as fast as pathlib for thousands of days."""
    held = find_held(root, name)
    folders = held.entries if held else _list_folders(str(root / name))
    return [(folder, entry) for folder in sorted(folders) for entry in folders[folder]]


def _list_folders(top: str) -> dict[str, Entries]:
    """Return the Parquet files below a folder by their folders, sorted by name within each."""
    folders: dict[str, Entries] = {}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        listed = _list_folder(folder)
        if files := sorted((entry for entry in listed if entry.name.endswith(".parquet")), key=lambda entry: entry.name):
            folders[folder] = files
        waiting += [entry.path for entry in listed if "." not in entry.name and entry.is_dir(follow_symlinks=False)]
    return folders


def _list_folder(folder: str | Path) -> Entries:
    """Return what is in a folder; nothing where it is not there: nothing was ever written, or a commit removed it meanwhile.

    Raises:
        PermissionError: when this user may not list it: it is not empty.
    """
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except PermissionError:
        raise
    except OSError:
        return []


def list_days(root: Path, name: str) -> list[date]:
    """Return the days of a daily table that have a folder, sorted."""
    names = (entry.name.removeprefix("day=") for entry in _list_folder(root / name) if entry.name.startswith("day="))
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
