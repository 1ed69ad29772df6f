"""Tests of the values of a daily log."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import transforms.pages.daily_log as log_page
from tests.each_case import each_case
from transforms.pages.daily_log import format_clock


@each_case(
    ("title", "narrative", "left"),
    [
        ("README says 500 GB", "README says 500 GB. Changed README.md.", "Changed README.md."),
        ("README says 500 GB", "README says 500 GB.", ""),
        ("README says 500", "README says 500 GB.", "README says 500 GB."),
        ("", "README says 500 GB.", "README says 500 GB."),
    ],
)
def test_what_the_title_says_is_not_said_again_below_it(title: str, narrative: str, left: str) -> None:
    assert log_page._drop_narrative(log_page.LogSegment(title, narrative, ())).narrative == left


@each_case(
    ("zone", "moment", "clock"),
    [
        ("Europe/Berlin", datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "02:30 +02:00"),
        ("Europe/Berlin", datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "02:30 +01:00"),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 14, 45, tzinfo=UTC), "2026-04-05 01:45 +11:00"),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 15, 15, tzinfo=UTC), "2026-04-05 01:45 +10:30"),
        ("Europe/Berlin", datetime(2026, 10, 24, 23, 59, tzinfo=UTC), "01:59"),
        ("Europe/Berlin", datetime(2026, 10, 25, 2, 0, tzinfo=UTC), "03:00"),
        ("Europe/Berlin", datetime(2026, 3, 29, 1, 30, tzinfo=UTC), "2026-03-29 03:30"),
    ],
)
def test_both_times_of_the_hour_that_a_clock_repeats_say_their_offset_and_no_other_does(
    zone: str, moment: datetime, clock: str
) -> None:
    """02:30 twice in a night of October; the hours around it, and the one that is left out in March, are told by the clock."""
    assert format_clock(moment, ZoneInfo(zone), date(2026, 10, 25)) == clock
