"""Periods: which hits of one come first, and what asks for nothing but a time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from transforms.recall.period_answers import counts_from_event, in_period_first, is_open, period_note, ranked_of_period
from transforms.recall.query import question_of
from transforms.recall.question_dates import FIRST, time_asked
from transforms.recall.rank import Ranked

TODAY, START = date(2026, 5, 20), datetime(2026, 5, 18, 9, tzinfo=UTC)


def said(number: int, text: str, **more: Any) -> dict[str, Any]:
    """A row of a search, said `number` hours after the first."""
    row = {
        "key": f"k{number}",
        "id": f"id{number}",
        "text": text,
        "source": "turn",
        "kind": None,
        "priority": None,
        "speaker": "assistant",
    }
    return row | {"session_id": "s", "said_at": START + timedelta(hours=number), "superseded_by": None, "found": []} | more


def fact(number: int, text: str, kind: str, **more: Any) -> dict[str, Any]:
    """A row that is an observation."""
    return said(number, text, source="observation", kind=kind, speaker=None) | more


def test_a_period_is_told_by_its_segments_and_decisions_when_they_are_asked_for() -> None:
    """Short periods leave condensed days out: their date is the end of the day in UTC."""
    rows = [
        fact(1, "TTL 6 h", "decision"), said(2, "Caching", source="segment"), said(3, "ok"),
        said(4, "The day", source="distillate"),
    ]  # fmt: skip
    days = (date(2026, 5, 18), date(2026, 5, 18))
    done = [one.index for one in ranked_of_period(rows, question_of("what did we do on the 18th?", TODAY), days)]
    decided = [one.index for one in ranked_of_period(rows, question_of("what did we decide on the 18th?", TODAY), days)]
    assert (done, decided) == ([1, 0, 2], [0, 1, 2])


def test_hits_of_the_period_go_first_when_they_are_about_the_matter() -> None:
    """And stay where they were when they are not."""
    rows = [said(0, "x"), said(48, "y")]
    days, zone = (date(2026, 5, 20), date(2026, 5, 20)), ZoneInfo("UTC")
    near = [Ranked(0, 1.0, 10.0, 0.5, 1.0), Ranked(1, 0.9, 8.0, 0.1, 1.0)]
    far = [Ranked(0, 1.0, 10.0, 0.5, 1.0), Ranked(1, 0.2, 2.0, 0.1, 0.1)]
    assert [one.index for one in in_period_first(rows, near, days, zone)] == [1, 0]
    assert [one.index for one in in_period_first(rows, far, days, zone)] == [0, 1]


def test_what_asks_for_nothing_but_a_time() -> None:
    """A matter beside the period is looked for by its words; an event bounds the time only when it is not the matter."""
    for text, opened, counted in (
        ("what did we change after the release of 0.3.0?", True, True),
        ("which database did we use before the move to Postgres?", False, True),
        ("what broke in the cache after the release?", False, False),
        ("did the user try it before the files were moved?", False, False),
    ):
        asked = time_asked(text, TODAY)
        assert asked is not None
        question = question_of(text, TODAY)
        assert (is_open(question, asked.phrase), counts_from_event(question, asked)) == (opened, counted), text
    assert period_note((FIRST, TODAY)) == "time read as up to 2026-05-20"
