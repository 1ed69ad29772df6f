"""Dates are computed from the day a sentence was said, and never guessed."""

from __future__ import annotations

import re
from datetime import date

from hypothesis import example, given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.language.lexicon import parse_set
from transforms.language.relative_dates import MAY_END, find_stated_end, has_ended, list_span_ends, resolve_date

WEDNESDAY = date(2026, 3, 4)
THURSDAY = date(2026, 3, 5)


@each_case(
    ("text", "expected"),
    [
        ("we release tomorrow", date(2026, 3, 6)),
        ("it broke yesterday evening", date(2026, 3, 4)),
        ("the freeze starts on Monday", date(2026, 3, 9)),
        ("by Thursday it must be done", date(2026, 3, 12)),
        ("it has been slow since Tuesday", date(2026, 3, 3)),
        ("last Thursday it still worked", date(2026, 2, 26)),
        ("the nightly job failed on Sunday night, nothing came in", date(2026, 3, 1)),
        ('User said: "it broke on Monday"', date(2026, 3, 2)),
        ('User asked: "the freeze starts on Monday"', date(2026, 3, 9)),
        ("0.5 is released on Monday", date(2026, 3, 9)),
        ('User asked: "two stations have a hole of an hour on sunday night, the others not"', None),
        ("station 4 has no data on Sunday", None),
        ("we will migrate it on Sunday night", date(2026, 3, 8)),
        ("the certificate ends 2026-04-30", date(2026, 4, 30)),
        ("we moved two weeks ago", date(2026, 2, 19)),
        ("we talked about it recently", None),
        ("the 2026-02-30 build", None),
        ("from 2026-01-01 to 2026-02-01", None),
        ("Monday mornings are slow", None),
    ],
)
def test_a_date_is_reckoned_from_the_day_it_was_said(text: str, expected: date | None) -> None:
    """Exactly one date, or none."""
    assert resolve_date(text, THURSDAY) == expected


@each_case(
    ("text", "end"),
    [
        ("no deploys until friday, please", date(2026, 3, 6)),
        ("code freeze till next Wednesday", date(2026, 3, 11)),
        ("Deepak is off till Friday the 20th so for that week alerts go to me", date(2026, 3, 20)),
        ("bis Freitag, den 20.3. bleibt es so", date(2026, 3, 20)),
        ("until Friday 5 people may use it", date(2026, 3, 6)),
        ("bis Freitag nichts an main ändern", date(2026, 3, 6)),
        ("bis Ende März läuft alles über den alten Server", date(2026, 3, 31)),
        ("we use the mirror until the end of April", date(2026, 4, 30)),
        ("prices are frozen until 14 May", date(2026, 5, 14)),
        ("prices are frozen until May 14th, 2027", date(2027, 5, 14)),
        ("freeze bis zum 2.4.", date(2026, 4, 2)),
        ("Priya reviews until 2026-03-20", date(2026, 3, 20)),
        ("frozen until 3 January", date(2027, 1, 3)),
        ("Bev gets the report until the 23rd. Then Ardis is back", date(2026, 3, 23)),
        ("Bev gets the report until the 3rd", date(2026, 4, 3)),
        ("bis zum 23. keine Deploys", date(2026, 3, 23)),
        ("skip e2e for the next two weeks", date(2026, 3, 18)),
        ("die nächsten 3 Tage nur lesen", date(2026, 3, 7)),
        ("until the end of next week only hotfixes", date(2026, 3, 15)),
        ("until the end of the month", date(2026, 3, 31)),
        ("until tomorrow", date(2026, 3, 5)),
        ("until friday, or till 20 March at the latest", date(2026, 3, 20)),
        ("no deploys (until 2026-03-20)", date(2026, 3, 20)),
        ("for today the printer listens on 6120", WEDNESDAY),
        ("skip e2e, today only", WEDNESDAY),
        ("just this once push to main", WEDNESDAY),
        ('User asked: "this time write it in English"', WEDNESDAY),
        ("nur heute auf dem alten Server", WEDNESDAY),
    ],
)
def test_an_end_is_the_last_day_on_which_it_holds(text: str, end: date) -> None:
    assert find_stated_end(text, WEDNESDAY) == end


