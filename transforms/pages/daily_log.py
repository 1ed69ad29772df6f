"""What a day's log shows, as plain values for the template: one block per window, and what became of proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

PRIORITY_MARKS = {"high": "🔴", "medium": "🟡", "low": "🟢"}
TRIGGERS = {"compaction": "compaction", "closing": "shutdown", "cap": "size cap"}
"""ADR-0021's words for what ended a window; `cap` is ours."""


@dataclass(frozen=True, slots=True)
class LogFact:
    """A fact of the log; `replaced_on` is the day of the newer fact that retired it."""

    mark: str
    time: str
    text: str
    replaced_on: date | None


@dataclass(frozen=True, slots=True)
class LogSegment:
    """A topic with its facts, in the order in which they were said."""

    title: str
    narrative: str
    facts: tuple[LogFact, ...]


@dataclass(frozen=True, slots=True)
class LogWindow:
    """A distilled window as its block shows it."""

    window_id: str
    session: str
    project: str
    time: str
    trigger: str
    modified: tuple[str, ...]
    read_count: int
    source: str
    first_line: int
    last_line: int
    segments: tuple[LogSegment, ...]
    current_task: str
    suggested_response: str


@dataclass(frozen=True, slots=True)
class SkippedWindow:
    """A window that was not distilled, and why."""

    time: str
    session: str
    reason: str


def format_clock(at: datetime, zone: ZoneInfo) -> str:
    """HH:MM in the owner's zone."""
    return at.astimezone(zone).strftime("%H:%M")


def shorten_project(project: str | None) -> str:
    """The last part of a project's path."""
    return (project or "").replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "unknown"


def build_log_windows(
    windows: pl.DataFrame, sessions: pl.DataFrame, segments: pl.DataFrame, observations: pl.DataFrame, zone: ZoneInfo
) -> list[LogWindow]:
    """The distilled windows of a day, in the order in which they began."""
    about = {row["session_id"]: row for row in sessions.iter_rows(named=True)}
    topics = _group_rows(segments.sort("first_ordinal", "segment_id"), "window_id")
    facts = _group_facts(observations, zone)
    done = windows.filter(pl.col("status") == "distilled").sort("started_at", "window_id")
    return [
        _build_window(row, about.get(row["session_id"], {}), topics.get(row["window_id"], []), facts, zone)
        for row in done.iter_rows(named=True)
    ]


def build_skipped_windows(windows: pl.DataFrame, sessions: pl.DataFrame, zone: ZoneInfo) -> list[SkippedWindow]:
    """Windows of a day that were skipped or failed: skipped is not invisible. Copies of a parent session are left out."""
    titles = dict(sessions.select("session_id", "title").iter_rows())
    rows = windows.filter(pl.col("status").is_in(["skipped", "failed"]) & (pl.col("reason") != "copied"))
    return [
        SkippedWindow(
            format_clock(row["started_at"], zone), titles.get(row["session_id"]) or row["session_id"], _format_reason(row)
        )
        for row in rows.sort("started_at", "window_id").iter_rows(named=True)
    ]


def _build_window(
    row: dict[str, Any],
    session: dict[str, Any],
    topics: Sequence[dict[str, Any]],
    facts: dict[str, list[LogFact]],
    zone: ZoneInfo,
) -> LogWindow:
    shown = [
        LogSegment(topic["title"] or "", topic["narrative"] or "", tuple(facts.get(topic["segment_id"], ()))) for topic in topics
    ]
    return LogWindow(
        window_id=row["window_id"],
        session=session.get("title") or row["session_id"],
        project=shorten_project(session.get("project")),
        time=format_clock(row["started_at"], zone),
        trigger=TRIGGERS[row["kind"]],
        modified=tuple(_shorten_path(path, session.get("project") or "") for path in row["files_modified"] or ()),
        read_count=len(row["files_read"] or ()),
        source=(session.get("source_path") or "").rsplit("/", 1)[-1],
        first_line=min((topic["first_line"] for topic in topics), default=0),
        last_line=max((topic["last_line"] for topic in topics), default=0),
        segments=tuple(topic for topic in shown if topic.facts or topic.narrative),
        current_task=row["current_task"] or "",
        suggested_response=row["suggested_response"] or "",
    )


def _shorten_path(path: str, project: str) -> str:
    """The path as seen from the project's folder, where it lies below it."""
    return path.removeprefix(project.rstrip("/") + "/") if project else path


def _group_facts(observations: pl.DataFrame, zone: ZoneInfo) -> dict[str, list[LogFact]]:
    """Facts to show by segment: allowed ones; folded duplicates of the same window are not repeated."""
    said = {row[0]: (row[1], row[2]) for row in observations.select("observation_id", "said_at", "window_id").iter_rows()}
    grouped: dict[str, list[LogFact]] = {}
    for row in observations.filter(pl.col("verdict") == "allow").sort("said_at", "observation_id").iter_rows(named=True):
        replaced_on = None
        if (successor := row["superseded_by"]) in said:
            later, window_id = said[successor]
            if window_id == row["window_id"]:
                continue
            replaced_on = later.astimezone(zone).date() if later > row["said_at"] else None
        fact = LogFact(PRIORITY_MARKS[row["priority"]], format_clock(row["said_at"], zone), row["text"], replaced_on)
        grouped.setdefault(row["segment_id"], []).append(fact)
    return grouped


def _group_rows(frame: pl.DataFrame, column: str) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        groups.setdefault(row[column], []).append(row)
    return groups


def _format_reason(row: dict[str, Any]) -> str:
    if row["status"] == "failed":
        return f"failed: {row['reason']}"
    if row["reason"] == "too_few_user_messages":
        count = row["user_message_count"]
        return f"too small to distil ({count} user {'message' if count == 1 else 'messages'})"
    return str(row["reason"]).replace("_", " ")
