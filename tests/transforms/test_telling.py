"""Which hit leads an answer: what is about the matter and settles it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from transforms.answer import Form, composed
from transforms.days_asked import FIRST, time_asked
from transforms.of_period import counts_from_event, in_period_first, is_open, period_note, ranked_of_period
from transforms.query import question_of
from transforms.rank import Ranked
from transforms.recall import Hit
from transforms.telling import tellings

TODAY, START = date(2026, 5, 20), datetime(2026, 5, 18, 9, tzinfo=UTC)
WHY = question_of("Why were the deliveries sent twice?", TODAY)


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


def told(*rows: dict[str, Any], about: tuple[float, ...] = ()) -> list[float]:
    """How well each tells; all about the matter alike unless said otherwise."""
    share = about or (1.0,) * len(rows)
    ranked = [Ranked(place, 1.0, 10.0 * share[place], 0.5 * share[place], share[place]) for place in range(len(rows))]
    return tellings(list(zip(rows, ranked, strict=True)), WHY)


def test_the_cause_that_closed_the_hunt_comes_before_the_first_guess() -> None:
    """Although the guess was ranked first."""
    guess = said(0, "Two workers might read the same row; probably the lock is missing.")
    cause = fact(5, "Root cause: the connection is in autocommit, so claim is two transactions.", "root_cause")
    first, second = told(guess, cause)
    assert second > first


def test_a_rule_that_is_not_about_the_matter_does_not_lead() -> None:
    """However much its kind is wanted."""
    rule = fact(0, "Never deploy after 18:00", "decision")
    turn = said(1, "Both workers claimed the same delivery.")
    off, on = told(rule, turn, about=(0.3, 1.0))
    assert on > off


def test_questions_announcements_and_what_was_replaced_tell_less() -> None:
    """Each than a plain statement at the same place."""
    plain = told(said(0, "The deliveries were claimed twice."))[0]
    for row in (
        said(0, "Why are deliveries sent twice?", speaker="user"),
        said(0, "Now let me look at the deliveries."),
        said(0, "It is an open question why deliveries are sent twice."),
        fact(0, "Deliveries are locked", "decision", superseded_by="o-2"),
    ):
        assert told(row)[0] < plain


def test_the_later_of_two_decisions_leads() -> None:
    """What holds now."""
    early, late = told(fact(0, "The TTL is 24 h", "decision"), fact(9, "The TTL is 6 h", "decision"))
    assert late > early


@given(st.lists(st.sampled_from(["a guess, maybe", "let me see", "done", "why?"]), max_size=6))
def test_any_hits_can_be_weighed(texts: list[str]) -> None:
    """One number each, never negative."""
    found = told(*(said(number, text) for number, text in enumerate(texts)))
    assert len(found) == len(texts)
    assert all(one >= 0.0 for one in found)


def test_an_answer_to_when_begins_with_the_local_day() -> None:
    """Late in the evening in UTC it is the next day in Tokyo."""
    row = said(12, "Moved to Postgres.")
    hit = Hit("id12", "turn", row["text"], None, None, None, "s", ("e",), (1,), row["said_at"].replace(hour=20), 1.0)
    form = Form(100, ZoneInfo("Asia/Tokyo"), TODAY)
    answer = composed([row], [Ranked(0, 1.0, 1.0, 1.0, 1.0)], [hit], WHY, {}, form)
    assert answer == "2026-05-19 (yesterday): Agent: Moved to Postgres. [id12, 2026-05-19]"


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
