"""Makes the briefing of a project from the lake, and its page within a budget of tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import polars as pl

from effects.judging.told_relations import read_changed_parts
from effects.pages.kept_groups import Grouped, KeptGroups
from effects.pages.message_places import find_repeated_facts, read_places
from effects.pages.page_facts import (
    ChangedParts,
    drop_ended_facts,
    list_answered_advice,
    list_refused_facts,
    read_marks,
    read_newer_facts,
    read_refusals,
)
from effects.store.memory_file import read_memory
from effects.store.run import Run
from effects.system.templates import render_template
from effects.tasks.task_step import read_tasks
from transforms.answers.waiting_changes import find_waiting_changes, join_line_marks
from transforms.attribution.typed_language import ENOUGH_OF_ONE_CONVERSATION, measure_quotations
from transforms.briefing.brief import LIMITS, NO_LIMITS, STATED, Briefing, FactGroup, FactSigns, Limits
from transforms.briefing.build_briefing import frame_briefing, group_facts
from transforms.briefing.command_lines import list_command_lines
from transforms.briefing.done_work import find_done_work
from transforms.briefing.fit_briefing import fit_to_budget
from transforms.briefing.weigh_facts import drop_repeated, keep_message_order
from transforms.memory.line_evidence import (
    find_closed_work,
    find_line_projects,
    find_stated_facts,
    is_closed_work,
    rank_line_evidence,
)
from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import parse_memory
from transforms.tables.schema import PROPOSALS, read_rows
from transforms.tables.tokens import BRIEFING_TOKENS, count_tokens
from transforms.tasks.find_tasks import describe_open_tasks, select_project

JUDGED_ROWS = 60
"""Newest facts of a project by whose quotations its language is judged."""


def render_briefing(run: Run, frames: dict[str, pl.DataFrame], project: str, budget: int | None) -> str:
    """Return the page of a project's briefing within `budget` tokens (at least its headings); without one all of it."""
    limits = NO_LIMITS if budget is None else LIMITS.widen(max(1, -(-budget // BRIEFING_TOKENS)))
    return render_within_budget(make_briefing(run, frames, project, limits=limits), budget)


def render_within_budget(whole: Briefing, budget: int | None) -> str:
    """Return the page of a briefing within `budget` tokens (at least its headings); without one all of it."""

    def as_page(brief: Briefing) -> str:
        """Return the Markdown of a briefing, which the budget measures."""
        return render_template("pages/briefing.md.j2", brief=brief)

    return as_page(whole) if budget is None else fit_to_budget(whole, as_page, count_tokens, budget)


@dataclass(frozen=True, slots=True)
class BriefingSources:
    """What the briefings of all projects are made of beside their facts: lines of MEMORY.md with their marks, ranks of facts
    and projects, and when the owner refused facts as lines; `marks` and `newer` are those of `read_marks` and
    `read_newer_facts`. `ended` are the ids of `list_ended_facts`, and `kept` what the last rendering found, where they are
    known."""

    bullets: Sequence[str]
    line_marks: Mapping[str, str]
    ranks: Mapping[str, int]
    homes: Mapping[str, str]
    refusals: Mapping[str, datetime]
    marks: Mapping[str, str]
    newer: Mapping[str, str]
    ended: Collection[str] | None = None
    kept: KeptGroups | None = None


def read_briefing_sources(
    run: Run,
    frames: dict[str, pl.DataFrame],
    ended: Collection[str] | None = None,
    kept: KeptGroups | None = None,
    parts: ChangedParts | None = None,
) -> BriefingSources:
    """Return what the briefings of all projects have in common; `parts` are the changed parts of facts, where they were read."""
    page = parse_memory(read_memory(run))
    bullets = [bullet.text for bullet in page.bullets if bullet.text]
    changes = find_waiting_changes(read_rows(PROPOSALS, frames["proposals"]), page.bullets)
    parts = read_changed_parts(run) if parts is None else parts
    marks = read_marks(run, parts)
    joined = {text: join_line_marks(marks.get(make_memory_id(text), ""), changes.get(text)) for text in bullets}
    ranks = rank_line_evidence(frames["proposals"], frames["observations"], bullets)
    homes = find_line_projects(frames["proposals"], frames["observations"], frames["sessions"], bullets)
    refusals = read_refusals(run, frames["observations"])
    line_marks = {text: mark for text, mark in joined.items() if mark}
    return BriefingSources(bullets, line_marks, ranks, homes, refusals, marks, read_newer_facts(run, parts), ended, kept)


def make_briefing(
    run: Run,
    frames: dict[str, pl.DataFrame],
    project: str,
    limits: Limits = LIMITS,
    sources: BriefingSources | None = None,
) -> Briefing:
    """Return all that the briefing of a project could show within `limits`; `sources` are those of all projects, where they were
    read."""
    sources = sources or read_briefing_sources(run, frames)
    shown_times = frames["proposals"].filter(pl.col("status") == "pending")["first_shown_at"].drop_nulls().to_list()
    expires_on = None
    if shown_times:
        expires_on = (min(shown_times) + timedelta(days=run.settings.review.expire_days)).astimezone(run.zone).date()
    own_tasks = select_project(read_tasks(run).values(), project)
    closed = {task["title"]: task["closed_at"] for task in own_tasks.values() if task["closed_at"] is not None}
    if sources.ended is None:
        own = drop_ended_facts(run, frames["observations"], project)
    else:
        is_holding = (pl.col("project") == project) & ~pl.col("observation_id").is_in(list(sources.ended))
        own = frames["observations"].filter(is_holding)
    refused = own.filter(pl.col("observation_id").is_in(list_refused_facts(own, sources.refusals)))

    def find_settled() -> list[str]:
        """Return the facts that later ones settle; a page with everything judges no advice."""
        return [*find_done_work(own), *([] if limits == NO_LIMITS else list_answered_advice(own))]

    find_stated = partial(find_stated_facts, own, sources.bullets)
    if kept := sources.kept:
        settled = kept.find_ids(project, "settled", "", find_settled)
        stated = kept.find_ids(project, "stated", repr(sources.bullets), find_stated)
    else:
        settled, stated = find_settled(), find_stated()
    over = [*stated, *find_closed_work(own, closed), *settled]
    ranks = {**sources.ranks, **dict.fromkeys(over, STATED)}
    holding = own.join(refused, on="observation_id", how="anti", maintain_order="left")
    frames = frames | {"observations": holding}
    frames |= {"windows": _blank_closed_work(frames["windows"], closed)} if closed else {}
    is_unread = is_project_unread(frames["observations"], project)
    signs = FactSigns(
        sources.marks, ranks, is_unread, sources.homes, sources.line_marks, tuple(refused["text"]), limits, sources.newer
    )

    brief, has_task = frame_briefing(
        project, frames, [*sources.bullets], expires_on, run.zone, describe_open_tasks(own_tasks), signs
    )

    def group_in_order() -> Grouped:
        """Return the groups in the order of messages, and the number of facts that a page of any length has."""
        groups, all_facts = group_facts(holding, project, run.zone, signs, has_task=has_task)
        ordered = _order_messages(run, groups, own, sources.newer)
        repeated = sum(len(facts) for _, facts in groups) - sum(len(facts) for _, facts in ordered)
        return ordered, all_facts - repeated

    groups, all_facts = kept.group(project, holding, signs, has_task, group_in_order) if kept else group_in_order()
    return replace(brief, groups=groups, all_facts=all_facts, commands=list_command_lines(own, project, run.zone))


def _order_messages(
    run: Run, groups: Sequence[FactGroup], observations: pl.DataFrame, newer: Mapping[str, str]
) -> tuple[FactGroup, ...]:
    """Return the groups with the facts of one message in its order, and without those that another one of it has whole. What
    stands behind the fact that it led to stays there."""
    paired = {*newer, *newer.values()}
    shown = [fact.observation_id for _, facts in groups for fact in facts if fact.observation_id not in paired]
    rows = observations.filter(pl.col("observation_id").is_in(shown))
    repeated = find_repeated_facts(rows)
    places = read_places(run, rows)
    kept = drop_repeated(groups, repeated)
    messages = rows.select("observation_id", "session_id", pl.col("ordinals").list.first()).iter_rows()
    return keep_message_order(kept, {key: (*message, places[key]) for key, *message in messages if key in places})


def is_project_unread(observations: pl.DataFrame, project: str) -> bool:
    """Whether the newest facts that quote the owner are of a language that no rule reads: those of a project, or, when it has
    few words, those of all."""
    quoting = observations.filter(pl.col("origin") == "owner").sort("said_at", "observation_id", descending=True)
    own = quoting.filter(pl.col("project") == project)
    typed = measure_quotations(own["text"].head(JUDGED_ROWS))
    if typed.words >= ENOUGH_OF_ONE_CONVERSATION:
        return typed.is_unread
    return not typed.english and measure_quotations(quoting["text"].head(JUDGED_ROWS)).is_other


def _blank_closed_work(windows: pl.DataFrame, closed: Mapping[str, datetime]) -> pl.DataFrame:
    """Return the windows without current tasks and next steps of which a task was closed since."""
    names = ("current_task", "suggested_response")
    kept = [
        [text if text and not is_closed_work(text, ended_at, closed) else None for text in texts]
        for ended_at, *texts in windows.select("ended_at", *names).iter_rows()
    ]
    return windows.with_columns(pl.Series(name, [row[at] for row in kept], pl.String) for at, name in enumerate(names))
