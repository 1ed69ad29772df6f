"""Parses the times of entries, and gives a time to entries without one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import polars as pl

EARLIEST = datetime(2001, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""A time outside of this is damage: test data with `timestamp: 1`, seconds taken for milliseconds."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of an entry in a file that has no time at all; before any real one, and not the day of the lake's empty files."""

UTC_MICROSECONDS = pl.Datetime("us", "UTC")
_UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def parse_time(value: object) -> datetime | None:
    """Return an ISO text or Unix milliseconds as a UTC time; None for anything that cannot be a time of a session."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            time = datetime.fromtimestamp(value / 1000, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return time if EARLIEST <= time < LATEST else None


def fill_missing_times(times: Sequence[datetime | None], time_before: datetime | None) -> list[datetime]:
    """Return a time for every entry of a file, in order.

    A missing time is that of the entry before it, else `time_before`, else that of the first entry with a time, else EPOCH.
    """
    time = time_before or next((time for time in times if time), EPOCH)
    filled = []
    for own in times:
        time = own or time
        filled.append(time)
    return filled


def make_time_column(name: str, times: Sequence[datetime]) -> pl.Series:
    """Return a column of UTC times. Made from numbers, because polars is slow to convert Python's times."""
    microseconds = [(time - _UNIX_EPOCH) // _MICROSECOND for time in times]
    return pl.Series(name, microseconds, pl.Int64).cast(UTC_MICROSECONDS)
