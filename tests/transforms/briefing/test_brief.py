"""How a briefing tells the days of its facts."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from transforms.briefing.brief import PLAIN_DAYS, Briefing

PAGE = Briefing("p", "2026-11-09 16:23", "", "", (), (), (), (), (), 0, None, 0)


def test_a_day_near_the_page_is_told_without_its_year() -> None:
    """A page without a session has no day of its own, so its dates are whole."""
    days = [date(2026, 11, 9), date(2026, 12, 31), date(2026, 1, 13), date(2026, 1, 12), date(2025, 11, 9)]
    assert [PAGE.tell_day(day) for day in days] == ["Nov 9", "Dec 31", "Jan 13", "2026-01-12", "2025-11-09"]
    assert Briefing("p", "", "", "", (), (), (), (), (), 0, None, 0).tell_day(date(2026, 11, 9)) == "2026-11-09"


@given(st.integers(-PLAIN_DAYS, PLAIN_DAYS), st.integers(-PLAIN_DAYS, PLAIN_DAYS))
def test_two_days_before_the_page_are_never_told_as_one(first: int, second: int) -> None:
    """Facts of the past are within ten months, so each date without a year is one day of them."""
    days = {date(2026, 11, 9) - timedelta(abs(number)) for number in (first, second)}
    assert len({PAGE.tell_day(day) for day in days}) == len(days)
