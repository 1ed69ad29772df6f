"""A chapter of the timeline: a week, a month or a year, project by project, told in sentences.

A week is told from the facts that still hold. A month and a year, of which tier 0 holds too much to read, are told from their
distillates; so is a week that a model condensed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import polars as pl

from transforms.calendars.day_names import MONTH_NAMES
from transforms.condensing.condense import format_change
from transforms.condensing.period_answer import unpack_items
from transforms.condensing.period_selection import COMMIT_FACT
from transforms.language.sentences import split_prose
from transforms.pages.page_names import label_projects
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import APART_KINDS, LASTING_KINDS, OFFLINE, PRIORITY_MARKS, PRIORITY_ORDER, SETTLING_KINDS
from transforms.tables.periods import MONTH, WEEK, YEAR, Period, find_period
from transforms.tables.rows import DistillateRow, ObservationRow, SegmentRow
from transforms.tables.schema import DISTILLATES, OBSERVATIONS, SEGMENTS, read_rows
from transforms.timeline.paragraphs import TimelineFact, ToldPeriod, tell_period
from transforms.timeline.telling import enumerate_words, format_day, stands_alone

MAX_STORY, MAX_FACTS, MAX_COMMITS = 5, 24, 12
"""Most sentences of the story, facts and commits of a project: a chapter is read in two minutes."""
FEW_FACTS = 3
"""From so many facts on, extracts of narratives of the offline engine are left out: they repeat facts, or begin anywhere."""
_PASSING_KINDS = ("file_change", "progress", "status", "task")
_NARRATED_COMMITS = compile_late(r'(?<!\w)Committed (?P<subjects>"[^"]+"(?:; "[^"]+")*)')
_FILE_TEXT = compile_late(r"^(?:Created|Edited|Deleted|Moved|Renamed) \S+[^.]*$")
_BULLET = compile_late(r"^- (?P<mark>\S+) (?P<text>.+?)(?: \((?P<month>\d\d)-(?P<day>\d\d)\))?$")
_ORDER_OF_MARK = {mark: PRIORITY_ORDER[priority] for priority, mark in PRIORITY_MARKS.items()}


@dataclass(frozen=True, slots=True)
class ProjectChapter:
    """A project's part of a chapter: its story, facts and commits in time order, how many more commits there are and where, and
    the id of the distillate that they are told from."""

    name: str
    sessions: int
    story: str
    content: ToldPeriod
    committed: tuple[str, ...]
    more_committed: str
    distillate_id: str | None


@dataclass(frozen=True, slots=True)
class Chapter:
    """A period: its page's name (`2026-W20`, `2026-05`, `2026`), its title, its first and last day, the names of the chapters
    in it, and its projects, most sessions first."""

    name: str
    title: str
    first_day: date
    last_day: date
    sessions: int
    parts: tuple[str, ...]
    projects: tuple[ProjectChapter, ...]


def name_week(day: date) -> str:
    """Return the ISO week of a day: `2026-W20`."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def build_chapters(
    frames: Mapping[str, pl.DataFrame], today: date, owner: str, places: Mapping[str, int] | None = None
) -> list[Chapter]:
    """Return a chapter for each week that ended before `today` and has a distilled session, and for each condensed month and
    year; weeks first, oldest first.

    `frames` are `observations`, `segments` and `distillates`, without forgotten rows; `owner` is the name in sentences,
    `places` are those of facts within their message, by id.
    """
    is_held = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null() & ~pl.col("kind").is_in(sorted(APART_KINDS))
    held = frames["observations"].filter(is_held)
    rows: defaultdict[date, list[ObservationRow]] = defaultdict(list)
    narrated: defaultdict[date, list[SegmentRow]] = defaultdict(list)
    place = pl.col("observation_id").replace_strict(places or {}, default=0, return_dtype=pl.Int64)
    for row in read_rows(
        OBSERVATIONS, held.sort("said_at", "session_id", pl.col("ordinals").list.first(), place, "observation_id")
    ):
        rows[row["day"]].append(row)
    for segment in read_rows(SEGMENTS, frames["segments"].sort("started_at", "segment_id")):
        narrated[segment["day"]].append(segment)
    condensed = list(read_rows(DISTILLATES, frames["distillates"]))
    this_monday = today - timedelta(days=today.weekday())
    weeks = sorted({find_period(WEEK, day) for day in (*rows, *narrated) if day < this_monday})
    chapters = [_build_chapter(week, name_week(week.start), rows, narrated, condensed, owner, ()) for week in weeks]
    for tier in (MONTH, YEAR):
        below = list(chapters)
        for period in sorted({Period(tier, row["period_start"], row["period_end"]) for row in condensed if row["tier"] == tier}):
            name = f"{period.start:%Y-%m}" if tier == MONTH else f"{period.start:%Y}"
            parts = tuple(part.name for part in below if _belongs_to(part, period))
            chapters.append(_build_chapter(period, name, rows, narrated, condensed, owner, parts))
    return [chapter for chapter in chapters if chapter.projects]