@each_case(
    "text",
    [
        "keep the logs for 30 days",
        "from Monday until Friday the office is open",
        "monday till friday we deploy in the morning",
        "retry until it works",
        "until the migration is done",
        "until the 5th retry it is no error",
        "until the 40th",
        "retry until 5",
        "the scheduler starts on Friday",
        "never until 30 February",
        "loop until 5 are left",
        "bis 14:30 Uhr offen",
        "we stay on the old one until 1.2.3 and 3.11 are out",
        "the office wifi was slow until 2026-02-20, since then we use the cable",
        "snapshots live in Postgres 17 (SQLite until 2026-05-23)",
        "the printer was moved to 6120 today",
        "slides for today's meeting are in docs/",
        "for the list, not for today: recv1 gets 10 one day",
        "for this repository only squash merges",
        "only for this customer the limit is 5",
    ],
)
def test_no_day_no_end(text: str) -> None:
    """A value, a range that comes back, an event, a start, a day that does not exist, a past that was over, an aside."""
    assert find_stated_end(text, WEDNESDAY) is None


@each_case(
    ("text", "is_end"),
    [
        ("O log fica em DEBUG por uma semana (até 2026-03-11) e depois se desliga", True),
        ("La route est barrée deux semaines (jusqu'au 2026-03-18).", True),
        ("До 2026-03-18 ничего не выпускать", True),
        ("ログはDEBUG（2026-03-18まで）", True),
        ("로그는 2026-03-18까지 DEBUG", True),
        ("A keret 2026-03-18-ig 900 kW", True),
        ("kayıtlar 2026-03-18 tarihine kadar açık", True),
        ("日志级别保持 DEBUG，到 2026-03-18 为止", True),
        ("Postgres (SQLite até 2026-05-01)", False),
        ("o limite passa a 500 (a partir de 2026-03-18)", False),
        ("a revisão de 2026-03-18 ainda falta", False),
        ("o log ficou em DEBUG até 2026-02-11", False),
    ],
)
def test_a_day_in_figures_with_the_word_of_its_language_is_an_end(text: str, is_end: bool) -> None:
    """A model writes so what it computed; a start, an aside and a past are none. The columns' pattern finds all."""
    assert (find_stated_end(text, WEDNESDAY) is not None) == is_end
    assert re.search(MAY_END, text)


def test_a_text_that_states_an_end_has_one_of_the_words_that_are_looked_for() -> None:
    """The pattern for whole columns leaves out nothing that is found."""
    texts = [
        "bis Freitag",
        "jusqu'au 3 mai",
        "hasta viernes",
        "till 20 March",
        "the next 3 days",
        "die kommenden zwei Wochen",
        "for today",
    ]
    assert all(find_stated_end(text, WEDNESDAY) for text in texts)
    assert all(re.search(MAY_END, text) for text in texts)


@each_case(("day", "is_over"), [(6, False), (7, True)])
def test_a_fact_holds_on_its_last_day(day: int, is_over: bool) -> None:
    assert has_ended("no deploys until friday", WEDNESDAY, date(2026, 3, day)) == is_over
    assert not has_ended("the API listens on 9500", WEDNESDAY, date(2026, 3, day))


WORDS = [
    "until",
    "bis",
    "next",
    "end",
    "of",
    "march",
    "friday",
    "weeks",
    "month",
    "3",
    "31",
    "²",
    "٣",
    "14.3.",
    "30.2.2026",
    "9999",
    "tomorrow",
]


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=40), st.dates())
@example("until march ²", date(2026, 1, 1))
@example("until tomorrow", date.max)
def test_no_words_and_no_clock_stop_a_night(text: str, said_on: date) -> None:
    """A session says when it was written, and people type any figure: what is not a day is no end."""
    end = find_stated_end(text, said_on)
    assert end is None or isinstance(end, date)


