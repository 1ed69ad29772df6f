"""The briefing of a project: the facts that still hold, most binding first, within a token budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import polars as pl

from transforms.briefing.brief import Briefing, BriefSession, FactGroup, FactSigns
from transforms.briefing.group_facts import (
    add_open_tasks,
    group_filling_facts,
    group_high_facts,
    group_left_open,
    group_unsorted_words,
)
from transforms.briefing.replaced_passages import drop_refused_sentences
from transforms.briefing.weigh_facts import put_behind_newer, weigh_facts
from transforms.language.sentences import find_content_words, split_prose, split_words
from transforms.pages.page_names import find_line_scope, find_named_projects, is_within_scope, label_projects
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import OFFLINE
from transforms.tables.schema import WINDOWS, read_rows
from transforms.tables.window_tables import NOTHING_TO_DO, WORK_ON

RECENT_SESSIONS = 5
TOPICS_CHARS = 110
"""Characters of the topics that stand for a title which is only the beginning of a session's first words."""
ASKED_SHARE, ASKED_WORDS = 0.6, 3
"""Share of the content words of a topic, of at least so many, that a session's first words have."""
_ASKED, MAX_SPEAKER_WORDS = " asked to ", 2
"""What stands between the speaker, of so many words, and an order in a narrative of rules."""
_FIRST_QUOTATION = compile_late(r'^[^":.]{1,60}: "([^"]*\w[^"]*)"(?:\.\s*|$)')
"""What a narrative of rules begins with: who spoke, as what, and the words."""
_COMMIT_FORM = compile_late(r"^[A-Za-z][\w./-]*\d?(?:\([^()]{1,30}\))?!?: \S")
_QUOTED_COMMIT = compile_late(r'[Cc]ommitted[^"]{0,20}"[^"]+"')
"""The subject of a commit as many projects write it ("store: one row", "fix(api): …"), and as facts quote it."""


def build_briefing(
    project: str,
    frames: dict[str, pl.DataFrame],
    memory: list[str],
    expire_on: date | None,
    zone: ZoneInfo,
    tasks: tuple[str, ...] = (),
    signs: FactSigns | None = None,
) -> Briefing:
    """Return what the briefing of `project` shows without a budget, most important first; `fit_to_budget` shortens it.

    `frames` holds windows, sessions, segments, observations and proposals; `memory` the bullets of MEMORY.md, `tasks` the lines
    of all open tasks, the most important first.
    """
    signs = signs or FactSigns()
    brief, has_task = frame_briefing(project, frames, memory, expire_on, zone, tasks, signs)
    groups, all_facts = group_facts(frames["observations"], project, zone, signs, has_task=has_task)
    return replace(brief, groups=groups, all_facts=all_facts)


def frame_briefing(
    project: str,
    frames: dict[str, pl.DataFrame],
    memory: list[str],
    expire_on: date | None,
    zone: ZoneInfo,
    tasks: tuple[str, ...],
    signs: FactSigns,
) -> tuple[Briefing, bool]:
    """Return the same without its groups of facts, and whether the last window left a task, as `group_facts` asks."""
    of_owner = pl.col("is_subagent").not_().fill_null(value=True)  # a sub-agent's session is part of its parent's
    sessions = frames["sessions"].filter((pl.col("project") == project) & of_owner)
    windows = frames["windows"].join(sessions.select("session_id", "title"), on="session_id")
    distilled = windows.filter(pl.col("status") == "distilled").sort("ended_at", "window_id", descending=True)
    projects = frames["sessions"]["project"].drop_nulls().unique().to_list()
    own, elsewhere = _split_memory(memory, project, projects, signs)
    last_window = next(read_rows(WINDOWS, distilled), None)
    response = (last_window["suggested_response"] or "") if last_window else ""
    is_open = last_window is not None and not response.startswith(NOTHING_TO_DO)  # a finished task is no current one
    ended: datetime | None = sessions["ended_at"].max() if sessions.height else None  # type: ignore[assignment]
    current_task = (last_window["current_task"] or "") if last_window and is_open else ""
    brief = Briefing(
        project=label_projects({*projects, project})[project],
        as_of=ended.astimezone(zone).strftime("%Y-%m-%d %H:%M") if ended else "",
        current_task="" if response.endswith(f": {current_task}") else current_task,  # "Go on with: …" says it
        suggested_response=response,
        groups=(),
        memory=own,
        elsewhere=elsewhere[: signs.limits.elsewhere],
        recent=_build_recent_sessions(distilled, frames["segments"], frames["observations"], zone, signs),
        tasks=tasks[: signs.limits.tasks],
        pending=frames["proposals"].filter(pl.col("status") == "pending").height,
        expires_on=expire_on,
        all_facts=0,
        all_lines=len(own) + len(elsewhere),
        all_tasks=len(tasks),
    )
    return brief, bool(current_task)


def group_facts(
    observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns, *, has_task: bool
) -> tuple[tuple[FactGroup, ...], int]:
    """Return the groups of a page without a budget, and the number of facts that they have without limits.

    `has_task` tells whether the last window left a task, which stands on the page before them.
    """
    groups, considered = group_high_facts(observations, project, zone, signs)
    if not has_task:
        groups, tasks = add_open_tasks(groups, observations, project, zone, signs)
        considered |= tasks
    left, left_open = group_left_open(observations, project, zone, signs, groups)
    groups = (*groups, *left)
    if signs.is_unread:
        words, unsorted = group_unsorted_words(observations, project, zone, signs)
        groups, considered = (*groups, *words), considered | unsorted
    filling, others = group_filling_facts(observations, project, zone, signs, groups)
    weighed = put_behind_newer(weigh_facts((*groups, *filling)), signs.newer)
    return weighed, len(considered | left_open | others)


