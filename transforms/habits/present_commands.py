"""Finds the present habit among the commands that ran in a project: the newest form counts, and what the owner said last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from transforms.habits.command_purpose import do_same_work, is_word_in, list_purpose_words
from transforms.habits.command_row import RanCommand, read_command_row
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import stem


class CommandRow(NamedTuple):
    """A row of a command: what it tells, its id and session, when it ran last there, and in how many exchanges."""

    ran: RanCommand
    observation_id: str
    session_id: str
    said_at: datetime
    day: date
    times: int


@dataclass(frozen=True, slots=True)
class Habit:
    """A command with its rows, oldest first."""

    command: str
    rows: tuple[CommandRow, ...]

    @property
    def times(self) -> int:
        """In how many exchanges it went through."""
        return sum(row.times for row in self.rows)

    @property
    def last(self) -> CommandRow:
        """Its newest row."""
        return self.rows[-1]

    @property
    def days(self) -> int:
        """On how many days it ran."""
        return len({row.day for row in self.rows})

    @property
    def failed(self) -> str:
        """The form of it that failed last before one of its successes; empty without one."""
        return next((row.ran.failed for row in reversed(self.rows) if row.ran.failed), "")

    @property
    def runs(self) -> str:
        """What its script runs, as it was shown last; empty if it never was."""
        return next((row.ran.runs for row in reversed(self.rows) if row.ran.runs), "")

    @property
    def named_at(self) -> datetime | None:
        """When it ran last as the owner had said; None if he never named it."""
        return max((row.said_at for row in self.rows if row.ran.is_named), default=None)


def read_command_rows(rows: Iterable[tuple[str, str, str, datetime, date, int]]) -> list[CommandRow]:
    """Return the rows of commands of (text, id, session, moment, day, cited results), without rows of another form."""
    return [
        CommandRow(ran, name, session, said_at, day, times)
        for text, name, session, said_at, day, times in rows
        if (ran := read_command_row(text)) is not None
    ]


def find_present_commands(rows: Iterable[CommandRow], sayings: Sequence[tuple[datetime, str]] = ()) -> list[Habit]:
    """Return the commands of one project that are run there now, those of the most exchanges first.

    Left out is what gave way to another command for the same work: one that began in later sessions than the last of it, or
    that the owner named at or after its last run. So is what the owner denied afterwards (`sayings`: moments and words of his).
    A form that only adds words to one that runs as often stands behind it.
    """
    grouped = defaultdict[str, list[CommandRow]](list)
    for row in sorted(rows, key=lambda row: (row.said_at, row.observation_id)):
        grouped[row.ran.command].append(row)
    habits = [Habit(command, tuple(own)) for command, own in grouped.items()]
    present = [habit for habit in habits if not any(_gives_way(habit, other) for other in habits)]
    present = [habit for habit in present if not any(_is_denied(habit, *said) for said in sayings)]
    present = [habit for habit in present if not any(_adds_words(habit, other) for other in present)]
    return sorted(present, key=lambda habit: (-habit.times, -habit.last.said_at.timestamp(), habit.command))


def _gives_way(habit: Habit, other: Habit) -> bool:
    if other.command == habit.command:
        return False
    is_apart = {row.session_id for row in habit.rows}.isdisjoint(row.session_id for row in other.rows)
    if is_apart and other.rows[0].said_at > habit.last.said_at:
        return do_same_work(habit.command, other.command) and not _is_narrower(other, habit)
    is_named = other.named_at is not None and habit.named_at is None and other.named_at >= habit.last.said_at
    return is_named and any(is_word_in(word, list_purpose_words(habit.command)) for word in list_purpose_words(other.command))


def _is_narrower(habit: Habit, other: Habit) -> bool:
    """Whether a command is for what the other one is for and more, and runs less often: one test, and all of them."""
    own, others = list_purpose_words(habit.command), list_purpose_words(other.command)
    return len(own) > len(others) and all(is_word_in(word, own) for word in others) and other.times > habit.times


def _is_denied(habit: Habit, said_at: datetime, words: str) -> bool:
    """Whether words of the owner, said after the last run, deny the program of a command, all words of what it is for, or one of
    its options."""
    if said_at <= habit.last.said_at:
        return False
    program = habit.command.rpartition(" && ")[2].split(maxsplit=1)[0].casefold()
    purpose = list_purpose_words(habit.command)
    own = {*purpose, program}
    options = {word.strip("-").casefold() for word in habit.command.split() if word.startswith("-")}
    said = {stem(word) for word in "".join(sign if sign.isalnum() or sign == "-" else " " for sign in words).casefold().split()}
    if said.isdisjoint(map(stem, {*own, *options, *(f"-{name}" for name in options), *(f"--{name}" for name in options)})):
        return False  # most words name nothing of it, and parsing costs time
    signs = parse_statement(words).signs
    named = [parse_statement(text).signs.keys() for text in (program, " ".join(purpose))]
    is_named = any(words_named and words_named <= signs.keys() for words_named in named)
    is_all_denied = is_named and all(signs.get(word, "-") == "-" for words_named in named for word in words_named)
    return is_all_denied or any(signs.get(form) == "-" for name in options for form in (name, f"--{name}"))


def _adds_words(habit: Habit, other: Habit) -> bool:
    """Whether a command is another one with more words, and runs no more often."""
    return {*other.command.split()} < {*habit.command.split()} and other.times >= habit.times
