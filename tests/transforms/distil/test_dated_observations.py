"""Dated observations: what is written is read back, and what is shortened keeps the important and the recent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as st

from transforms.distil.dated_observations import (
    condense_observations,
    join_moments,
    make_line,
    parse_observations,
    write_observations,
)
from transforms.tables.enums import Priority
from transforms.tables.tokens import count_tokens

START = datetime(2026, 2, 10, 14, 30, tzinfo=UTC)
WORDS = st.text("aZ😀é9.:-[]!?#", min_size=1, max_size=40)
PRIORITIES: st.SearchStrategy[Priority] = st.sampled_from(["high", "medium", "low"])
FACTS = st.lists(st.tuples(WORDS, PRIORITIES, st.integers(0, 5000)), min_size=1, max_size=12)


def test_a_line_has_the_form_of_the_seed() -> None:
    """The day is a heading, the time is local, a text of several lines becomes one."""
    lines = [
        make_line("Rows live\n in SQLite", "high", START, ZoneInfo("Europe/Berlin")),
        make_line("The cache is next", "low", START + timedelta(hours=9), ZoneInfo("Europe/Berlin")),
    ]
    assert write_observations(lines) == (
        "Date: 2026-02-10\n- [!] 15:30 Rows live in SQLite\n\nDate: 2026-02-11\n- [i] 00:30 The cache is next"
    )


@given(FACTS)
def test_what_is_written_is_read_back(facts: list[tuple[str, Priority, int]]) -> None:
    """Lines keep day, time, mark and words."""
    lines = [make_line(text, priority, START + timedelta(minutes=minutes), UTC) for text, priority, minutes in facts]
    assert parse_observations(write_observations(lines)) == lines


def test_a_summary_of_another_form_keeps_its_words() -> None:
    """Also the summary that pi made before observational memory was switched on."""
    text = "## Goal\nA parser.\n\nDate: 2026-02-10\n- [!] 14:30 Rows live in SQLite\n  - [i] Two tables"
    lines = parse_observations(text)
    assert [(line.mark, line.text) for line in lines] == [
        ("", "## Goal"), ("", "A parser."), ("!", "Rows live in SQLite"), ("i", "Two tables"),
    ]  # fmt: skip
    assert write_observations(lines).replace("\n\n", "\n") == text.replace("\n\n", "\n")


@given(FACTS, st.integers(1, 200))
@example([("9", "high", 0), ("9", "low", 1), ("e" * 40, "low", 9)], 20)
def test_condensed_observations_fit_and_are_lines_of_the_original(facts: list[tuple[str, Priority, int]], limit: int) -> None:
    """An important line never goes while a less important one stays."""
    ordered = sorted(facts, key=lambda fact: fact[2])
    text = write_observations(make_line(words, priority, START + timedelta(minutes=at), UTC) for words, priority, at in ordered)
    condensed = condense_observations(text, limit)
    assert count_tokens(condensed) <= limit
    before, after = parse_observations(text), parse_observations(condensed)
    assert set(after) <= set(before)
    gone = {line.text.casefold() for line in before} - {line.text.casefold() for line in after}
    if any(line.mark == "i" for line in after):
        assert not any(line.mark == "!" and line.text.casefold() in gone for line in before)


def test_repeated_lines_go_first() -> None:
    """The last one stays."""
    text = "Date: 2026-02-10\n- [!] 14:30 Tests pass\n- [i] 14:40 The cache is next\n- [!] 15:00 Tests pass"
    assert condense_observations(text, count_tokens(text) - 1) == (
        "Date: 2026-02-10\n- [i] 14:40 The cache is next\n- [!] 15:00 Tests pass"
    )


def test_tasks_of_earlier_compactions_go_before_any_fact() -> None:
    """Work goes on from the last ones."""
    text = (
        "- [!] 14:30 Current task: Build it\n- [!] 14:30 Next: Test it\n- [i] 14:40 It works\n- [!] 15:00 Current task: Ship it"
    )
    assert condense_observations(text, count_tokens(text) - 1) == "- [i] 14:40 It works\n- [!] 15:00 Current task: Ship it"


def test_of_equal_lines_those_with_the_owners_words_stay_longest() -> None:
    """A commit can be looked up, a wish cannot; a mark counts more than who spoke."""
    text = (
        '- [?] 14:30 Joel asked: "keep the old code"\n- [?] 14:40 Committed "Add the core" (1507f8b)\n- [!] 14:50 It fails on ARM'
    )
    kept = '- [?] 14:30 Joel asked: "keep the old code"\n- [!] 14:50 It fails on ARM'
    assert condense_observations(text, count_tokens(text) - 1, "Joel") == kept
    assert "old code" not in condense_observations(text, count_tokens(text) - 1, "Ann")
    assert condense_observations(text, 8, "Joel") == "- [!] 14:50 It fails on ARM"


def test_facts_of_one_minute_are_one_line_under_the_highest_mark() -> None:
    """Other minutes, other days, lines of another form and lines that would grow too long stay apart."""
    text = (
        "Date: 2026-02-10\n- [?] 14:30 Tests fail.\n- [!] 14:30 Cause: a lock\n- [i] 14:31 Next\n- [i] 14:31 " + "x" * 60 + "\n"
        "a note\n- [i] 14:31 Last"
    )
    joined = join_moments(parse_observations(text), 40)
    assert [(line.mark, line.text[:30]) for line in joined] == [
        ("!", "Tests fail; Cause: a lock"),
        ("i", "Next"),
        ("i", "x" * 30),
        ("", "a note"),
        ("i", "Last"),
    ]
    assert join_moments(parse_observations(text), 0) == parse_observations(text)
