"""The present habit is the newest form, and what the owner said of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.each_case import each_case
from transforms.habits.command_row import RanCommand
from transforms.habits.present_commands import CommandRow, find_present_commands

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def row(command: str, hour: int, times: int = 1, session: str = "", *, is_named: bool = False) -> CommandRow:
    at = START + timedelta(hours=hour)
    return CommandRow(RanCommand(command, is_named), f"o-{command}-{hour}", session or f"s{hour}", at, at.date(), times)


def present(*rows: CommandRow, said: tuple[tuple[int, str], ...] = ()) -> list[str]:
    sayings = [(START + timedelta(hours=hour), words) for hour, words in said]
    return [habit.command for habit in find_present_commands(rows, sayings)]


def test_a_command_counts_over_sessions_and_days() -> None:
    (habit,) = find_present_commands([row("make test", 30, 2), row("make test", 0, 3)])
    assert (habit.times, habit.days, habit.last.observation_id) == (5, 2, "o-make test-30")


def test_a_newer_form_of_the_same_work_wins_over_a_more_frequent_one() -> None:
    assert present(row("make check", 0, 9), row("just check", 40, 2)) == ["just check"]


def test_one_test_by_its_name_replaces_no_run_of_all_that_ran_more_often() -> None:
    """A form with more in it is a part of the work, unless it became the habit."""
    part = "mise run test:integration -- -run TestOne"
    assert present(row("mise run test", 0, 3), row(part, 40)) == ["mise run test", part]
    assert present(row("mise run test", 0, 3), row(part, 40, 3)) == [part]


def test_two_forms_of_one_session_both_stand() -> None:
    assert present(row("just test", 0, 1, "s"), row("just test-pg", 1, 2, "s")) == ["just test-pg", "just test"]


def test_what_the_owner_named_wins_in_the_same_session() -> None:
    named = row("prove -l t", 1, 1, "s", is_named=True)
    assert present(row("perl t/all.pl", 0, 3, "s"), named) == ["prove -l t"]


@each_case(
    ("hour", "words", "is_shown"),
    [
        (5, "never use make", False),
        (-5, "never use make", True),  # it ran afterwards
        (5, "you never deploy", False),
        (5, "you deploy, never rollback", True),
        (5, "the page is blue", True),
    ],
)
def test_what_the_owner_denied_is_no_habit(hour: int, words: str, is_shown: bool) -> None:
    assert bool(present(row("make deploy", 0, 4), said=((hour, words),))) == is_shown


def test_a_word_in_passing_denies_no_command() -> None:
    """ "just" is no name to a reader of prose, and "test" is one of two words that tell what the flow is for."""
    assert present(row("just t", 0, 5), said=((5, "if I can't test it I don't support it"),)) == ["just t"]
    assert present(row("flow test .flows", 0, 5), said=((5, "if I can't test it I don't support it"),)) == ["flow test .flows"]


def test_a_denied_option_ends_the_form_that_has_it() -> None:
    rows = row("pytest -x", 0, 9), row("make test", 1, 1, "s0")
    assert present(*rows, said=((5, "never -x, use make test"),)) == ["make test"]


def test_a_form_with_more_words_stands_behind_the_shorter_one() -> None:
    assert present(row("pytest -q", 0, 3, "s"), row("pytest -q tests/a.py", 1, 2, "s")) == ["pytest -q"]
