"""Whole new sessions and all their relatives → Parquet files of their days, without the state of the lake.

Several processes can do this at the same time; `commit_parts` takes their files into the lake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest.plan import ReadTask, refuse_for_now
from effects.ingest.read_file import NO_ENTRIES, SecretsBefore, SessionUpdate, make_pending_rows, read_session_update
from effects.store.lake import Lake
from effects.store.table_files import write_rows
from effects.system.errors import LakeError
from transforms.reading.entry_rows import add_tree_columns
from transforms.reading.session_header import SessionHeader
from transforms.reading.session_row import (
    SessionSummary,
    find_copied_rows,
    find_origins,
    summarise_empty_session,
    summarise_sessions,
)
from transforms.redaction.redact import NO_SECRETS
from transforms.tables import schema
from transforms.tables.rows import QuarantineRow, SourceRow

ReadAgain = Callable[[ReadTask, Mapping[str, str]], SessionUpdate]
"""Reads a whole file anew, with secrets that its entries gave away."""

FILL_BYTES = 8_000_000
"""Bytes of parsed files that become rows together."""


@dataclass(frozen=True, slots=True)
class PartTask:
    """New sessions to be read, and the folder on the lake's file system for their rows.

    `parents` are the ids of their parents; all sessions that share entries are in the same task. `known_secrets` go wherever
    they stand.
    """

    tasks: list[ReadTask]
    parents: dict[str, str | None]
    zone: ZoneInfo
    lake_root: Path
    folder: Path
    known_secrets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NewSession:
    """A new session: its computed columns, its row of `sources`, its rows of `quarantine`."""

    header: SessionHeader
    session: SessionSummary
    source: SourceRow
    damage: list[QuarantineRow]
    entry_count: int
    secrets: int


@dataclass(frozen=True, slots=True)
class SessionPart:
    """New sessions as files of `entries`, one per day, with the columns of the table. `failed` could not be read."""

    gains: list[NewSession]
    failed: dict[str, SourceRow]
    files: dict[date, Path]
    folder: Path


def write_part(part_task: PartTask) -> SessionPart:
    """Read the sessions and write their rows. One bad file does not stop the others: it is named and tried again later."""
    lake = Lake(part_task.lake_root)
    updates: list[SessionUpdate] = []
    failed: dict[str, SourceRow] = {}
    for tasks in _split_tasks(part_task.tasks):
        waiting = _read_new_files(tasks, lake, part_task, failed)
        updates += complete_updates(waiting, {}, failed, part_task.known_secrets, partial(_read_new_file, lake, part_task))
    return _write_updates(updates, failed, part_task)


def _read_new_files(
    tasks: list[ReadTask], lake: Lake, part_task: PartTask, failed: dict[str, SourceRow]
) -> list[tuple[ReadTask, SessionUpdate]]:
    updates: list[tuple[ReadTask, SessionUpdate]] = []
    for task in tasks:
        try:
            updates.append((task, _read_new_file(lake, part_task, task)))
        except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
            failed[task.file.path] = refuse_for_now(task.file, None, error)
    return updates


def _read_new_file(lake: Lake, part_task: PartTask, task: ReadTask, given_away: Mapping[str, str] = NO_SECRETS) -> SessionUpdate:
    return read_session_update(task, None, False, lake, part_task.zone, [], SecretsBefore(part_task.known_secrets, given_away))


def _split_tasks(tasks: list[ReadTask]) -> Iterator[list[ReadTask]]:
    batch: list[ReadTask] = []
    size = 0
    for task in tasks:
        batch.append(task)
        size += task.file.size
        if size >= FILL_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def complete_updates(
    waiting: list[tuple[ReadTask, SessionUpdate]],
    known: dict[str, SourceRow],
    failed: dict[str, SourceRow],
    known_secrets: Mapping[str, str],
    read_again: ReadAgain | None,
) -> list[SessionUpdate]:
    """Return the updates with their rows, made together; when that fails each file is tried alone, to find the bad one.

    `known` are the rows of `sources` so far, by path; the bad ones are put into `failed`. A file whose later entries gave away
    secrets that its earlier ones may hold is read once more, with these.
    """
    if not waiting:
        return []
    try:
        make_pending_rows([update for _, update in waiting], known_secrets)
    except Exception as error:  # noqa: BLE001  # as above
        if len(waiting) > 1:
            return [update for pair in waiting for update in complete_updates([pair], known, failed, known_secrets, read_again)]
        file = waiting[0][0].file
        failed[file.path] = refuse_for_now(file, known.get(file.path), error)
        return []
    updates: list[SessionUpdate] = []
    for task, update in waiting:
        if read_again is None or not update.must_read_again:
            updates.append(update)
            continue
        try:
            again = [(task, read_again(task, update.given_away))]
        except LakeError:  # the lake is damaged or the disk is full: the fault is not this session's
            raise
        except Exception as error:  # noqa: BLE001  # as above
            failed[task.file.path] = refuse_for_now(task.file, known.get(task.file.path), error)
        else:
            updates += complete_updates(again, known, failed, known_secrets, None)
    return updates


def _write_updates(updates: list[SessionUpdate], failed: dict[str, SourceRow], part_task: PartTask) -> SessionPart:
    sizes = [update.fresh.height for update in updates]
    frame = pl.concat([NO_ENTRIES, *(update.fresh for update in updates)])
    copied = _find_copied_rows(updates, part_task.parents)
    for update in updates:
        update.fresh = NO_ENTRIES  # its rows are in the frame: they are not kept twice
    frame = add_tree_columns(frame, sizes, copied)
    sessions = summarise_sessions(frame, part_task.zone)
    gains = []
    for update, size in zip(updates, sizes, strict=True):
        assert update.header is not None  # as every update of a whole file
        assert update.source is not None
        session = sessions.get(update.session_id)
        session = session or summarise_empty_session(update.began_at, part_task.zone)
        gains.append(NewSession(update.header, session, update.source, update.damage, size, update.secrets))
    return SessionPart(gains, failed, _write_day_files(frame, part_task.folder), part_task.folder)


def _find_copied_rows(updates: list[SessionUpdate], parents: dict[str, str | None]) -> set[int]:
    """Return the numbers of the rows that forks share with their origins; the rows of all updates are counted on."""
    parent_by_session = {update.session_id: parents[update.session_id] for update in updates}
    rows_by_session = {update.session_id: update.fresh for update in updates}
    copied: set[int] = set()
    start = 0
    for update in updates:
        origins = find_origins(update.session_id, parent_by_session)
        if origins:
            own_copies = find_copied_rows(update.fresh, [rows_by_session[origin] for origin in origins])
            copied |= {start + row for row in own_copies}
        start += update.fresh.height
    return copied


def _write_day_files(frame: pl.DataFrame, folder: Path) -> dict[date, Path]:
    """Write the rows of each day to a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = schema.conform(schema.ENTRIES, frame)
    files: dict[date, Path] = {}
    for (day,), part in rows.partition_by("day", as_dict=True, maintain_order=True).items():
        files[day] = folder / f"{day.isoformat()}.staged"
        write_rows(part, files[day], schema.ENTRIES)
    return files
