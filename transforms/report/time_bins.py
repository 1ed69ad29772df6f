"""Days, weeks or months of a picture: as fine as fits into its width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

TimeUnit = Literal["day", "week", "month"]

MOST = 60
"""Bars that a telephone shows apart."""
_FORMATS: dict[TimeUnit, str] = {"day": "%d %b", "week": "%d %b", "month": "%b %Y"}


@dataclass(frozen=True, slots=True)
class TimeBins:
    """The first days of all bins of a picture, oldest first, and their unit."""

    starts: tuple[date, ...]
    unit: TimeUnit

    def name(self, start: date) -> str:
        """Return the name of a bin below its bar."""
        return start.strftime(_FORMATS[self.unit])

    def sum_days(self, values: Mapping[date, float]) -> dict[date, float]:
        """Return the sums of values per bin; days outside are left out."""
        sums: dict[date, float] = {}
        for day, value in values.items():
            start = _find_start(day, self.unit)
            if self.starts and self.starts[0] <= start <= self.starts[-1]:
                sums[start] = sums.get(start, 0) + value
        return sums


def choose_bins(first: date, last: date, most: int = MOST) -> TimeBins:
    """Return days from the first to the last one, or weeks, or months when there would be more than `most`."""
    for unit in ("day", "week", "month"):
        bins = TimeBins(_list_starts(first, last, unit), unit)
        if len(bins.starts) <= most:
            break
    return bins


def _list_starts(first: date, last: date, unit: TimeUnit) -> tuple[date, ...]:
    starts, start = [], _find_start(first, unit)
    while start <= last:
        starts.append(start)
        start = _find_start(start + timedelta(days={"day": 1, "week": 7, "month": 31}[unit]), unit)
    return tuple(starts)


def _find_start(day: date, unit: TimeUnit) -> date:
    if unit == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if unit == "week" else day
