"""A chapter of the timeline: a week, project by project, from narratives, facts and commits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from transforms.pages.page_names import shorten_project
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import PRIORITY_ORDER
from transforms.tables.rows import ObservationRow
from transforms.tables.schema import OBSERVATIONS, SEGMENTS, read_rows

LIMITS = {"story": 8, "decided": 8, "learned": 6, "committed": 12}
"""Most lines of each part: a chapter is read in two minutes."""
_KINDS_OF_PART = {
    "decided": ("rule", "preference", "decision", "convention", "correction", "state_change"),
    "learned": ("root_cause", "cure", "fix"),
}
_COMMIT_TEXT = compile_late(r'^Committed(?: "(?P<subject>[^"]+)"|: (?P<rest>.+)$)')


@dataclass(frozen=True, slots=True)
class ProjectChapter:
    """A project's part of a week. `story` are (day, narrative); the other parts are (text, id)."""

    name: str
    sessions: int
    story: tuple[tuple[date, str], ...]
    decided: tuple[tuple[str, str], ...]
    learned: tuple[tuple[str, str], ...]
    committed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A week: its name (`2026-W20`), first and last day, and its projects, most sessions first."""

    name: str
    first_day: date
    last_day: date
    sessions: int
    projects: tuple[ProjectChapter, ...]


def name_week(day: date) -> str:
    """Return the ISO week of a day: `2026-W20`."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def build_chapters(frames: Mapping[str, pl.DataFrame], today: date) -> list[Chapter]:
    """Return a chapter for each week that ended before `today` and has a distilled session, oldest first.

    `frames` are `observations` and `segments`, without forgotten rows.
    """
    segments, observations = frames["segments"], frames["observations"]
    held = observations.filter((pl.col("verdict") == "allow") & pl.col("superseded_by").is_null())
    days = sorted({*segments["day"].to_list(), *held["day"].to_list()})
    this_monday = today - timedelta(days=today.weekday())
    mondays = sorted({day - timedelta(days=day.weekday()) for day in days})
    return [_build_chapter(monday, segments, held) for monday in mondays if monday < this_monday]


def _build_chapter(monday: date, segments: pl.DataFrame, observations: pl.DataFrame) -> Chapter:
    sunday = monday + timedelta(days=6)
    in_week = pl.col("day").is_between(monday, sunday)
    narrated, facts = segments.filter(in_week), observations.filter(in_week)
    names = sorted({*narrated["project"].drop_nulls().to_list(), *facts["project"].drop_nulls().to_list()})
    projects = [
        _build_project(name, narrated.filter(pl.col("project") == name), facts.filter(pl.col("project") == name))
        for name in names
    ]
    projects = [project for project in projects if project.story or project.decided or project.learned or project.committed]
    projects.sort(key=lambda project: (-project.sessions, project.name))
    return Chapter(name_week(monday), monday, sunday, sum(project.sessions for project in projects), tuple(projects))


def _build_project(name: str, segments: pl.DataFrame, facts: pl.DataFrame) -> ProjectChapter:
    narrated = sorted(read_rows(SEGMENTS, segments), key=lambda row: (row["started_at"], row["segment_id"]))
    rows = sorted(read_rows(OBSERVATIONS, facts), key=lambda row: (row["said_at"], row["observation_id"]))
    longest = sorted((row for row in narrated if row["narrative"]), key=lambda row: (-(row["tokens"] or 0), row["segment_id"]))
    shown = {row["segment_id"] for row in longest[: LIMITS["story"]]}
    story = tuple((row["day"], row["narrative"]) for row in narrated if row["segment_id"] in shown)
    sessions = {row["session_id"] for row in narrated} | {row["session_id"] for row in rows}
    return ProjectChapter(
        shorten_project(name), len(sessions), story, _select_facts(rows, "decided"), _select_facts(rows, "learned"),
        _list_commits(rows),
    )  # fmt: skip


def _select_facts(rows: list[ObservationRow], part: str) -> tuple[tuple[str, str], ...]:
    kinds = _KINDS_OF_PART[part]
    wanted = [row for row in rows if row["kind"] in kinds and row["priority"] != "low"]
    best = sorted(
        wanted, key=lambda row: (PRIORITY_ORDER.get(row["priority"], 3), kinds.index(row["kind"]), -(row["merged_count"] or 1))
    )
    chosen = {row["observation_id"] for row in best[: LIMITS[part]]}
    return tuple((row["text"], row["observation_id"]) for row in wanted if row["observation_id"] in chosen)


def _list_commits(rows: list[ObservationRow]) -> tuple[str, ...]:
    subjects: dict[str, None] = {}
    for row in rows:
        if match := _COMMIT_TEXT.match(row["text"]):
            subjects[match["subject"] or match["rest"]] = None
    return tuple(subjects)[: LIMITS["committed"]]
