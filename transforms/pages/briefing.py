"""The briefing of a project: the facts that still hold, most binding first, within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import polars as pl

from transforms.pages.page_names import find_foreign_projects, shorten_project
from transforms.tables.fact_notes import cut_notes
from transforms.tables.schema import OBSERVATIONS, WINDOWS, read_rows
from transforms.tables.window_tables import LAST_COMPLETED

BRIEFED_KINDS = ("rule", "preference", "correction", "decision", "convention", "root_cause", "state_change")
"""Kinds that matter after the session, most binding first: the order of the groups."""
HEADINGS = {
    "rule": "Rules",
    "preference": "Preferences",
    "correction": "Corrections",
    "decision": "Decisions",
    "convention": "Conventions",
    "root_cause": "Root causes and fixes",
    "state_change": "State",
}
OWNER_KINDS = ("rule", "preference", "correction")
"""Kinds that only the owner's words give, or a summary of them."""
SETTLED_KINDS = ("decision", "convention", "state_change")
"""Kinds that an agent may report as well, but that are not read off a page or a program's output."""
UNSORTED_KINDS = (*BRIEFED_KINDS, "request", "status")
"""Kinds of a person's words, where their language hides which of them bind."""
UNSORTED_HEADING = "In the owner's words"
RECENT_SESSIONS = 5
MIN_TASKS = 3
"""Open tasks that stay while anything else is left."""
MIN_GROUP_FACTS = 2
"""Facts of a kind that stay while another kind has more."""
STATED, DECLINED, UNJUDGED, OFFERED = -1, 0, 1, 2
"""Ranks of facts: a line of MEMORY.md says it, the owner turned such a line down, nobody judged it, a reflection offers it."""
GROUP_LIMIT = 40
"""Facts of one kind that are considered: so many fill the default budget."""


@dataclass(frozen=True, slots=True)
class BriefFact:
    """A fact with its day, its id, the warning of the ground check, and its rank: the lower goes first."""

    text: str
    day: date
    observation_id: str
    mark: str = ""
    rank: int = UNJUDGED


@dataclass(frozen=True, slots=True)
class FactSigns:
    """What is known about facts beside their rows, by id: warnings of the ground check, and ranks."""

    marks: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BriefSession:
    """A recent session: day, title and narrative."""

    day: date
    title: str
    narrative: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """The values of the template. `memory` are lines of MEMORY.md about this project or about none, `elsewhere` those that name
    only other projects. `omitted` counts facts that did not fit."""

    project: str
    as_of: str
    current_task: str
    suggested_response: str
    groups: tuple[tuple[str, tuple[BriefFact, ...]], ...]
    memory: tuple[str, ...]
    elsewhere: tuple[str, ...]
    recent: tuple[BriefSession, ...]
    tasks: tuple[str, ...]
    pending: int
    expires_on: date | None
    omitted: int


def build_briefing(
    project: str,
    frames: dict[str, pl.DataFrame],
    memory: list[str],
    expire_on: date | None,
    zone: ZoneInfo,
    tasks: tuple[str, ...] = (),
    signs: FactSigns | None = None,
) -> Briefing:
    """Return all that the briefing of `project` could show, most important first; `fit_to_budget` shortens it.

    `frames` holds windows, sessions, segments, observations and proposals; `memory` the bullets of MEMORY.md, `tasks` the lines
    of open tasks, the most important first.
    """
    sessions = frames["sessions"].filter(pl.col("project") == project)
    windows = frames["windows"].join(sessions.select("session_id", "title"), on="session_id")
    distilled = windows.filter(pl.col("status") == "distilled").sort("ended_at", "window_id", descending=True)
    groups, omitted = _build_groups(frames["observations"], project, zone, signs or FactSigns())
    own, elsewhere = _split_memory(memory, project, frames["sessions"]["project"].drop_nulls().unique().to_list())
    last_window = next(read_rows(WINDOWS, distilled), None)
    response = (last_window["suggested_response"] or "") if last_window else ""
    is_open = last_window is not None and not response.startswith(LAST_COMPLETED)  # a finished task is no current one
    ended: datetime | None = sessions["ended_at"].max() if sessions.height else None  # type: ignore[assignment]
    return Briefing(
        project=shorten_project(project),
        as_of=ended.astimezone(zone).strftime("%Y-%m-%d %H:%M") if ended else "",
        current_task=(last_window["current_task"] or "") if last_window and is_open else "",
        suggested_response=response,
        groups=groups,
        memory=own,
        elsewhere=elsewhere,
        recent=_build_recent_sessions(distilled, frames["segments"], zone),
        tasks=tasks,
        pending=frames["proposals"].filter(pl.col("status") == "pending").height,
        expires_on=expire_on,
        omitted=sum(omitted.values()),
    )


def add_unsorted_words(
    brief: Briefing, observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns | None = None
) -> Briefing:
    """Return the briefing with all else that the owner said in `project`, the newest first, in a group of its own.

    For an owner whose language no rule reads: kind and priority say little about such words, and what was said last holds.
    """
    is_said = (pl.col("origin") == "owner") & pl.col("kind").is_in(UNSORTED_KINDS) & (pl.col("project") == project)
    is_grouped = (pl.col("priority") == "high") & pl.col("kind").is_in(BRIEFED_KINDS)
    signs = signs or FactSigns()
    rows = _select_current(observations.filter(is_said & ~is_grouped), signs.ranks)
    if rows.is_empty():
        return brief
    facts = _build_facts(rows, zone, signs)
    omitted = brief.omitted + rows.height - len(facts)
    return replace(brief, groups=(*brief.groups, (UNSORTED_HEADING, facts)), omitted=omitted)


