"""Tests of the values of a daily log."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import transforms.pages.daily_log as log_page
from tests.each_case import each_case
from transforms.pages.daily_log import LogFact, LogSegment, LogWindow, format_clock, say_once


@each_case(
    ("title", "narrative", "left"),
    [
        ("README says 500 GB", "README says 500 GB. Changed README.md.", "Changed README.md."),
        ("README says 500 GB", "README says 500 GB.", ""),
        ("README says 500", "README says 500 GB.", "README says 500 GB."),
        ("Straße", "STRASSE. Es geht.", "STRASSE. Es geht."),
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


def make_window(*facts: str, narrative: str = "", current_task: str = "", response: str = "") -> LogWindow:
    """Return a window of one topic, its facts a minute apart, as its block shows it."""
    rows = tuple(LogFact("🔴", f"08:{number:02}", text, None) for number, text in enumerate(facts))
    topic = LogSegment("A title", narrative, rows)
    window = LogWindow(
        date(2026, 3, 2), "w-1", "s", "shop", "08:00", "quiet time", (), 0, "s.jsonl", 1, 9, (topic,), current_task, response
    )
    return say_once(window)


def test_a_log_says_each_thing_once() -> None:
    """The account of a topic, the outcome of a request, the task and the next step repeated facts word by word."""
    asked = 'User asked: "Kill the worker and show what is pending."'
    window = make_window(
        f"{asked} Outcome: Six entries stay pending for consumer a. [spike.py]",
        "Six entries stay pending for consumer a, as they should.",
        'User left open: "Leave it open, I\'ll ask the docs people."',
        narrative="User asked to kill the worker and show what is pending. Nobody measured the load yet.",
        current_task="Completed: Six entries stay pending for consumer a.",
        response='Left open by User: "Leave it open, I\'ll ask the docs people."',
    )
    (topic,) = window.segments
    assert topic.narrative == "Nobody measured the load yet."
    assert [fact.text for fact in topic.facts][:2] == [
        f"{asked} [spike.py]",
        "Six entries stay pending for consumer a, as they should.",
    ]
    assert (window.current_task, window.suggested_response) == ("", "Left open by User: see 08:02")


def test_what_no_fact_says_stays() -> None:
    texts = ('User said: "Add a flag." Outcome: `--json` prints one object per line.', "The port is 5432.")
    step = "Still to do: prepare the changelog."
    window = make_window(*texts, narrative="Ports were compared.", current_task="Completed: The port is 5433.", response=step)
    assert [fact.text for fact in window.segments[0].facts] == [*texts]
    assert (window.segments[0].narrative, window.current_task) == ("Ports were compared.", "Completed: The port is 5433.")
    assert window.suggested_response == step


def test_an_outcome_that_a_fact_denies_stays_and_so_do_the_words_of_a_person() -> None:
    texts = (
        'User asked: "add a" Outcome: The port is 8080 now. [a.py]',
        "The port is not 8080 now.",
        'User said: "Tried it twice. Outcome: the server crashes"',
        "The server crashes.",
    )
    window = make_window(*texts, narrative="修正しました。テストも追加。", current_task="Completed: The port is 8080, as asked.")
    assert [fact.text for fact in window.segments[0].facts] == [*texts]
    assert window.segments[0].narrative == "修正しました。テストも追加。"
    assert window.current_task == "Completed: The port is 8080, as asked."