def _belongs_to(part: Chapter, period: Period) -> bool:
    is_week = "W" in part.name
    middle = part.first_day + timedelta(days=3) if is_week else part.first_day
    return is_week == (period.tier == MONTH) and period.start <= middle <= period.end


def _build_chapter(
    period: Period,
    name: str,
    rows: Mapping[date, list[ObservationRow]],
    narrated: Mapping[date, list[SegmentRow]],
    condensed: list[DistillateRow],
    owner: str,
    parts: tuple[str, ...],
) -> Chapter:
    facts: defaultdict[str, list[ObservationRow]] = defaultdict(list)
    stories: defaultdict[str, list[SegmentRow]] = defaultdict(list)
    for offset in range((period.end - period.start).days + 1):
        day = period.start + timedelta(days=offset)
        for row in rows.get(day, ()):
            facts[row["project"] or ""].append(row)
        for segment in narrated.get(day, ()):
            stories[segment["project"] or ""].append(segment)
    texts = {row["project"]: row for row in condensed if (row["tier"], row["period_start"]) == (period.tier, period.start)}
    projects = []
    labels = label_projects({*facts, *stories, *texts})
    for project in sorted({*facts, *stories, *texts} - {""}):
        text = texts.get(project)
        if period.tier > WEEK and text is None:
            continue
        projects.append(_build_project(labels[project], period, facts[project], stories[project], text, owner))
    projects = [project for project in projects if project.story or project.content.is_full or project.committed]
    projects.sort(key=lambda project: (-project.sessions, project.name))
    sessions = sum(project.sessions for project in projects)
    return Chapter(name, _write_title(period, name), period.start, period.end, sessions, parts, tuple(projects))


def _write_title(period: Period, name: str) -> str:
    if period.tier == WEEK:
        first = f"{period.start.day}" if period.start.month == period.end.month else format_day(period.start)
        return f"{name}: {first} to {format_day(period.end)} {period.end.year}"
    return f"{MONTH_NAMES[period.start.month - 1].capitalize()} {period.start.year}" if period.tier == MONTH else name


def _build_project(
    name: str, period: Period, rows: list[ObservationRow], narrated: list[SegmentRow], text: DistillateRow | None, owner: str
) -> ProjectChapter:
    sessions = {row["session_id"] for row in narrated} | {row["session_id"] for row in rows}
    if text is not None and (period.tier > WEEK or text["engine"] != OFFLINE):
        sentences, facts = _read_distillate(text)
    else:
        text, sentences = None, [row["narrative"] for row in narrated if row["narrative"]]
        facts = _select_facts(rows)
    committed = _list_commits(rows, narrated) if period.tier == WEEK else {}
    shown, more = tuple(committed)[:MAX_COMMITS], tuple(committed.values())[MAX_COMMITS:]
    days = [day.isoformat() for day in sorted(set(more))]
    where = f"{len(more)} more, in the daily {'log' if len(days) == 1 else 'logs'} of {enumerate_words(days)}" if more else ""
    content = tell_period([fact for fact in facts if not COMMIT_FACT.match(fact.text)], owner)
    is_model = text is not None and text["engine"] != OFFLINE
    story = _write_story(sentences, content, is_model) if is_model or len(facts) < FEW_FACTS else ""
    source = text["distillate_id"] if text is not None else None
    return ProjectChapter(name, len(sessions), story, content, shown, where, source)


