"""Days are the owner's: a moment has its local day, and a local day begins at a moment."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from tests.each_case import each_case
from transforms.tables.periods import find_first_moment, find_local_day

EVENING = datetime(2026, 5, 15, 9, 30, tzinfo=UTC)


@each_case(
    ("zone", "day"),
    [("UTC", date(2026, 5, 15)), ("Pacific/Honolulu", date(2026, 5, 14)), ("Pacific/Tongatapu", date(2026, 5, 15))],
)
def test_a_moment_has_the_day_of_the_zone(zone: str, day: date) -> None:
    assert find_local_day(EVENING, ZoneInfo(zone)) == day
    assert find_first_moment(day, ZoneInfo(zone)) <= EVENING


@each_case("zone", ["UTC", "Pacific/Honolulu", "Pacific/Tongatapu", "Europe/Vienna"])
def test_the_first_moment_of_a_day_is_of_that_day(zone: str) -> None:
    first = find_first_moment(date(2026, 3, 29), ZoneInfo(zone))
    assert find_local_day(first, ZoneInfo(zone)) == date(2026, 3, 29)
    assert first.tzinfo == UTC
