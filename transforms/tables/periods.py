"""Days, ISO weeks, months and years as periods of a tier, and when a period is old enough to be condensed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

DAY, WEEK, MONTH, YEAR = 1, 2, 3, 4
TIERS = (DAY, WEEK, MONTH, YEAR)
DAYS_PER_WEEK = 7
SECONDS_PER_DAY = 86_400


class Period(NamedTuple):
    """A stretch of days, both ends included."""

    tier: int
    start: date
    end: date


def find_local_day(moment: datetime, zone: tzinfo) -> date:
    """Return the day of a moment where the owner is. Lines, pages and questions are dated there, not in UTC."""
    return moment.astimezone(zone).date()


def find_first_moment(day: date, zone: tzinfo) -> datetime:
    """Return the moment at which a day begins where the owner is."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def find_period(tier: int, day: date) -> Period:
    """Return the period of a tier that contains a day."""
    if tier == DAY:
        return Period(DAY, day, day)
    if tier == WEEK:
        monday = day - timedelta(days=day.weekday())
        return Period(WEEK, monday, monday + timedelta(days=6))
    if tier == MONTH:
        first = day.replace(day=1)
        return Period(MONTH, first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1))
    return Period(YEAR, date(day.year, 1, 1), date(day.year, 12, 31))


def find_parent_period(period: Period) -> Period | None:
    """Return the period of the next tier, None for a year. A week belongs to the month of its Thursday, as in ISO 8601."""
    if period.tier == YEAR:
        return None
    anchor = period.start + timedelta(days=3) if period.tier == WEEK else period.start
    return find_period(period.tier + 1, anchor)


def is_due(period: Period, after_days: Sequence[int], today: date) -> bool:
    """Whether the period ended long enough ago. No setting makes a tier due before the tiers below it.

    The first and last week of a month may reach beyond it: their ends count too.
    """
    ends = [period.end + timedelta(days=after_days[period.tier - 1])]
    if period.tier >= MONTH:
        ends.append(period.end + timedelta(days=3 + after_days[WEEK - 1]))
    ends += [period.end + timedelta(days=after) for after in after_days[: period.tier - 1]]
    return max(ends) <= today