def _read_distillate(row: DistillateRow) -> tuple[list[str], list[TimelineFact]]:
    """Return the lines of a condensed text: sentences of its narrative, and its facts with their days."""
    sentences: list[str] = []
    facts: list[tuple[int, TimelineFact]] = []
    if row["parts"]:
        for item in unpack_items(row["parts"]):
            if item.kind == "narrative":
                sentences.append(item.text)
            else:
                line = item.text + format_change(item)
                text = f"{line} (earlier: {item.earlier})" if item.earlier else line
                source = min((key for key in item.sources if key.startswith("o-")), default="")
                fact = TimelineFact(text, item.day, source, is_worded=True, is_binding=item.kind in SETTLING_KINDS)
                facts.append((PRIORITY_ORDER.get(item.priority, 3), fact))
        return sentences, _keep_strongest(facts)
    for line in row["text"].splitlines():
        if match := _BULLET.match(line):
            fact = TimelineFact(match["text"], _find_day(row, match["month"], match["day"]))
            facts.append((_ORDER_OF_MARK.get(match["mark"], 1), fact))
        elif line.strip():
            sentences.append(line.strip())
    return sentences, _keep_strongest(facts)


def _keep_strongest(facts: list[tuple[int, TimelineFact]]) -> list[TimelineFact]:
    """Return the facts of the highest priorities, in their order."""
    places = sorted(range(len(facts)), key=lambda place: (facts[place][0], -place))[:MAX_FACTS]
    return [facts[place][1] for place in sorted(places)]


def _find_day(row: DistillateRow, month: str | None, day: str | None) -> date:
    """Return the day of a fact: a date without a year lies in the period, or in the weeks around it."""
    if month is None or day is None:
        return row["period_start"]
    year = row["period_end"].year
    if (year, int(month)) > (row["period_end"].year, row["period_end"].month + 1):
        year -= 1
    try:
        return date(year, int(month), int(day))
    except ValueError:
        return row["period_start"]


def _select_facts(rows: list[ObservationRow]) -> list[TimelineFact]:
    """Return the facts of a week that a reader wants: no files and steps, the most important ones when they are many."""
    wanted = [
        row for row in rows
        if row["kind"] not in _PASSING_KINDS and not _FILE_TEXT.match(row["text"]) and not COMMIT_FACT.match(row["text"])
    ]  # fmt: skip

    def rank(row: ObservationRow) -> tuple[int, bool, int]:
        """Sort important facts first, then those that hold, then repeated ones."""
        return PRIORITY_ORDER.get(row["priority"], 3), row["kind"] not in LASTING_KINDS, -(row["merged_count"] or 1)

    best = sorted(wanted, key=rank)
    chosen = {row["observation_id"] for row in best[:MAX_FACTS]}
    return [
        TimelineFact(row["text"], row["day"], row["observation_id"], row["engine"] != OFFLINE, row["kind"] in SETTLING_KINDS)
        for row in wanted
        if row["observation_id"] in chosen
    ]


def _write_story(texts: list[str], content: ToldPeriod, is_model: bool) -> str:
    """Return the sentences of narratives that a reader understands and that no paragraph has; all when a model wrote them."""
    if is_model:
        return " ".join(texts)
    sentences = dict.fromkeys(sentence.strip() for text in texts for sentence in split_prose(text))
    clear = (sentence for sentence in sentences if stands_alone(sentence) and '"' not in sentence)
    return " ".join([sentence for sentence in clear if not content.tells(sentence)][:MAX_STORY])


def _list_commits(rows: list[ObservationRow], narrated: list[SegmentRow]) -> dict[str, date]:
    """Return the subjects of a week's commits with the days of their logs, in order of time: of facts, and of narratives, which
    name commits without a fact."""
    subjects: dict[str, tuple[datetime, date]] = {}
    for row in rows:
        if match := COMMIT_FACT.match(row["text"]):
            subjects[match["subject"] or match["subjects"]] = row["said_at"], row["day"]
    for segment in narrated:
        for match in _NARRATED_COMMITS.finditer(segment["narrative"] or ""):
            for subject in match["subjects"].strip('"').split('"; "'):
                if not any(known.startswith(subject.rstrip("…")) for known in subjects):  # a narrative may cut a subject
                    subjects[subject] = segment["ended_at"], segment["day"]
    return {subject: day for subject, (_, day) in sorted(subjects.items(), key=lambda item: item[1])}