def _split_memory(
    memory: list[str], project: str, projects: list[str], signs: FactSigns
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines for this project or for all, and those that may hold in others only.

    A line says where it holds: it names projects, or speaks of several. What names other projects alone stands on their pages.
    One that names none was said where its facts were, which may be in one project: it may hold everywhere, and gets the name of
    that project, as lines of MEMORY.md have it.
    """
    labels = label_projects({*projects, project, *signs.line_projects.values()})
    own: list[str] = []
    elsewhere: list[str] = []
    for line in memory:
        home = signs.line_projects.get(line)
        scope = find_line_scope(line, home, labels)
        mark = f" ({signs.line_marks[line]})" if line in signs.line_marks else ""
        if is_within_scope(project, scope):
            own.append(line + mark)
        elif home is not None and scope == (home,) and not find_named_projects(line, labels):
            elsewhere.append(f"**{labels[home]}** — {line}{mark}")
    return tuple(own), tuple(elsewhere)


def _build_recent_sessions(
    distilled: pl.DataFrame, segments: pl.DataFrame, observations: pl.DataFrame, zone: ZoneInfo, signs: FactSigns
) -> tuple[BriefSession, ...]:
    recent = distilled.unique("session_id", keep="first", maintain_order=True).head(RECENT_SESSIONS)
    shown = segments.join(recent, on="window_id", how="semi").sort("first_ordinal", descending=True)
    narratives = {
        window: narrative or title or ""
        for window, narrative, title in shown.select("window_id", "narrative", "title").iter_rows()
    }
    if signs.refused:
        shown_facts = observations.filter((pl.col("verdict") == "allow") & pl.col("superseded_by").is_null())
        holding = shown_facts.join(recent, on="window_id", how="semi")["text"].to_list()
        narratives = {key: drop_refused_sentences(text, signs.refused, holding) for key, text in narratives.items()}
    topics: dict[str, list[str]] = {}
    named = set[str]()
    of_sessions = distilled.join(recent, on="session_id", how="semi").select(
        "window_id", first_words=pl.col("title"), of="session_id"
    )
    committed = _list_committed(observations.join(of_sessions, on="window_id", how="semi"))
    titled = segments.join(of_sessions, on="window_id").filter(pl.col("title") != "").sort("of", "first_ordinal", "segment_id")
    for session, title, engine, first_words in titled.select("of", "title", "engine", "first_words").iter_rows():
        is_name = engine != OFFLINE or _names_commit(title, committed)
        if is_name or (not title.endswith("…") and _tells_again(title, first_words or "")):
            topics.setdefault(session, []).append(title)
        named |= {session} if is_name else set()
    rows = recent.select("ended_at", "title", "window_id", "session_id").iter_rows()
    titled_rows = [
        (ended_at.astimezone(zone).date(), _choose_title(title or "", topics[session] if session in named else []), window)
        for ended_at, title, window, session in rows
    ]
    return tuple(
        BriefSession(day, title, _drop_titled_words(narratives.get(window, ""), title)) for day, title, window in titled_rows
    )


def _drop_titled_words(narrative: str, title: str) -> str:
    """Return a narrative without the quotation, or the "asked to …", that it begins with, where the title before it has all of
    its words."""
    shown = title.rpartition(" ")[0] if title.endswith("…") else title  # its last word may be half of one
    first = next(iter(split_prose(narrative)), "")
    speaker, _, request = first.partition(_ASKED)
    quoted = _FIRST_QUOTATION.match(narrative)
    if quoted:
        said, end = quoted[1], quoted.end()
    elif request and len(speaker.split()) <= MAX_SPEAKER_WORDS:
        said, end = request, len(first)
    else:
        return narrative
    words, shown_words = (f" {' '.join(split_words(text))} " for text in (said, shown))
    return narrative[end:].lstrip() if words.strip() and words in shown_words else narrative


def _list_committed(facts: pl.DataFrame) -> tuple[str, ...]:
    """Return the subjects of the commits that facts quote, in small letters."""
    subjects = facts.select(pl.col("text").str.extract_all(_QUOTED_COMMIT.pattern)).explode("text")["text"].drop_nulls()
    return tuple(subject.partition('"')[2].rstrip('"').casefold() for subject in subjects.unique().sort())


def _names_commit(title: str, committed: tuple[str, ...]) -> bool:
    """Whether a topic has the subject of a commit as its title: what was made, in the words of who made it."""
    plain = title.casefold().rstrip("….")
    return bool(_COMMIT_FORM.match(title)) or any(subject.startswith(plain) for subject in committed)


def _tells_again(title: str, first_words: str) -> bool:
    """Whether the title of a topic is a clause of a session's first words: what was asked for, without what stood around it."""
    words = find_content_words(title)
    return not title.startswith(WORK_ON) and len(words & find_content_words(first_words)) >= ASKED_SHARE * max(
        len(words), ASKED_WORDS
    )


def _choose_title(title: str, topics: list[str]) -> str:
    """Return the topics that a model found, or that commits name, as many as fit, for a title that is cut: only first words are,
    a name is whole."""
    topics = [*(topic for topic in topics if not topic.endswith("…")), *(topic for topic in topics if topic.endswith("…"))]
    fitting = [topic for place, topic in enumerate(topics) if len("; ".join(topics[: place + 1])) <= TOPICS_CHARS]
    return "; ".join(fitting) if fitting and title.endswith("…") else title
