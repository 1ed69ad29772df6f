"""Finds the damage in a lake: Parquet files, lists of commits, notes of the queue and of paid requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from effects.engines.call_notes import list_damaged_calls
from effects.health.file_list import find_missing_files
from effects.health.refused_files import RefusedError, check_access, explain_refusal
from effects.ingest.waiting_sessions import list_damaged_notes
from effects.store.lake import Lake
from effects.store.layout import EMPTY_DAY
from effects.store.redo_log import list_damaged_commits
from effects.store.table_files import PANIC, find_fault
from effects.system.disk_errors import DiskError
from effects.system.errors import LakeError
from transforms.tables.schema import TABLES

REPAIR = "recollect rebuild lake"
NAMED = 3
"""Damaged files that a message names."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged file (or the folder of a commit), its fault in words, and its table and day when it has them."""

    path: Path
    fault: str
    table: str = ""
    day: date | None = None


def find_damage(lake: Lake) -> list[Damage]:
    """Return everything that is damaged; each file of the lake is read.

    Raises:
        RefusedError: when the system refuses to let this user read some of it: that is no damage.
    """
    return [*find_damaged_files(lake), *_find_damaged_notes(lake)]


def find_damaged_files(lake: Lake) -> Iterator[Damage]:
    """Yield the Parquet files that cannot be read, that another program changed or moved to another day, or that are gone.

    Raises:
        RefusedError: when this user may not read some of the lake.
    """
    check_access(lake)
    for table in TABLES.values():
        for path in lake.list_files(table.name):
            day = _read_day(path) if table.is_daily else None
            if fault := find_fault(path, table, day):
                yield Damage(path, fault, table.name, day)
    for path in find_missing_files(lake):
        table_name = path.relative_to(lake.root).parts[0]
        yield Damage(path, "is missing since the last run", table_name, _read_day(path))


def describe_damage(damages: list[Damage]) -> str:
    """Return the first few faults in one line."""
    named = [f"{damage.path} {damage.fault}" for damage in damages[:NAMED]]
    more = len(damages) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


@contextmanager
def explaining_damage(lake: Lake) -> Iterator[None]:
    """Raise errors whose reason is a damaged file as the error about this file.

    Raises:
        LakeError: naming the files and the command that repairs the lake.
    """
    try:
        yield
    except BaseException as error:
        if explained := explain_damage(lake, error):
            raise explained from error
        raise


def explain_damage(lake: Lake, error: BaseException) -> LakeError | None:
    """Return the error for people about damaged files, when they may be the reason of an error; None when there are none.

    Polars raises no `Exception` where its own code fails at a damaged file.
    """
    if isinstance(error, RefusedError):
        return error
    is_of_reader = isinstance(error, pl.exceptions.PolarsError | LakeError) or type(error).__name__ == PANIC
    is_of_reader = is_of_reader or "parquet" in str(error).lower()
    if (is_of_reader or isinstance(error, PermissionError)) and (refused := explain_refusal(lake)):
        return refused
    if isinstance(error, DiskError) or not is_of_reader:
        return None
    with suppress(OSError):
        if damages := list(find_damaged_files(lake)):
            return LakeError(describe_damage(damages), REPAIR)
    return None


def _find_damaged_notes(lake: Lake) -> Iterator[Damage]:
    for path in list_damaged_commits(lake.root):
        yield Damage(path, "is an unfinished commit with an unreadable list")
    for path in (*list_damaged_notes(lake), *list_damaged_calls(lake)):
        yield Damage(path, "cannot be read")


def _read_day(path: Path) -> date | None:
    """Return the day of a partition's folder; None for the folder of the empty file, whose day is none."""
    try:
        day = date.fromisoformat(path.parent.name.removeprefix("day="))
    except ValueError:
        return None
    return None if day == EMPTY_DAY else day
