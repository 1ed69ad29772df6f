"""The lines of a briefing about the commands that are run in its project: those that went through in several exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import polars as pl

from transforms.briefing.brief import BriefCommand
from transforms.habits.command_row import COMMAND_KIND
from transforms.habits.present_commands import CommandRow, Habit, find_present_commands, read_command_rows
from transforms.tables.enums import PERSON_KINDS

MOST_LINES, LEAST_TIMES = 5, 2
"""Commands that a page shows, and exchanges from which one is a habit."""
_COLUMNS = ("text", "observation_id", "session_id", "said_at", "day", pl.col("entry_ids").list.len())


def list_command_lines(observations: pl.DataFrame, project: str, zone: ZoneInfo) -> tuple[BriefCommand, ...]:
    """Return the lines about the commands that are the present habit in a project, the most frequent first."""
    own = observations.filter((pl.col("project") == project) & (pl.col("verdict") == "allow"))
    rows = read_rows_of_commands(own)
    if not rows:
        return ()
    is_said = (pl.col("origin") == "owner") & pl.col("kind").is_in(sorted(PERSON_KINDS)) & pl.col("superseded_by").is_null()
    is_later = pl.col("said_at") > min(row.said_at for row in rows)
    sayings = own.filter(is_said & is_later).select("said_at", "text")
    habits = find_present_commands(rows, list(sayings.iter_rows()))
    return tuple(_describe_habit(habit, zone) for habit in habits if habit.times >= LEAST_TIMES)[:MOST_LINES]


def read_rows_of_commands(observations: pl.DataFrame) -> Sequence[CommandRow]:
    """Return the rows about commands that ran, also those that a newer row of the same command absorbed."""
    return read_command_rows(observations.filter(pl.col("kind") == COMMAND_KIND).select(_COLUMNS).iter_rows())


def _describe_habit(habit: Habit, zone: ZoneInfo) -> BriefCommand:
    last = habit.last.said_at.astimezone(zone).date()
    days = f"on {habit.days} days, last" if habit.days > 1 else "on"
    named = ", as the owner said" if habit.named_at else ""
    failed = f"; `{habit.failed}` failed" if habit.failed else ""
    runs = f" (it runs `{habit.runs}`)" if habit.runs else ""
    text = f"`{habit.command}`{runs}: {habit.times} times with success {days} {last}{named}{failed}"
    return BriefCommand(text, habit.last.observation_id)
