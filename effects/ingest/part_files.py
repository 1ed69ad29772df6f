"""Whole new sessions and all their relatives → Parquet files of their days, without the state of the lake.

Several processes can do this side by side; what they bring is taken into the lake by `commit_parts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest.bulk_read import read_together
from effects.ingest.plan import ReadTask, SourceRow, refused_later
from effects.ingest.read_file import NO_ENTRIES, Update, fill
from effects.store.lake import Lake, write_rows
from effects.system.bulk_memory import collector_paused
from transforms.reading.entry_rows import tree_columns, trees_of_new
from transforms.reading.entry_text import parse_time
from transforms.reading.parse import Header
from transforms.reading.session_row import copied_ordinals, origins_of, session_row, session_rows
from transforms.reading.timestamps import EPOCH
from transforms.tables import schema

FILL_BYTES = 8_000_000
"""Files are parsed until this much waits, then become rows together."""


@dataclass(frozen=True, slots=True)
class PartTask:
    """New sessions to be read, and the folder on the lake's file system where their rows are put.

    `parents` are the ids of their parents; whoever shares entries with one of them is among them.
    """

    tasks: list[ReadTask]
    parents: dict[str, str | None]
    zone: ZoneInfo
    lake_root: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Gain:
    """What one file brought: the computed columns of its session, its row of `sources`, rows of `quarantine`."""

    header: Header
    session: dict[str, Any]
    source: SourceRow
    damage: list[dict[str, Any]]
    entry_count: int
    secrets: int


@dataclass(frozen=True, slots=True)
class Part:
    """What some new sessions bring: a file of `entries` per day, in the shape of the table. `failed` could not be read."""

    gains: list[Gain]
    failed: dict[str, SourceRow]
    files: dict[date, Path]
    folder: Path


def make_part(given: PartTask) -> Part:
    """Reads the sessions and writes their rows. One bad file does not stop the others: it is named and tried again later."""
    lake = Lake(given.lake_root)
    with collector_paused():
        return _made(given, lake)


def _made(given: PartTask, lake: Lake) -> Part:
    updates: list[Update] = []
    failed: dict[str, SourceRow] = {}
    for tasks in _fills(given.tasks):
        updates += filled(read_together(tasks, lake, given.zone, failed), {}, failed)
    return _written(updates, failed, given)


def _fills(tasks: list[ReadTask]) -> Iterator[list[ReadTask]]:
    some: list[ReadTask] = []
    size = 0
    for task in tasks:
        some.append(task)
        size += task.file.size
        if size >= FILL_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def filled(waiting: list[tuple[ReadTask, Update]], known: dict[str, SourceRow], failed: dict[str, SourceRow]) -> list[Update]:
    """The updates with their rows, made together; when that fails each file is tried alone, to find the bad one.

    `known` are the rows of `sources` so far, by path; the bad ones are put into `failed`.
    """
    if not waiting:
        return []
    try:
        fill([update for _, update in waiting])
    except Exception as error:  # noqa: BLE001  # as above
        if len(waiting) > 1:
            return [update for one in waiting for update in filled([one], known, failed)]
        file = waiting[0][0].file
        failed[file.path] = refused_later(file, known.get(file.path), error)
        return []
    return [update for _, update in waiting]


def _written(updates: list[Update], failed: dict[str, SourceRow], given: PartTask) -> Part:
    forks = _forks(updates, given.parents)
    some = [update for update in updates if update.fresh.height and update.session_id not in forks]
    frame = pl.concat([NO_ENTRIES, *(update.fresh for update in some)])
    sizes = [update.fresh.height for update in some]
    counts = {update.session_id: update.fresh.height for update in updates}
    for update in updates:
        update.fresh = NO_ENTRIES  # 60 MB of sessions are 150 MB of rows: they are not kept twice
    frame = trees_of_new(frame, sizes)
    sessions = session_rows(frame, given.zone)
    gains = []
    for update in updates:
        assert update.header is not None  # as every update of a whole file
        assert update.source is not None
        own, begun = update.session_id, parse_time(update.header.timestamp) or EPOCH
        session = sessions.get(own) or session_row(forks.get(own, NO_ENTRIES), given.zone, begun)
        gains.append(Gain(update.header, session, update.source, update.damage, counts[own], update.secrets))
    return Part(gains, failed, _files(pl.concat([frame, *forks.values()]), given.folder), given.folder)


def _forks(updates: list[Update], parents: dict[str, str | None]) -> dict[str, pl.DataFrame]:
    """The rows of sessions that have a parent, with what they copied marked."""
    here = {update.session_id: parents[update.session_id] for update in updates}
    fresh = {update.session_id: update.fresh for update in updates}
    origins = {own: origins_of(own, here) for own, parent in here.items() if parent is not None}
    return {
        own: tree_columns(fresh[own], copied_ordinals(fresh[own], [fresh[origin] for origin in found]))
        for own, found in origins.items()
        if found
    }


def _files(frame: pl.DataFrame, folder: Path) -> dict[date, Path]:
    """Writes the rows of each day to a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = schema.conform(schema.ENTRIES, frame)
    found: dict[date, Path] = {}
    for (day,), part in rows.partition_by("day", as_dict=True, maintain_order=True).items():
        found[day] = folder / f"{day.isoformat()}.staged"
        write_rows(part, found[day])
    return found
