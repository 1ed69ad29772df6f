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

from effects.ingest.plan import ReadTask, SourceRow, refused_later
from effects.ingest.read_file import NO_ENTRIES, Update, fill, read_update
from effects.store.lake import Lake
from effects.store.table_files import write_rows
from transforms.reading.entry_rows import add_tree_columns
from transforms.reading.pi.session_header import SessionHeader
from transforms.reading.session_row import (
    SessionSummary,
    find_copied_rows,
    origins_of,
    summarise_empty_session,
    summarise_sessions,
)
from transforms.reading.timestamps import EPOCH, parse_time
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

    header: SessionHeader
    session: SessionSummary
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
    updates: list[Update] = []
    failed: dict[str, SourceRow] = {}
    for tasks in _fills(given.tasks):
        updates += filled(_read_new_files(tasks, lake, given.zone, failed), {}, failed)
    return _written(updates, failed, given)


def _read_new_files(
    tasks: list[ReadTask], lake: Lake, zone: ZoneInfo, failed: dict[str, SourceRow]
) -> list[tuple[ReadTask, Update]]:
    updates: list[tuple[ReadTask, Update]] = []
    for task in tasks:
        try:
            updates.append((task, read_update(task, None, False, lake, zone, [])))
        except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
            failed[task.file.path] = refused_later(task.file, None, error)
    return updates


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
    sizes = [update.fresh.height for update in updates]
    frame = pl.concat([NO_ENTRIES, *(update.fresh for update in updates)])
    copied = _find_copied_rows(updates, given.parents)
    for update in updates:
        update.fresh = NO_ENTRIES  # its rows are in the frame: they are not kept twice
    frame = add_tree_columns(frame, sizes, copied)
    sessions = summarise_sessions(frame, given.zone)
    gains = []
    for update, size in zip(updates, sizes, strict=True):
        assert update.header is not None  # as every update of a whole file
        assert update.source is not None
        session = sessions.get(update.session_id)
        session = session or summarise_empty_session(parse_time(update.header.timestamp) or EPOCH, given.zone)
        gains.append(Gain(update.header, session, update.source, update.damage, size, update.secrets))
    return Part(gains, failed, _files(frame, given.folder), given.folder)


def _find_copied_rows(updates: list[Update], parents: dict[str, str | None]) -> set[int]:
    """The numbers of the rows that forks share with their origins, with the rows of all updates below each other."""
    parent_by_session = {update.session_id: parents[update.session_id] for update in updates}
    rows_by_session = {update.session_id: update.fresh for update in updates}
    copied: set[int] = set()
    start = 0
    for update in updates:
        origins = origins_of(update.session_id, parent_by_session)
        if origins:
            own_copies = find_copied_rows(update.fresh, [rows_by_session[origin] for origin in origins])
            copied |= {start + row for row in own_copies}
        start += update.fresh.height
    return copied


def _files(frame: pl.DataFrame, folder: Path) -> dict[date, Path]:
    """Writes the rows of each day to a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = schema.conform(schema.ENTRIES, frame)
    found: dict[date, Path] = {}
    for (day,), part in rows.partition_by("day", as_dict=True, maintain_order=True).items():
        found[day] = folder / f"{day.isoformat()}.staged"
        write_rows(part, found[day])
    return found
