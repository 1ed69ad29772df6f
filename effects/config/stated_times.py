"""Days and times as people and programs state them: arguments of commands, parameters of flows."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from effects.system.errors import UsageError

FIRST_YEAR, LAST_YEAR = 1971, 9998
"""The lake keeps 1970 for empty tables; a year before and after a time must be a time as well."""
DAY_EXAMPLE, TIME_EXAMPLE = "for example 2026-05-17", "for example 2026-05-17 or 2026-05-17T03:30"


def parse_time(text: str, zone: str) -> datetime:
    """Return the moment that a date or an ISO time names; without an offset it is in the owner's zone, a date is its midnight.

    Raises:
        UsageError: when it is neither, or in a year that the calendar of the lake does not reach.
    """
    moment = parse_zoneless_time(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))


def parse_zoneless_time(text: str) -> datetime:
    """Return the same, without a zone where the text has no offset.

    Raises:
        UsageError: as `parse_time` does.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"`{text}` is neither a date nor an ISO time", TIME_EXAMPLE) from error
    _check_year(text, moment.year)
    return moment


def parse_day(text: str) -> date:
    """Return the calendar date that a text names.

    Raises:
        UsageError: when it names none, or one in a year that the calendar of the lake does not reach.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"`{text}` is not a date", DAY_EXAMPLE) from error
    _check_year(text, day.year)
    return day


def _check_year(text: str, year: int) -> None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise UsageError(f"`{text}` is not in a year from {FIRST_YEAR} to {LAST_YEAR}", DAY_EXAMPLE)
