"""Finds the command that answers a question how something is run: the present habit of its project that is for that work."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from math import fsum, log1p

from transforms.habits.command_purpose import is_word_in, list_purpose_words
from transforms.habits.command_row import COMMAND_KIND, read_command_row
from transforms.habits.present_commands import CommandRow, Habit, find_present_commands
from transforms.recall.newer_values import Folded
from transforms.recall.ranking_record import RankingRecord

LEAST_SHARE = 0.5
"""Share of the words of the work asked for, by rarity, that a command has in its own words."""
LEADING = 3
"""First hits among which later words of the owner may deny a command."""
UNDATED = datetime.min.replace(tzinfo=UTC)


def find_asked_command(
    rows: Sequence[RankingRecord],
    asked: Sequence[str],
    projects: Collection[str],
    weights: Mapping[str, float],
    folded: Folded,
    zone: tzinfo,
) -> int | None:
    """Return the place of the newest row of the command that is run for this work in one of these projects; None without one.

    Of several the one with most of the words, then the one that is for little beside them (`test`, and not one test by its name)
    and ran often, then the newest by day. The rows of facts have their texts.
    """
    fitting: list[tuple[float, float, date, int]] = []
    for project in projects:
        own = {row["id"]: place for place, row in enumerate(rows) if _is_of(row, project)}
        habits = find_present_commands(_list_rows(rows, own, zone), _list_sayings(rows, folded, project))
        shares = ((_measure_share(habit, asked, weights), habit) for habit in habits)
        fitting += [
            (share, _measure_own_share(habit, asked) * log1p(habit.times), habit.last.day, own[habit.last.observation_id])
            for share, habit in shares
            if share >= LEAST_SHARE
        ]
    return max(fitting)[-1] if fitting else None


def _is_of(row: RankingRecord, project: str) -> bool:
    return row["source"] == "observation" and row["kind"] == COMMAND_KIND and row.get("project") == project


def _list_rows(rows: Sequence[RankingRecord], own: Mapping[str, int], zone: tzinfo) -> list[CommandRow]:
    listed = []
    for name, place in own.items():
        row = rows[place]
        said_at = row["said_at"] or UNDATED
        if (ran := read_command_row(row.get("text") or "")) is not None:
            times = len(row.get("entry_ids") or ()) or 1
            listed.append(CommandRow(ran, name, row["session_id"] or "", said_at, said_at.astimezone(zone).date(), times))
    return listed


def _list_sayings(rows: Sequence[RankingRecord], folded: Folded, project: str) -> list[tuple[datetime, str]]:
    """Return what the owner said in the first hits, with its time."""
    hits = [rows[hit.index] for hit, _ in folded[:LEADING]]
    said = [row for row in hits if row.get("project") == project and "owner" in (row.get("origin"), row["speaker"])]
    return [(row["said_at"] or UNDATED, row.get("text") or "") for row in said]


def _measure_share(habit: Habit, asked: Sequence[str], weights: Mapping[str, float]) -> float:
    words = {*list_purpose_words(habit.command), *list_purpose_words(habit.runs)}
    total = fsum(weights.get(word, 1.0) for word in asked)
    return fsum(weights.get(word, 1.0) for word in asked if is_word_in(word, words)) / total if total else 0.0


def _measure_own_share(habit: Habit, asked: Sequence[str]) -> float:
    """Return the share of a command's own words that were asked for."""
    words = list_purpose_words(habit.command)
    return sum(any(is_word_in(word, [own]) for word in asked) for own in words) / len(words) if words else 0.0
