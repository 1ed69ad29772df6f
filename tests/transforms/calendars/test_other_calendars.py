"""Spans of days, the days before today and periods in other languages than English."""

from __future__ import annotations

import importlib
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.distil.calendars import LANGUAGES, UNITS, read_patterns, split_name
from tests.each_case import each_case
from transforms.calendars.calendar_words import CALENDAR_WORDS
from transforms.calendars.other_calendars import CalendarSpan, list_days_ago, list_periods, list_spans
from transforms.language.relative_dates import list_span_ends, resolve_date
from transforms.language.sentences import split_words

SAID_ON = date(2026, 5, 13)


@each_case(
    ("text", "day"),
    [
        ("eso lo cambiamos hace once días", "2026-05-02"),
        ("lo probé hace dos semanas", "2026-04-29"),
        ("se rompió anteayer", "2026-05-11"),
        ("foi alterado há onze dias", "2026-05-02"),
        ("on a changé ça il y a onze jours", "2026-05-02"),
        ("поменяли одиннадцать дней назад", "2026-05-02"),
        ("через три дня", "2026-05-16"),
        ("それは十一日前に変更しました", "2026-05-02"),
        ("10日後に業者を変えます", "2026-05-23"),
        ("三天前改的", "2026-05-10"),
        ("vor 3 Tagen war es kaputt", "2026-05-10"),
        ("3 gün önce bozuldu", "2026-05-10"),
    ],
)
def test_a_day_that_is_told_by_a_span_is_resolved(text: str, day: str) -> None:
    """Only English spans were."""
    assert resolve_date(text, SAID_ON) == date.fromisoformat(day)


@each_case(
    ("text", "day"),
    [
        ("caduca dentro de tres semanas", "2026-06-03"),
        ("en diez días cambiamos", "2026-05-23"),
        ("o contrato dura mais dois meses", "2026-07-13"),
        ("сертификат истекает через три недели", "2026-06-03"),
        ("契約はあと2か月続きます", "2026-07-13"),
        ("証明書は三週間後に切れます", "2026-06-03"),
    ],
)
def test_a_span_ends_on_a_day(text: str, day: str) -> None:
    """English and German spans did."""
    assert date.fromisoformat(day) in list_span_ends(text, SAID_ON)


@each_case(
    "text",
    [
        "once days pass, on six of one", "hier ist es", "6月3日に公開", "version 3 an", "run 3 tests in a mes", "", "3 3 3",
        "in 99999999999 dagen", "the ago of 11",
    ],
)  # fmt: skip
def test_what_is_no_span_of_one_language_is_none(text: str) -> None:
    """Number and unit are words of one language: "once" is eleven only beside Spanish days, and "hier" is here in German."""
    assert (list_spans(split_words(text)), list_days_ago(split_words(text))) == ([], [])


def test_periods_are_named_from_today() -> None:
    assert list_periods(split_words("¿qué decidimos la semana pasada?")) == [("last", "week")]
    assert list_periods(split_words("что мы решили на прошлой неделе?")) == [("last", "week")]
    assert list_periods(split_words("先週は何を決めましたか？")) == [("last", "week")]
    assert list_periods(split_words("what did we decide last week?")) == []


@given(st.text(max_size=60), st.dates())
def test_any_text_is_read(text: str, day: date) -> None:
    for span in list_spans(split_words(text)):
        try:
            assert span.add_to(day) != day
        except (OverflowError, ValueError):
            assert day.year < 110 or day.year > 9890


def test_a_month_that_is_shorter_ends_earlier() -> None:
    assert CalendarSpan(1, "month", 1).add_to(date(2026, 1, 31)) == date(2026, 2, 28)
    assert CalendarSpan(1, "year", -1).add_to(date(2024, 2, 29)) == date(2023, 2, 28)


def test_the_module_has_what_cldr_has() -> None:
    """It is written from dateparser's tables, which come with Prefect; a new version that says more is written again."""
    assert set(CALENDAR_WORDS) == set(LANGUAGES)
    for language in LANGUAGES:
        info = importlib.import_module(f"dateparser.data.date_translation_data.{language}").info
        units, past, ahead = read_patterns(language, info)
        stored = CALENDAR_WORDS[language]
        assert stored[1] == "|".join("/".join(sorted(map(split_name, units[unit]))) for unit in UNITS)
        assert stored[2:4] == tuple("/".join(sorted(map(split_name, forms))) for forms in (past, ahead))
