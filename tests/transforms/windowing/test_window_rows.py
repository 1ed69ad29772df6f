"""Rows of windows: which keep the result of their engine."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.each_case import each_case
from transforms.windowing.window_rows import build_window_rows, find_outdated_rows
from transforms.windowing.windows import Window

AT = datetime(2000, 1, 1, tzinfo=UTC)
WINDOW = Window("w-1", "closing", (0, 1), 5, 100, AT, AT, (), (), "c", None, "pending", "")


def test_a_window_with_one_time_of_the_future_within_is_due_again_when_that_is_corrected() -> None:
    """Its start is the same, and the fact of that line won over every later correction."""
    (old,) = build_window_rows("s", [replace(WINDOW, ended_at=AT + timedelta(days=9000))], [], "h", ZoneInfo("UTC"))
    old["status"] = "distilled"
    rows = build_window_rows("s", [WINDOW], [old], "h", ZoneInfo("UTC"))
    assert (rows[0]["status"], find_outdated_rows(rows, [old])) == ("pending", [old])


@each_case(("later", "is_kept"), [(timedelta(0), True), (timedelta(days=1), True), (timedelta(days=9000), False)])
def test_a_window_whose_times_were_corrected_is_due_again_and_its_facts_go(later: timedelta, is_kept: bool) -> None:
    """Its words are the same, but its facts have the time of before; another zone gives the day beside it."""
    (old,) = build_window_rows("s", [WINDOW], [], "h", ZoneInfo("UTC"))
    old["status"] = "distilled"
    corrected = replace(WINDOW, started_at=AT + later, ended_at=AT + later)
    rows = build_window_rows("s", [corrected], [old], "h", ZoneInfo("UTC"))
    assert rows[0]["status"] == ("distilled" if is_kept else "pending")
    assert rows[0]["day"] == (AT if is_kept else AT + later).date()
    assert find_outdated_rows(rows, [old]) == ([] if is_kept else [old])
