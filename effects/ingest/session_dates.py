"""Finds the session files of a span of days by the time in their header, without reading the rest of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import orjson

from effects.store.run import Run

HEADER_BYTES = 65_536
"""A header is one short line; a file whose first line is longer is dated by its name or its modification time."""


def find_sessions_between(run: Run, since: date, until: date | None = None) -> list[tuple[date, Path]]:
    """Return the session files that began from `since` to `until` (both included, the owner's days), oldest first."""
    last = until or date.max
    dated_files = [(read_start_day(path, run), path) for root in run.settings.sessions for path in _list_files(root)]
    return sorted((day, path) for day, path in set(dated_files) if since <= day <= last)


def read_start_day(path: Path, run: Run) -> date:
    """Return the owner's day on which a session began: its header's time, else its first entry's, else the file's."""
    return read_start_time(path).astimezone(run.zone).date()


def read_start_time(path: Path) -> datetime:
    """Return the first time in the head of the file; without one, the modification time."""
    with path.open("rb") as handle:
        head = handle.read(HEADER_BYTES)
    for line in head.split(b"\n"):
        try:
            timestamp = orjson.loads(line).get("timestamp")
            started_at = datetime.fromisoformat(timestamp) if isinstance(timestamp, str) else None
        except (ValueError, AttributeError):  # a damaged or cut line: the next one may have a time
            continue
        if started_at:
            return started_at if started_at.tzinfo else started_at.replace(tzinfo=UTC)
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _list_files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    return [path for path in root.rglob("*.jsonl") if path.is_file()]
