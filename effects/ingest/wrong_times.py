"""Files whose entries have times of a clock that is or was set wrong: those of sessions, or that of a night."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

import polars as pl

from effects.store.run import AHEAD
from transforms.reading.timestamps import EPOCH, LATEST, parse_time, read_file_time
from transforms.tables.rows import SourceRow

UNREAD_TIME_RULE, FUTURE_TIME_RULE = "unread_time", "future_time"
"""Rules of a line whose time cannot be read, or which a clock that is set wrong wrote; the detail is what stands there."""
MOST_BEHIND = timedelta(days=60)
"""By as much a night's clock is behind, rather than that of a session ahead: what was read before keeps its times."""
MIN_FILES = 3
"""Files of later days that a night needs to take its own clock for the wrong one."""


def find_trusted_latest(written: Collection[int], latest: datetime) -> tuple[datetime, list[str]]:
    """Return before which the entries of files were written, and in a sentence when the clock of this night is the wrong one.

    That is when most files were `written` after `latest`: the times in them are then taken as they are.
    """
    limit = latest.timestamp() * 1e9
    ahead = sum(mtime_ns > limit for mtime_ns in written)
    if ahead < MIN_FILES or 2 * ahead <= len(written):
        return latest, []
    now = f"{latest - AHEAD:%Y-%m-%d %H:%M} UTC"
    return LATEST, [f"the clock of this machine says {now}, but {ahead} of {len(written)} session files are of later days"]


def list_mistimed(known: Mapping[str, SourceRow], quarantine: pl.DataFrame, latest: datetime) -> frozenset[str]:
    """Return the files to read once more: with wrong times, or with lines that were called of the future and are so no more."""
    due = frozenset(list_due(quarantine, latest))
    return frozenset(path for path, row in known.items() if has_wrong_times(row, latest) or (path in due and not row["reason"]))


def list_due(quarantine: pl.DataFrame, latest: datetime) -> list[str]:
    """Return the files with lines that were called of the future and are so no more."""
    future = quarantine.filter(pl.col("rule") == FUTURE_TIME_RULE).select("path", "detail")
    return sorted({path for path, time in future.iter_rows() if parse_time(time, latest) is not None})


def has_wrong_times(old: SourceRow, latest: datetime) -> bool:
    """Whether entries of a file have a time of the future, or the one of none at all: earlier versions gave them these.

    A file whose own time is none either would keep that, and so do entries of a file that was cut.
    """
    if old["reason"]:
        return False
    days = [datetime(day.year, day.month, day.day, tzinfo=UTC) for day in old["days"]]
    has_none = any(day <= EPOCH for day in days)
    last = latest + MOST_BEHIND if latest < LATEST - MOST_BEHIND else LATEST
    return any(day > last for day in days) or (has_none and read_file_time(old["mtime_ns"]) is not None)