@each_case(
    ("text", "ends"),
    [
        ("it stays slow for two weeks", {date(2026, 3, 18)}),
        ("the machine comes in 5 days, the rest in eleven", {date(2026, 3, 9)}),
        ("noch 3 Monate", {date(2026, 6, 4)}),
        ("a day or several days", set()),
        ("the 11 dwarfs and 2 weeksends", set()),
    ],
)
def test_a_span_ends_so_long_after_the_day_it_was_said(text: str, ends: set[date]) -> None:
    assert list_span_ends(text, WEDNESDAY) == ends


@each_case(("said_on", "end"), [(date(2026, 1, 31), date(2026, 2, 28)), (date(2026, 12, 15), date(2027, 1, 15))])
def test_a_month_ends_on_its_last_day_at_the_latest(said_on: date, end: date) -> None:
    assert list_span_ends("1 month", said_on) == {end}
    assert list_span_ends("99 months", date(9999, 1, 31)) == set()


@each_case(
    ("text", "is_end"),
    [
        ("just this once push to main", True),
        ("Only this once: commit straight to develop.", True),
        ("Commit straight to develop just this once", True),
        ("This time, use the sandbox", True),
        ("this time write it in English", True),
        ("We did this once and it broke: never run migrations on a Friday.", False),
        ("Say this once per page, at the top", False),
        ("Run this once after each deploy: make warm", False),
        ("Show this time only in UTC", False),
        ("Show only this time", False),
        ("only this time zone is stored: UTC", False),
        ("Only this time format counts", False),
        ("This time limit holds for all jobs", False),
        ("The build breaks only for today's date", False),
        ("Only for today's orders: mark them in red", False),
        ("For this one customer we always bill in dollars", False),
        ("For this one repository squash the commits", False),
        ("for this one we use tabs", False),
        ("this one release is the source of truth", False),
        ("this time the cause was the cache", False),
        ("the tests failed this time", False),
        ("We pushed to main just this once", False),
        ("Do not push to main, not even just this once", False),
        ("Don't commit to develop just this once", False),
        ("just this once use npm, pnpm stays the default", False),
        ("just this once use npm. We use pnpm here", False),
        ("this time write it in English and keep it so", False),
        ("this time write it always in English", False),
        ('Never take "just this once push to main" for a reason', False),
    ],
)
def test_an_order_for_once_ends_with_its_day_and_nothing_else_by_such_words(text: str, *, is_end: bool) -> None:
    """A rule that such words ended would be lost: all that is no bare order has no end, quoted or not."""
    assert find_stated_end(text, WEDNESDAY) == (WEDNESDAY if is_end else None)
    assert has_ended(f'User asked: "{text}"', WEDNESDAY, THURSDAY) == is_end


_SOME = sorted(parse_set("a the job page zone rule runs is only just for today's to Friday's one push use it"))
_WORDS = st.lists(st.sampled_from(_SOME))


@given(_WORDS, st.sampled_from(["never", "always", "must not", "every", "but", "and"]), _WORDS, st.booleans())
def test_no_words_for_once_end_a_text_that_has_a_word_for_good(
    before: list[str], lasting: str, behind: list[str], is_quoted: bool
) -> None:
    """Wherever it stands: a rule goes by an end that it names, or stays."""
    for once in ("just this once", "only this time", "this time", "this once", "for this one"):
        for words in ([once, *before, lasting, *behind], [*before, lasting, *behind, once], [*before, once, lasting, *behind]):
            text = " ".join(words)
            assert find_stated_end(f'User said: "{text}"' if is_quoted else text, WEDNESDAY) is None
