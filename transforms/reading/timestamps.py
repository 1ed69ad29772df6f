"""Parses the times of entries, and gives a time to entries without one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import zip_longest

import polars as pl

from transforms.patterns.late_pattern import compile_late

EARLIEST = datetime(2001, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""A time outside of this is damage, such as test data with `timestamp: 1`."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of an entry for which nothing tells one, not even the file. Before any real one, and not the day of the empty files."""

UTC_MICROSECONDS = pl.Datetime("us", "UTC")
_UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_SECOND, _LAST_SECOND = EARLIEST.timestamp(), LATEST.timestamp()
_FIRST_NS, _LAST_NS = int(_FIRST_SECOND) * 10**9, int(_LAST_SECOND) * 10**9
_UNITS = (1000, 1, 1_000_000, 1_000_000_000)
"""Parts of a second that numbers count: milliseconds as JavaScript does, seconds, microseconds, nanoseconds."""
_NUMBER_DIGITS = 9
"""So many digits begin no date: a date without hyphens has eight."""

_ISO_PARTS = compile_late(
    r"(?:(\d{4})-?(\d{3})|(\d{4}-?W\d\d-?\d|\d{4}-?\d\d-?\d\d))"
    r"(?:[T ](\d\d)(:?\d\d)?(?:(:?)(\d\d))?([.,]\d+)?)?"
    r" ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?"
)
"""Year and its day, or a day; hour, minute, second with its colon, fraction; zone."""


def parse_time(value: object, latest: datetime = LATEST) -> datetime | None:
    """Return an ISO 8601 text or a Unix time as a UTC time; None for anything that cannot be a time of a session.

    A Unix time is a number or its text, of seconds, milliseconds, microseconds or nanoseconds: no number is in two of
    them a time of a session. A text without a zone is UTC. What is not before `latest` was written by a clock that is set wrong.
    """
    try:
        if isinstance(value, str):
            time = _parse_number(float(value)) if value[:_NUMBER_DIGITS].isdecimal() and len(value) > 8 else _parse_text(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            time = _parse_number(value)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return time if time and EARLIEST <= time < latest else None


def _parse_number(number: float) -> datetime | None:
    for unit in _UNITS:
        if _FIRST_SECOND <= number / unit < _LAST_SECOND:
            return _UNIX_EPOCH + timedelta(microseconds=round(number * 1_000_000 / unit))
    return None


def _parse_text(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = _parse_rare_form(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _parse_rare_form(text: str) -> datetime:
    """Return the time of an ISO 8601 text that the standard library refuses: a leap second, 24:00, the day of a year, a small z.

    Raises:
        ValueError: when it is none.
    """
    parts = _ISO_PARTS.fullmatch(text.strip().upper().replace("\N{MINUS SIGN}", "-"))
    if parts is None:
        raise ValueError("not ISO 8601")
    year, day_of_year, day, hour, minute, colon, second, fraction, zone = (part or "" for part in parts.groups())
    later = timedelta()
    if year:
        first = date(int(year), 1, 1)
        if (counted := first + timedelta(days=int(day_of_year) - 1)).year != first.year:
            raise ValueError("not a day of this year")
        day = counted.isoformat()
    if hour == "24" and not f"{minute}{second}{fraction}".strip(":.,0"):
        hour, later = "00", later + timedelta(days=1)
    if second == "60":
        second, later = "59", later + timedelta(seconds=1)
    offset = "Z" if zone in {"UTC", "GMT"} else zone
    clock = f"T{hour}{minute}{colon}{second}{fraction}{offset}" if hour else ""
    return datetime.fromisoformat(day + clock) + later


def read_file_time(mtime_ns: int) -> datetime | None:
    """Return when a file was written; None when that cannot be a time of a session, as of files without their own times."""
    return _UNIX_EPOCH + mtime_ns // 1000 * _MICROSECOND if _FIRST_NS <= mtime_ns < _LAST_NS else None


def fill_missing_times(
    times: Sequence[datetime | None],
    time_before: datetime | None,
    file_time: datetime | None = None,
    known: Sequence[datetime | None] = (),
) -> list[datetime]:
    """Return a time for every entry of a file, in order.

    A missing time is the `known` one of an earlier reading, else that of the entry before it, else `time_before`, else that of
    the first entry with a time, else `file_time`, else EPOCH. Where no entry has a time, a new one is as old as the file is now.
    """
    time = time_before or next((time for time in times if time), file_time or EPOCH)
    least = file_time if file_time and time_before is None and not any(times) else EPOCH
    filled = []
    for own, was in zip_longest(times, known):
        time = own or was or max(time, least)
        filled.append(time)
    return filled


def make_time_column(name: str, times: Sequence[datetime]) -> pl.Series:
    """Return a column of UTC times. Made from numbers, because polars is slow to convert Python's times."""
    microseconds = [(time - _UNIX_EPOCH) // _MICROSECOND for time in times]
    return pl.Series(name, microseconds, pl.Int64).cast(UTC_MICROSECONDS)
