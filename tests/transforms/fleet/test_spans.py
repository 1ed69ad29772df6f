"""The days of a backfill are divided without gap or overlap."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from transforms.fleet.spans import SPAN_DAYS, divide_days


@given(st.dates(date(2000, 1, 1), date(2040, 1, 1)), st.integers(-3, 2000))
def test_spans_are_all_days_once_and_in_order(since: date, length: int) -> None:
    until = since + timedelta(days=length)
    spans = list(divide_days(since, until))
    covered = [first + timedelta(days=number) for first, last in spans for number in range((last - first).days + 1)]
    assert covered == [since + timedelta(days=number) for number in range(length + 1)]
    assert all((last - first).days < SPAN_DAYS for first, last in spans)
