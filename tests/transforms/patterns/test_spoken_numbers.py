"""Numbers said in words are written as digits, and words that only look like numbers stay."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.patterns import spoken_numbers
from transforms.patterns.spoken_numbers import _write_again, write_spoken_numbers

WORDS = re.findall(r"\S+", "one two eight ten twenty hundred thousand point and a half oh zero second 64 ② ² port, -")


@each_case(
    ("said", "written"),
    [
        ("port sixty four hundred", "port 6400"),
        ("sixty-four hundred", "6400"),
        ("64 hundred", "6400"),
        ("fifteen minutes not thirty", "15 minutes not 30"),
        ("one hundred and twenty seconds", "120 seconds"),
        ("version two point one", "version 2.1"),
        ("Python three point eleven", "Python 3.11"),
        ("release two point five point one", "release 2.5.1"),
        ("four and a half sigma", "4.5 sigma"),
        ("a fifteen-minute timeout", "a 15 minute timeout"),
        ("port eighty eighty five", "port 8085"),
        ("port five four three two", "port 5432"),
        ("a four oh four", "a 404"),
        ("eight zero eight five", "8085"),
        ("in twenty twenty six", "in 2026"),
        ("since nineteen ninety nine", "since 1999"),
        ("a twenty second timeout", "a 20 second timeout"),
    ],
)
def test_a_number_in_words_is_the_one_in_digits(said: str, written: str) -> None:
    """Cardinals, decimals, versions, and digits as people say them."""
    assert write_spoken_numbers(said) == written


@each_case(
    ("said",),
    [
        ("no one wants the second one",),
        ("one of the two-step logins comes first",),
        ("the twenty third of May, not the twenty second of June",),
        ("ones and tens, hundreds of them",),
        ("a null pointer with zero retries",),
        ("see `two` in three_names, six/seven and four.py",),
    ],
)
def test_what_only_looks_like_a_number_stays(said: str) -> None:
    """Pronouns, orders, days of months, plurals and names count nothing."""
    assert write_spoken_numbers(said, may_be_other=True) == said


@each_case(
    ("said", "written"),
    [
        ("twelve eighteen months", "12 18 months"),
        ("ten fifteen minutes", "10 15 minutes"),
        ("between twenty and four", "between 20 and 4"),
        ("two or three days", "2 or 3 days"),
    ],
)
def test_two_numbers_stay_two(said: str, written: str) -> None:
    """A guess at a span is no port."""
    assert write_spoken_numbers(said) == written


@each_case(
    ("said", "written"),
    [
        ("siebzehn Tage", "17 Tage"),
        ("Port achttausendachtzig", "Port 8080"),
        ("Version zwei Punkt eins", "Version 2.1"),
        ("zwei Komma fünf", "2.5"),
        ("dos mil", "2000"),
        ("treinta y cinco días", "35 días"),
        ("quatre-vingt-dix jours", "90 jours"),
        ("vinte e cinco dias", "25 dias"),
        ("venticinque giorni", "25 giorni"),
        ("vijfentwintig dagen", "25 dagen"),
    ],
)
def test_other_languages_are_read_where_a_text_may_be_of_one(said: str, written: str) -> None:
    """English texts hold no number of another language."""
    assert write_spoken_numbers(said, may_be_other=True) == written
    assert write_spoken_numbers(said) == said


@each_case(
    ("said",),
    [
        ("eine Stunde, ein Versuch",),
        ("uno de los dos",),
        ("um dos arquivos",),
        ("sei pronto",),
        ("child.on and once per run, miles",),
        ("le second",),
    ],
)
def test_short_words_of_other_languages_count_nothing_alone(said: str) -> None:
    """ "sei", "dos" and "once" are words of two languages."""
    assert write_spoken_numbers(said, may_be_other=True) == said


@given(st.text(max_size=60))
def test_a_text_without_numbers_in_words_stays(text: str) -> None:
    """Whatever its signs."""
    if not any(word.isalpha() for word in text.split()):
        assert write_spoken_numbers(text, may_be_other=True) == text


def test_a_digit_in_a_circle_or_above_the_line_is_no_factor_of_the_number_behind_it() -> None:
    """ "②" and "²" are digits for Python, which makes no number of them."""
    assert write_spoken_numbers("① thousand rows a batch\n② hundred\n64 hundred") == "① 1000 rows a batch\n② 100\n6400"


@given(st.lists(st.sampled_from(WORDS)))
def test_words_of_numbers_in_any_order_are_read(words: list[str]) -> None:
    """No order of them is an error."""
    assert isinstance(write_spoken_numbers(" ".join(words), may_be_other=True), str)


def test_a_long_text_is_read_in_time_in_proportion_and_not_kept() -> None:
    """Each word was compared with each span of code, and the results of megabytes stayed in memory."""
    text = "set `port` to sixty four hundred and go on, " * 20_000
    before, started = _write_again.cache_info().currsize, process_time()
    assert write_spoken_numbers(text) == "set `port` to 6400 and go on, " * 20_000
    assert process_time() - started < 20, "the old code took minutes"
    assert _write_again.cache_info().currsize == before


def test_words_that_were_asked_for_once_cost_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine of ten texts say no number, and asking each of their words took most of the time of index words."""
    write_spoken_numbers("read every row again, then the two-step login")
    asked: list[str] = []

    def ask(word: str, _languages: object) -> bool:
        asked.append(word)
        return False

    monkeypatch.setattr(spoken_numbers, "_is_numeral", ask)
    assert (
        write_spoken_numbers("then read the two-step login again, every row") == "then read the two-step login again, every row"
    )
    assert asked == []


SIGNS = [*re.findall(r"\S+", "one Twenty five hundred fifteen-minute two-step - . / _ ` x é İ 3"), " ", "\n", "\u3000"]


@given(st.lists(st.sampled_from(SIGNS), max_size=12).map("".join))
def test_looking_for_number_words_first_changes_no_text(text: str) -> None:
    """Whatever stands around a word, a text that is left alone at first sight has no number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spoken_numbers, "_may_say_number", lambda part: True)
        expected = spoken_numbers._write(text, may_be_other=False)
    assert write_spoken_numbers(text) == expected
