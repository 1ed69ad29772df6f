"""The briefing of a project: what matters now, within a token budget, from facts that still hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.pages.daily_log import shorten_project

DURABLE_KINDS = ("rule", "preference", "correction", "decision", "convention", "root_cause", "state_change")
"""Kinds that still matter when the session is over, most binding first: the order of the briefing's groups."""
HEADINGS = {
    "rule": "Rules",
    "preference": "Preferences",
    "correction": "Corrections",
    "decision": "Decisions",
    "convention": "Conventions",
    "root_cause": "Root causes and fixes",
    "state_change": "State",
}
PERSONAL_KINDS = ("preference",)
"""Kinds about the person rather than the code: said in one project without naming a file, they hold in the others. A rule
holds where it was said, until the owner approves it for MEMORY.md, which every briefing shows."""
GROUP_LIMIT = 40
"""Facts of one kind that are considered: 40 of 50 tokens fill the whole default budget."""

MAX_NAME_BYTES = 200
"""File systems take names of 255 bytes; a page's name gets an ending and, for a moment, a temporary one."""
_CONTROL = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class BriefFact:
    """A fact with its day and id."""

    text: str
    day: date
    observation_id: str


@dataclass(frozen=True, slots=True)
class BriefSession:
    """One recent session: day, title, and what happened in it."""

    day: date
    title: str
    narrative: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """Values of the briefing's template; `omitted` counts facts that did not fit."""

    project: str
    as_of: str
    current_task: str
    suggested_response: str
    groups: tuple[tuple[str, tuple[BriefFact, ...]], ...]
    memory: tuple[str, ...]
    recent: tuple[BriefSession, ...]
    pending: int
    expires_on: date | None
    omitted: int


def name_project_pages(projects: list[str]) -> dict[str, str]:
    """A page name for each project: its last path part, longer where two projects share it."""
    names: dict[str, str] = {}
    for project in sorted(set(projects)):
        parts = [part for part in project.replace("\\", "/").split("/") if part] or ["unknown"]
        taken = set(names.values())
        depth = next((n for n in range(1, len(parts) + 1) if "-".join(parts[-n:]) not in taken), len(parts))
        name = _make_file_name("-".join(parts[-depth:]))
        while name in taken:
            name += "-"
        names[project] = name
    return names


def _make_file_name(text: str) -> str:
    """The text without control characters, which file systems refuse, and not longer than they allow."""
    return _CONTROL.sub("\ufffd", text).encode()[:MAX_NAME_BYTES].decode(errors="ignore")


def build_briefing(
    project: str, frames: dict[str, pl.DataFrame], memory: list[str], expire_on: date | None, zone: ZoneInfo
) -> Briefing:
    """Everything that the briefing of `project` could say, most important first; `fit` cuts it to a budget.

    `frames` holds windows, sessions, segments, observations and proposals; `memory` the bullets of MEMORY.md.
    """
    sessions = frames["sessions"].filter(pl.col("project") == project)
    windows = frames["windows"].join(sessions.select("session_id", "title"), on="session_id")
    done = windows.filter(pl.col("status") == "distilled").sort("ended_at", "window_id", descending=True)
    groups, omitted = _build_groups(frames["observations"], project, zone)
    last: dict[str, Any] = next(done.iter_rows(named=True), {})
    ended: datetime | None = sessions["ended_at"].max() if sessions.height else None  # type: ignore[assignment]
    return Briefing(
        project=shorten_project(project),
        as_of=ended.astimezone(zone).strftime("%Y-%m-%d %H:%M") if ended else "",
        current_task=last.get("current_task") or "",
        suggested_response=last.get("suggested_response") or "",
        groups=groups,
        memory=tuple(memory),
        recent=_build_recent_sessions(done, frames["segments"], zone),
        pending=frames["proposals"].filter(pl.col("status") == "pending").height,
        expires_on=expire_on,
        omitted=sum(omitted.values()),
    )


def fit_to_budget(full: Briefing, render: Callable[[Briefing], str], count: Callable[[str], int], budget: int) -> str:
    """The rendered briefing within `budget` tokens: the longest group gives up its oldest fact first, so that no kind crowds
    out the others; then older sessions go, then memory lines."""
    kept = full
    while count(text := render(kept)) > budget:
        shorter = _drop_least_important(kept)
        if shorter is None:
            return text
        kept = shorter
    return text


def _drop_least_important(kept: Briefing) -> Briefing | None:
    """The briefing with one thing less, or None when nothing is left to drop."""
    if longest := max(((len(facts), index) for index, (_, facts) in enumerate(kept.groups) if len(facts) > 2), default=None):
        at = longest[1]
        heading, facts = kept.groups[at]
        groups = (*kept.groups[:at], (heading, facts[:-1]), *kept.groups[at + 1 :])
        return replace(kept, groups=groups, omitted=kept.omitted + 1)
    if len(kept.recent) > 1:
        return replace(kept, recent=kept.recent[:-1])
    if kept.memory:
        return replace(kept, memory=kept.memory[:-1])
    if kept.groups:
        return replace(kept, groups=kept.groups[:-1], omitted=kept.omitted + len(kept.groups[-1][1]))
    return None


def _build_groups(
    observations: pl.DataFrame, project: str, zone: ZoneInfo
) -> tuple[tuple[tuple[str, tuple[BriefFact, ...]], ...], dict[str, int]]:
    everywhere = pl.col("kind").is_in(PERSONAL_KINDS) & (pl.col("files").list.len().fill_null(0) == 0)
    mine = (pl.col("project") == project) | everywhere
    valid = observations.filter(
        (pl.col("verdict") == "allow") & (pl.col("priority") == "high") & pl.col("superseded_by").is_null() & mine
    ).sort(["said_at", "observation_id"], descending=[True, False])
    groups, omitted = [], {}
    for kind in DURABLE_KINDS:
        rows = valid.filter(pl.col("kind").is_in([kind, "fix"] if kind == "root_cause" else [kind]))
        facts = tuple(
            BriefFact(row["text"], row["said_at"].astimezone(zone).date(), row["observation_id"])
            for row in rows.head(GROUP_LIMIT).iter_rows(named=True)
        )
        omitted[kind] = rows.height - len(facts)
        if facts:
            groups.append((HEADINGS[kind], facts))
    return tuple(groups), omitted


def _build_recent_sessions(done: pl.DataFrame, segments: pl.DataFrame, zone: ZoneInfo) -> tuple[BriefSession, ...]:
    told = {
        row["window_id"]: row["narrative"] or row["title"] or ""
        for row in segments.sort("first_ordinal", descending=True).iter_rows(named=True)
    }
    rows = done.unique("session_id", keep="first", maintain_order=True).head(5).iter_rows(named=True)
    return tuple(
        BriefSession(row["ended_at"].astimezone(zone).date(), row["title"] or "", told.get(row["window_id"], "")) for row in rows
    )