def fit_to_budget(full: Briefing, render: Callable[[Briefing], str], count: Callable[[str], int], budget: int) -> str:
    """Return the rendered briefing within `budget` tokens. Notes behind facts go first, then lines of MEMORY.md about other
    projects, which have them on briefings of their own; then the longest group gives up a fact, so that no kind crowds out the
    others, and those that a reflection offers stay longest; then older sessions go, then the other lines of MEMORY.md."""
    brief = full if count(render(full)) <= budget else _cut_all_notes(full)
    while count(text := render(brief)) > budget:
        shorter = _drop_least_important(brief)
        if shorter is None:
            return text
        brief = shorter
    return text


def _drop_least_important(brief: Briefing) -> Briefing | None:
    """Return the briefing without its least important part; None when nothing is left to drop."""
    if brief.elsewhere:
        return replace(brief, elsewhere=brief.elsewhere[:-1])
    if last := max(
        (
            (-facts[-1].rank, len(facts), position)
            for position, (_, facts) in enumerate(brief.groups)
            if len(facts) > MIN_GROUP_FACTS
        ),
        default=None,
    ):
        index = last[-1]
        heading, facts = brief.groups[index]
        groups = (*brief.groups[:index], (heading, facts[:-1]), *brief.groups[index + 1 :])
        return replace(brief, groups=groups, omitted=brief.omitted + 1)
    if len(brief.tasks) > MIN_TASKS:
        return replace(brief, tasks=brief.tasks[:-1])
    if len(brief.recent) > 1:
        return replace(brief, recent=brief.recent[:-1])
    if brief.memory:
        return replace(brief, memory=brief.memory[:-1])
    if brief.groups:
        return replace(brief, groups=brief.groups[:-1], omitted=brief.omitted + len(brief.groups[-1][1]))
    return None


def _cut_all_notes(brief: Briefing) -> Briefing:
    """Return the briefing with its facts alone; `recollect show` has the notes, which are as long again."""
    groups = tuple(
        (heading, tuple(replace(fact, text=cut_notes(fact.text)) for fact in facts)) for heading, facts in brief.groups
    )
    return replace(brief, groups=groups)


def _split_memory(memory: list[str], project: str, projects: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines that name this project or none, and those that name other projects only."""
    elsewhere = [line for line in memory if find_foreign_projects(line, [project], projects)]
    return tuple(line for line in memory if line not in elsewhere), tuple(elsewhere)


def _build_groups(
    observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns
) -> tuple[tuple[tuple[str, tuple[BriefFact, ...]], ...], dict[str, int]]:
    # Nothing unreviewed leaves its project: a preference that holds everywhere reaches others as a line of MEMORY.md.
    is_ours = pl.col("project") == project
    origin = pl.col("origin").fill_null("owner")  # rows of older versions passed the checks of their time
    is_foreign = (pl.col("kind").is_in(OWNER_KINDS) & ~origin.is_in(["owner", "summary"])) | (
        pl.col("kind").is_in(SETTLED_KINDS) & origin.is_in(["tool", "other"])
    )
    current = _select_current(observations.filter((pl.col("priority") == "high") & is_ours & ~is_foreign), signs.ranks)
    groups, omitted = [], {}
    for kind in BRIEFED_KINDS:
        rows = current.filter(pl.col("kind").is_in([kind, "fix"] if kind == "root_cause" else [kind]))
        facts = _build_facts(rows, zone, signs)
        omitted[kind] = rows.height - len(facts)
        if facts:
            groups.append((HEADINGS[kind], facts))
    return tuple(groups), omitted


def _select_current(observations: pl.DataFrame, ranks: Mapping[str, int]) -> pl.DataFrame:
    """Return the facts that hold and that no line of MEMORY.md states, by rank, then the newest first."""
    is_current = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    rank = pl.col("observation_id").replace_strict(ranks, default=UNJUDGED, return_dtype=pl.Int64)
    current = observations.filter(is_current).with_columns(rank=rank).filter(pl.col("rank") > STATED)
    return current.sort(["rank", "said_at", "observation_id"], descending=[True, True, False])


def _build_facts(rows: pl.DataFrame, zone: ZoneInfo, signs: FactSigns) -> tuple[BriefFact, ...]:
    return tuple(
        BriefFact(
            row["text"],
            row["said_at"].astimezone(zone).date(),
            row["observation_id"],
            signs.marks.get(row["observation_id"], ""),
            signs.ranks.get(row["observation_id"], UNJUDGED),
        )
        for row in read_rows(OBSERVATIONS, rows.head(GROUP_LIMIT))
    )


def _build_recent_sessions(distilled: pl.DataFrame, segments: pl.DataFrame, zone: ZoneInfo) -> tuple[BriefSession, ...]:
    recent = distilled.unique("session_id", keep="first", maintain_order=True).head(RECENT_SESSIONS)
    shown = segments.join(recent, on="window_id", how="semi").sort("first_ordinal", descending=True)
    narratives = {
        window: narrative or title or ""
        for window, narrative, title in shown.select("window_id", "narrative", "title").iter_rows()
    }
    rows = recent.select("ended_at", "title", "window_id").iter_rows()
    return tuple(
        BriefSession(ended_at.astimezone(zone).date(), title or "", narratives.get(window, ""))
        for ended_at, title, window in rows
    )
