"""Questions about time: which days their phrases mean."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.calendars.day_names import DAY_NAMES, MONTH_NAMES
from transforms.recall.question_dates import (
    FIRST,
    asks_for_past,
    asks_for_present,
    bound_days_by_event,
    find_days,
    find_question_time,
)

TODAY = date(2026, 2, 20)  # a Friday


def feb(first: int, last: int | None = None) -> tuple[date, date]:
    """Days of this month."""
    return date(2026, 2, first), date(2026, 2, last or first)


@each_case(
    ("text", "days"),
    [
        ("what broke on 2026-01-31?", (date(2026, 1, 31), date(2026, 1, 31))),
        ("what happened in 2025-12?", (date(2025, 12, 1), date(2025, 12, 31))),
        ("what happened in 2025?", (date(2025, 1, 1), date(2025, 12, 31))),
        ("what did we decide on the 9th?", feb(9)),
        ("what did we decide on the 25th?", (date(2026, 1, 25), date(2026, 1, 25))),
        ("what did we do on the 9th of January?", (date(2026, 1, 9), date(2026, 1, 9))),
        ("the outage of 3 March", (date(2025, 3, 3), date(2025, 3, 3))),
        ("the outage of March 3rd, 2024", (date(2024, 3, 3), date(2024, 3, 3))),
        ("what did we ship in January?", (date(2026, 1, 1), date(2026, 1, 31))),
        ("what did we ship in early January?", (date(2026, 1, 1), date(2026, 1, 11))),
        ("what did we plan for mid-January?", (date(2026, 1, 11), date(2026, 1, 21))),
        ("what broke at the end of last month?", (date(2026, 1, 21), date(2026, 1, 31))),
        ("what did we ship in Q4 2025?", (date(2025, 10, 1), date(2025, 12, 31))),
        ("what did we do last quarter?", (date(2025, 10, 1), date(2025, 12, 31))),
        ("what did I ask yesterday?", feb(19)),
        ("what did I ask the day before yesterday?", feb(18)),
        ("what crashed last night?", feb(19)),
        ("what did I say this morning?", feb(20)),
        ("what is done today?", feb(20)),
        ("what did we do last week?", feb(9, 15)),
        ("what did we do this week?", feb(16, 20)),
        ("what did we do in the past week?", feb(13, 20)),
        ("what did we do in the week of February 3?", feb(2, 8)),
        ("what did we do in week 6?", feb(2, 8)),
        ("what did we do last month?", (date(2026, 1, 1), date(2026, 1, 31))),
        ("what did we do this month?", feb(1, 20)),
        ("what did we do last year?", (date(2025, 1, 1), date(2025, 12, 31))),
        ("who called last Friday?", feb(13)),
        ("who called on Friday?", feb(20)),
        ("who called on Monday?", feb(16)),
        ("what did we do over the weekend?", feb(14, 15)),
        ("what did we do last weekend?", feb(14, 15)),
        ("the fix two weeks ago", feb(3, 9)),
        ("the fix 3 days ago", feb(17)),
        ("the fix a few days ago", feb(15, 19)),
        ("the fix of the last 3 days", feb(17, 20)),
        ("what broke eight days ago?", feb(12)),
        ("what did we decide in the last 24 hours?", feb(19, 20)),
        ("what did we decide in the last 36 hours?", feb(18, 20)),
        ("what did we decide on 3.2.2026?", feb(3)),
        ("what did we decide between January and March?", (date(2026, 1, 1), date(2026, 3, 31))),
        ("what did we decide between October and December?", (date(2025, 10, 1), date(2025, 12, 31))),
        ("which bugs did we fix from Wednesday to Saturday?", feb(18, 21)),
        ("what did we change between January 3 and now?", (date(2026, 1, 3), date(2026, 2, 20))),
        ("what changed in the last two weeks?", feb(6, 20)),
        ("what changed since January?", (date(2026, 1, 1), TODAY)),
        ("what changed since Monday?", feb(16, 20)),
        ("what changed since yesterday?", feb(19, 20)),
        ("what changed since January 10th?", (date(2026, 1, 10), TODAY)),
        ("what did we use before January?", (FIRST, date(2025, 12, 31))),
        ("what was open before the 5th?", (FIRST, date(2026, 2, 4))),
        ("what was decided until last Friday?", (FIRST, date(2026, 2, 13))),
        ("what did we do after the 5th?", feb(6, 20)),
        ("what did we do between the 3rd and the 9th of February?", feb(3, 9)),
        ("what did we do between January 5 and January 7?", (date(2026, 1, 5), date(2026, 1, 7))),
        ("what did we do from Monday to Wednesday?", feb(16, 18)),
        ("what did we do from 2026-01-05 to 2026-01-07?", (date(2026, 1, 5), date(2026, 1, 7))),
        ("what did we learn recently?", feb(6, 20)),
        ("what did I complain about the other day?", feb(13, 19)),
    ],
)
def test_days_of_a_question(text: str, days: tuple[date, date]) -> None:
    """Absolute, relative, open on one side, counted from the day of the question."""
    assert find_days(text, TODAY) == days


@each_case(
    "text",
    [
        "what may I do?", "march on", "is it on the 31st floor?", "version 1.2.3", "on 2026-02-31",
        "did it work before or after?", "what did we decide?",
        "does the week start on a day?", "which of the two is last?", "may we deploy after 18:00?",
        "which arguments does it take, and may one be left out?",
    ],
)  # fmt: skip
def test_questions_without_a_day(text: str) -> None:
    """A modal verb is not a month, an impossible date no period."""
    assert find_days(text, date(2026, 3, 1)) is None


@each_case(
    ("text", "relation", "event"),
    [
        ("which database did we use before the move to Postgres?", "before", "the move to Postgres"),
        ("what did we change after we dropped Redis?", "after", "we dropped Redis"),
        ("what broke since the refactor?", "since", "the refactor"),
        ("how did retries work until my last fix?", "until", "my last fix"),
    ],
)
def test_an_event_that_dates_a_question(text: str, relation: str, event: str) -> None:
    """The event is found first; its day bounds the period."""
    asked = find_question_time(text, TODAY)
    assert asked is not None
    assert (asked.days, asked.relation, asked.event) == (None, relation, event)


def test_what_comes_next_dates_nothing() -> None:
    """ "The next prompt" comes again and again, while "the next.js move" was one day."""
    assert find_question_time("where are they shown until the next prompt?", TODAY) is None
    moved = find_question_time("what did we use before the next.js move?", TODAY)
    assert moved is not None
    assert moved.event == "the next.js move"


def test_the_day_of_an_event_counts_on_both_sides() -> None:
    """Hours decide on it."""
    assert bound_days_by_event("before", TODAY)[1] == TODAY
    assert bound_days_by_event("since", TODAY)[0] == TODAY


@given(st.text(max_size=80), st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_any_text_can_be_read(text: str, today: date) -> None:
    """Nothing that a person types makes it fail, and a period never ends before it starts."""
    days = find_days(text, today)
    assert days is None or days[0] <= days[1]


@given(
    st.sampled_from(["since", "before", "until", "after", "on", "in"]),
    st.integers(1, 31),
    st.dates(date(1990, 1, 1), date(2100, 1, 1)),
)
def test_any_day_of_a_month_can_be_asked_for(word: str, day: int, today: date) -> None:
    """This holds for a day that the current month does not have."""
    days = find_days(f"what happened {word} the {day}th?", today)
    assert days is None or days[0] <= days[1] <= max(today, days[0]) + timedelta(days=31)


@each_case(
    "question",
    [
        "what did we use for the job store before Postgres?", "Which port did the broker have previously?",
        "what did the parser use to be?", "what was our TTL?", "what were the values before?", "which broker we used to run",
        "the old broker?", "what did we use before we moved to Postgres",
    ],
)  # fmt: skip
def test_a_question_about_the_past_is_told_by_its_grammar(question: str) -> None:
    assert asks_for_past(question)


@each_case(
    "question",
    [
        "what do we use for the job store?", "what is ruff used to check?", "What must happen before I run the check?",
        "who was there?", "when did we move to Postgres?", "What needs doing before releasing?",
        "what did we drop before merging?",
    ],
)  # fmt: skip
def test_other_questions_ask_for_what_holds(question: str) -> None:
    assert not asks_for_past(question)


@given(
    st.sampled_from([MONTH_NAMES, DAY_NAMES]).flatmap(lambda names: st.tuples(st.sampled_from(names), st.sampled_from(names))),
    st.sampled_from(["between {} and {}", "from {} to {}", "from {} until {}"]),
    st.dates(date(1999, 1, 1), date(2099, 12, 31)),
)
def test_a_span_of_any_two_names_is_read_whole(names: tuple[str, str], form: str, today: date) -> None:
    """It begins before the day of the question and ends at its first end; its words leave the question."""
    phrase = form.format(*names)
    time = find_question_time(f"what did we decide {phrase}?", today)
    assert time is not None
    assert time.phrase == phrase
    assert time.days is not None
    assert time.days[0] <= today
    assert time.days[0] <= time.days[1] <= time.days[0] + timedelta(days=396)


@each_case(
    ("text", "days"),
    [
        ("¿qué decidimos la semana pasada?", feb(9, 15)),
        ("что мы решили на прошлой неделе?", feb(9, 15)),
        ("三日前に何をしましたか？", feb(17)),
        ("qu'avons-nous fait il y a trois jours ?", feb(17)),
        ("was haben wir gestern entschieden?", feb(19)),
        ("¿qué pasó hace 9999 años?", None),
        ("was steht hier?", None),
    ],
)
def test_days_of_a_question_in_another_language(text: str, days: tuple[date, date] | None) -> None:
    """Only English named days."""
    assert find_days(text, TODAY) == days


@each_case("question", ["Which port do we use now?", "is the cache still on", "what currently sends the mails"])
def test_an_adverb_of_the_present_asks_for_what_holds(question: str) -> None:
    """What was said last about it is the better answer."""
    assert asks_for_present(question)


@each_case("question", ["why did the push fail", "which port did we take before", "what do you know of knowledge"])
def test_no_other_word_asks_for_the_present(question: str) -> None:
    """A part of a word is none."""
    assert not asks_for_present(question)
