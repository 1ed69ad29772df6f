"""The column `said_at`: when each entry was appended. Times as pi writes them are read in Rust, all others one by one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

import polars as pl

from transforms.reading.entry_text import said_at

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of an entry in a file that has no time at all; before any real one, and not the day of the lake's empty files."""

UTC_MICROSECONDS = pl.Datetime("us", "UTC")


def said_at_column(
    written: Sequence[object], value_of: Callable[[int], dict[str, Any]], files: Sequence[tuple[int, datetime | None]]
) -> tuple[pl.Series, list[bool] | None]:
    """The times, and whether each is the entry's own (None when all are).

    `written` are the timestamps of the entries; `value_of` gives the entry of a row, for those that are written unusually.
    `files` are how many of the entries follow each other in a file, and the time before the first of them. An entry without a
    time has that of the entry before it, else the time before, else that of the first to follow.
    """
    column = _usual(written)
    unusual = column.is_null().arg_true().to_list()
    if not unusual:
        return column, None
    ends = list(accumulate(size for size, _ in files))
    times: dict[int, datetime] = {}
    is_timed = [True] * len(written)

    def time_of(at: int) -> datetime | None:
        return times.get(at) or (said_at(value_of(at)) if column[at] is None else column[at])

    for at in unusual:
        found = said_at(value_of(at))
        is_timed[at] = found is not None
        if found is None:
            which = bisect_right(ends, at)
            size, before = files[which]
            start = ends[which] - size
            following = range(start, ends[which])
            found = (
                time_of(at - 1) if at > start else before or next((told for one in following if (told := time_of(one))), EPOCH)
            )
        times[at] = found or EPOCH
    return column.scatter(unusual, pl.Series([times[at] for at in unusual], dtype=UTC_MICROSECONDS)), is_timed


def _usual(written: Sequence[object]) -> pl.Series:
    """Python's datetimes take 3 µs each to convert; what is not written in the usual way is null here."""
    usual = [
        text
        if type(text) is str and len(text) == 24 and text.isascii() and "2001" <= text < "2200" and text[17:19] < "60"
        else None
        for text in written
    ]
    return pl.Series("said_at", usual, pl.String).str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.3fZ", time_unit="us", time_zone="UTC", strict=False
    )
