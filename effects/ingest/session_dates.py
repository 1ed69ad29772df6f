"""Finds the session files of a span of days by the time in their header, without reading the rest of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import orjson

from effects.ingest.session_files import find_session_files, open_session, stat_file
from effects.store.run import Run
from transforms.reading.timestamps import parse_time

HEADER_BYTES = 65_536
"""A header is one short line; a file whose first line is longer is dated by its name or its modification time."""


def find_sessions_between(run: Run, since: date, until: date | None = None) -> list[tuple[date, Path]]:
    """Return the session files that began from `since` to `until` (both included, the owner's days), oldest first.

    Raises:
        SourceError: when there is no sessions folder, or no session file in it.
    """
    last = until or date.max
    paths = [Path(file.path) for file in find_session_files(run.settings).files]
    dated_files = [(read_start_day(path, run), path) for path in paths]
    return sorted((day, path) for day, path in dated_files if since <= day <= last)


def read_start_day(path: Path, run: Run) -> date:
    """Return the owner's day on which a session began: its header's time, else its first entry's, else the file's."""
    return read_start_time(path).astimezone(run.zone).date()


def read_start_time(path: Path) -> datetime:
    """Return the first time in the head of the file; without one, or when it cannot be read, the modification time."""
    try:
        with open_session(path) as handle:
            head = handle.read(HEADER_BYTES)
    except OSError:  # ingest will say so
        head = b""
    for line in head.split(b"\n"):
        try:
            timestamp = orjson.loads(line).get("timestamp")
            started_at = parse_time(timestamp)
        except (ValueError, AttributeError):  # a damaged or cut line: the next one may have a time
            continue
        if started_at:
            return started_at
    file = stat_file(path)
    return datetime.fromtimestamp(file.mtime_ns / 1e9 if file else 0, UTC)
