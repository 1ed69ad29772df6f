"""Finds the session that a file of Claude Code continues when the client copied its lines under a session id of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest.commit import LakeState
from effects.ingest.plan import ReadTask
from transforms.reading.timestamps import parse_time
from transforms.tables.rows import SessionRow

ONE_DAY = timedelta(days=1)


def name_origins(tasks: Sequence[ReadTask], state: LakeState) -> list[ReadTask]:
    """Return the tasks with the parent of each resumed copy in its header.

    The client gives a line the same id in every copy, and some versions do not name the session that it is from. So a new file
    continues the session in which its first line was read before, the longest of several; of new files with the same first
    line each continues the next shorter one, or a longer one that was read before it. What was found once stays.

    Raises:
        LakeError: when the stored entries cannot be read.
    """
    orphans = [task for task in tasks if task.header.first_id and not task.header.parent_session]
    if not orphans:
        return [*tasks]
    new = [task for task in orphans if task.header.session_id not in state.sessions]
    origins = {
        task.header.session_id: row["parent_session"]
        for task in orphans
        if (row := state.sessions.get(task.header.session_id)) and row["parent_session"]
    }
    longest = _find_stored(new, state)
    for task in sorted(new, key=lambda task: (task.file.size, task.file.path)):
        first_id = task.header.first_id or ""
        size, longest_id = longest.get(first_id, (0, ""))
        if longest_id:
            origins[task.header.session_id] = longest_id
        if task.file.size >= size:  # else that one has the lines of this one, and of the next
            longest[first_id] = task.file.size, task.header.session_id
    return [
        replace(task, header=replace(task.header, parent_session=origin))
        if (origin := origins.get(task.header.session_id))
        else task
        for task in tasks
    ]


def _find_stored(tasks: Iterable[ReadTask], state: LakeState) -> dict[str, tuple[int, str]]:
    """Return by the id of a line the longest stored session that has it, behind the bytes of its file.

    It is looked for in the days around its time.
    """
    ids = {task.header.first_id for task in tasks}
    days = sorted({day for task in tasks for day in _list_days(task, state.zone)} & {*state.lake.list_days("entries")})
    if not days:
        return {}
    scan = state.lake.scan("entries", days).filter(pl.col("entry_id").is_in([*ids])).select("entry_id", "session_id").unique()
    pairs = state.lake.collect(scan, "entries").iter_rows()
    sized = [(_measure_stored(row, state), own, line) for line, own in pairs if (row := state.sessions.get(own))]
    return {line: (size, own) for size, own, line in sorted(sized) if not state.sessions[own]["is_subagent"]}


def _measure_stored(session: SessionRow, state: LakeState) -> int:
    """Return the bytes that were read of a session's file, also when less is left of it."""
    source = state.sources.get(session["source_path"])
    return max(source["size"], source["consumed_bytes"]) if source else 0


def _list_days(task: ReadTask, zone: ZoneInfo) -> tuple[date, ...]:
    """Return the days in which the first line of a file may be: that of its time, and its neighbours in another zone."""
    said_at = parse_time(task.header.first_said_at, task.latest)
    if said_at is None:
        return ()
    day = said_at.astimezone(zone).date()
    return day - ONE_DAY, day, day + ONE_DAY
