"""Periods: which hits of one come first, and what asks for nothing but a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.each_case import each_case
from transforms.recall.period_ranking import (
    PLACE_LIFT,
    WRITTEN_LIFT,
    asks_only_for_period,
    describe_period,
    is_bounded_by_event,
    is_of_any_year,
    lift_named_projects,
    list_possible_days,
    rank_period_first,
    rank_whole_period,
)
from transforms.recall.question import parse_question
from transforms.recall.question_dates import FIRST, find_question_time
from transforms.recall.rank import PERFECT_SCORE, RankedCandidate

TODAY, START = date(2026, 5, 20), datetime(2026, 5, 18, 9, tzinfo=UTC)


def said(number: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a row of a search, said `number` hours after the first."""
    row = {
        "key": f"k{number}",
        "id": f"id{number}",
        "text": text,
        "source": "turn",
        "kind": None,
        "priority": None,
        "speaker": "assistant",
    }
    return row | {"session_id": "s", "said_at": START + timedelta(hours=number), "superseded_by": None, "terms": []} | more


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
    done = [parsed.index for parsed in rank_whole_period(rows, parse_question("what did we do on the 18th?", TODAY), days)]
    decided = [parsed.index for parsed in rank_whole_period(rows, parse_question("what did we decide on the 18th?", TODAY), days)]
    assert (done, decided) == ([1, 0, 2], [0, 1, 2])


def test_hits_of_the_period_go_first_when_they_are_about_the_matter() -> None:
    """Without such words the order stays."""
    rows = [said(0, "x"), said(48, "y")]
    days, zone = (date(2026, 5, 20), date(2026, 5, 20)), ZoneInfo("UTC")
    near = [RankedCandidate(0, 1.0, 10.0, 0.5, 1.0), RankedCandidate(1, 0.9, 8.0, 0.1, 1.0)]
    far = [RankedCandidate(0, 1.0, 10.0, 0.5, 1.0), RankedCandidate(1, 0.2, 2.0, 0.1, 0.1)]
    assert [record.index for record in rank_period_first(rows, near, days, zone)] == [1, 0]
    assert [record.index for record in rank_period_first(rows, far, days, zone)] == [0, 1]


def test_what_asks_for_nothing_but_a_time() -> None:
    """A matter beside the period is looked for by its words; an event bounds the time only when it is not the matter."""
    for text, opened, counted in (
        ("what did we change after the release of 0.3.0?", True, True),
        ("which database did we use before the move to Postgres?", False, True),
        ("what broke in the cache after the release?", False, False),
        ("did the user try it before the files were moved?", False, False),
    ):
        asked = find_question_time(text, TODAY)
        assert asked is not None
        question = parse_question(text, TODAY)
        assert (asks_only_for_period(question, asked.phrase), is_bounded_by_event(question, asked)) == (opened, counted), text
    assert describe_period((FIRST, TODAY)) == "time read as up to 2026-05-20"


def test_hits_of_the_project_that_a_question_names_are_lifted() -> None:
    """By less where only its place tells that a word is a name; far better hits of another project stay ahead."""
    rows = [said(0, "x", project="/work/cli"), said(1, "y", project="/work/auth-go")]
    asked = replace(parse_question("which tasks?", TODAY), projects=("/work/auth-go",))
    for is_written, lift in ((True, WRITTEN_LIFT), (False, PLACE_LIFT)):
        question = replace(asked, is_project_written=is_written)
        for behind, order in ((lift - 0.1, [1, 0]), (lift + 0.1, [0, 1])):
            ranked = [
                RankedCandidate(0, 0.9, 1.0, 0.5, 1.0),
                RankedCandidate(1, 0.9 - behind / PERFECT_SCORE, 1.0, 0.5, 1.0),
            ]
            assert [candidate.index for candidate in lift_named_projects(rows, ranked, question)] == order


def test_a_month_without_a_year_may_be_of_any() -> None:
    """With its year, or told by days back, it is one."""
    assert all(map(is_of_any_year, ("in November", "on 3 May", "between October and Dec.", "Q3")))
    assert not any(map(is_of_any_year, ("in November 2025", "2025-11", "last week", "in 2025", "on Monday")))


@each_case(
    ("text", "today", "days"),
    [
        ("what did we do in May?", date(2027, 4, 30), ["2026-05-01 2026-05-31", "2025-05-01 2025-05-31"]),
        ("what did we do in April?", date(2027, 4, 30), ["2027-04-01 2027-04-30", "2026-04-01 2026-04-30"]),
        ("what did we do on 30 April?", date(2027, 4, 30), ["2027-04-30 2027-04-30", "2026-04-30 2026-04-30"]),
        ("what did we do since May?", date(2027, 4, 30), ["2026-05-01 2027-04-30", "2025-05-01 2027-04-30"]),
        ("what did we do after March?", date(2027, 3, 31), ["2027-04-01 2027-04-01", "2026-04-01 2027-03-31"]),
        ("what did we do since March?", date(2028, 2, 29), ["2027-03-01 2028-02-29", "2026-03-01 2028-02-29"]),
        (
            "what did we do in March?",
            date(2027, 3, 1),
            ["2027-03-01 2027-03-31", "2026-03-01 2026-03-31", "2025-03-01 2025-03-31"],
        ),
        ("what did we do this November?", date(2026, 11, 30), ["2026-11-01 2026-11-30"]),
        ("what did we do in November this year?", date(2026, 11, 30), ["2026-11-01 2026-11-30"]),
        ("what did we do in November 2026?", date(2026, 11, 30), ["2026-11-01 2026-11-30"]),
    ],
)
def test_a_month_is_that_of_each_year_until_one_is_named(text: str, today: date, days: list[str]) -> None:
    """On a month's last day, too; no period takes up two years but one that reaches to today."""
    time = find_question_time(text, today)
    assert time is not None
    listed = [f"{first} {last}" for first, last in list_possible_days(text, time, today, len(days) if len(days) > 1 else 10)]
    assert listed == days
