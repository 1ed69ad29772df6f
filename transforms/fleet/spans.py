"""Divides the days of a backfill into spans that are run one after the other, so that many owners progress side by side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

SPAN_DAYS = 92
"""A quarter: long enough that the steps over the whole history are seldom repeated, short enough to be lost without pain."""


def divide_days(since: date, until: date) -> Iterator[tuple[date, date]]:
    """Yield first and last day of each span, oldest first; together they are all days from `since` to `until`, none twice."""
    while since <= until:
        last = min(until, since + timedelta(days=SPAN_DAYS - 1))
        yield since, last
        since = last + timedelta(days=1)
