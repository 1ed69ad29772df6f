"""The log of a day as plain values for the template: one block per window."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import cast
from zoneinfo import ZoneInfo

import polars as pl

from transforms.pages.page_names import label_projects, shorten_project
from transforms.patterns.repeated_sentences import Places, drop_sayings, find_saying, index_facts, split_outcome
from transforms.tables.enums import PRIORITY_MARKS
from transforms.tables.fact_notes import lead_with_chosen
from transforms.tables.rows import ObservationRow, SegmentRow, SessionRow, WindowRow
from transforms.tables.schema import SEGMENTS, SESSIONS, WINDOWS, read_rows
from transforms.tables.window_tables import NOTHING_TO_DO

TRIGGERS = {"compaction": "compaction", "closing": "quiet time", "cap": "size cap"}
"""Kind of a window → the words in the log for the reason why it ended."""
DONE = "Completed: "
"""Begins a task that is over."""
CLOSED_BY_PI = "pi closed the session"


@dataclass(frozen=True, slots=True)
class LogFact:
    """A fact of the log. `replaced_on` is the day of the newer fact that took its place, `warning` what speaks against it. An
    outdated report went by what the newer fact replaced; what `is_said_again` still holds: the newer one says the same."""

    mark: str
    time: str
    text: str
    replaced_on: date | None
    warning: str = ""
    is_outdated: bool = False
    is_said_again: bool = False


@dataclass(frozen=True, slots=True)
class LogSegment:
    """A topic with its facts, in the order in which they were said, and when it began."""

    title: str
    narrative: str
    facts: tuple[LogFact, ...]
    time: str = ""


@dataclass(frozen=True, slots=True)
class LogWindow:
    """A distilled window as its block shows it. `session` is its title, or the first topic where nobody typed; it is empty when
    the block above has the same one. `is_subagent`: an agent worked for another one in it, which goes on in its own session."""

    day: date
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
    is_subagent: bool = False


@dataclass(frozen=True, slots=True)
class SkippedWindow:
    """A window that was not distilled, and why."""

    day: date
    time: str
    session: str
    reason: str


@dataclass(frozen=True, slots=True)
class LogSigns:
    """What is known by id: what speaks against facts, which reports went by what was replaced, places of facts within their
    message, when topics began, and which facts another one of their message has whole."""

    marks: Mapping[str, str] = field(default_factory=dict)
    outdated: Collection[str] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    topic_times: Mapping[str, datetime] = field(default_factory=dict)
    repeated: Collection[str] = ()


def drop_repeated_titles(log_windows: Sequence[LogWindow]) -> list[LogWindow]:
    """Return the windows of a day, without the title where the one above has it as well: time and source tell them apart."""
    titles = ["", *(window.session for window in log_windows)]
    return [
        replace(window, session="") if window.session == above else window
        for above, window in zip(titles, log_windows, strict=False)
    ]


def format_clock(moment: datetime, zone: ZoneInfo, day: date) -> str:
    """Return HH:MM in the owner's zone, behind its date when that is not the day of the page.

    It is another one past midnight, and where the window was read in another zone. In the hour that a clock repeats when it goes
    back the offset follows, because the same time stands for two moments.
    """
    local = moment.astimezone(zone)
    is_repeated = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    clock = local.strftime("%H:%M" if moment.astimezone(zone).date() == day else "%Y-%m-%d %H:%M")
    return f"{clock} {local.isoformat()[-6:]}" if is_repeated else clock


def build_log_windows(
    windows: pl.DataFrame,
    sessions: pl.DataFrame,
    segments: pl.DataFrame,
    observations: pl.DataFrame,
    zone: ZoneInfo,
    signs: LogSigns | None = None,
) -> list[LogWindow]:
    """Return the distilled ones of some windows, in the order in which they began.

    The other frames may hold a whole history: what these windows do not show is not made.
    """
    signs = signs or LogSigns()
    distilled = windows.filter(pl.col("status") == "distilled").sort("started_at", "window_id")
    shown_sessions = sessions.join(distilled, on="session_id", how="semi")
    sessions_by_id = {row["session_id"]: row for row in read_rows(SESSIONS, shown_sessions)}
    shown = segments.join(distilled, on="window_id", how="semi")
    topics = _group_segments(shown.sort("first_ordinal", "segment_id"))
    facts = _group_facts(observations, shown, zone, signs)
    labels = label_projects(sessions["project"].drop_nulls().unique().to_list())
    return [
        _build_window(row, sessions_by_id.get(row["session_id"]), topics.get(row["window_id"], []), facts, zone, labels, signs)
        for row in read_rows(WINDOWS, distilled)
    ]


def drop_passed_steps(windows: pl.DataFrame) -> pl.DataFrame:
    """Return the windows of a history, those without task and next step behind which their session went on: what came of them
    stands in the next window."""
    is_distilled = pl.col("status") == "distilled"
    last = pl.col("started_at").filter(is_distilled).max().over("session_id")
    is_passed = is_distilled & (pl.col("started_at") < last)
    return windows.with_columns(
        pl.when(~is_passed.fill_null(value=False)).then(name).alias(name) for name in ("current_task", "suggested_response")
    )


def build_skipped_windows(windows: pl.DataFrame, sessions: pl.DataFrame, zone: ZoneInfo) -> list[SkippedWindow]:
    """Return the windows that were skipped or failed, so that the log shows them too.

    Copies of a parent and the sessions of sub-agents are left out: nobody typed in them.
    """
    sub_agents = sessions.filter(pl.col("is_subagent").fill_null(False))["session_id"].to_list()
    titles = dict(sessions.select("session_id", "title").iter_rows())
    rows = windows.filter(pl.col("status").is_in(["skipped", "failed"]) & (pl.col("reason") != "copied"))
    rows = rows.filter(~pl.col("session_id").is_in(sub_agents))
    return [
        SkippedWindow(
            day=row["day"],
            time=format_clock(row["started_at"], zone, row["day"]),
            session=titles.get(row["session_id"]) or row["session_id"],
            reason=_format_reason(row),
        )
        for row in read_rows(WINDOWS, rows.sort("started_at", "window_id"))
    ]


def _build_window(
    row: WindowRow,
    session: SessionRow | None,
    topics: Sequence[SegmentRow],
    facts: dict[str, list[LogFact]],
    zone: ZoneInfo,
    labels: Mapping[str, str],
    signs: LogSigns,
) -> LogWindow:
    began = {
        topic["segment_id"]: signs.topic_times.get(topic["segment_id"], topic["started_at"] or row["started_at"])
        for topic in topics
    }
    log_segments = [
        LogSegment(topic["title"] or "", topic["narrative"] or "", tuple(facts.get(key, ())), format_clock(at, zone, row["day"]))
        for topic, (key, at) in zip(topics, began.items(), strict=True)
    ]
    project = session["project"] or "" if session else ""
    is_subagent = bool(session and session["is_subagent"])
    response = "" if is_subagent else row["suggested_response"] or ""
    window = LogWindow(
        day=row["day"],
        window_id=row["window_id"],
        session=(session["title"] if session else None) or next((topic.title for topic in log_segments if topic.title), ""),
        project=labels.get(project) or shorten_project(project),
        time=format_clock(row["started_at"], zone, row["day"]),
        trigger=_word_trigger(row, session),
        modified=tuple(_shorten_path(path, project) for path in row["files_modified"] or ()),
        read_count=len(row["files_read"] or ()),
        source=(session["source_path"] if session else "").rsplit("/", 1)[-1],
        first_line=min((topic["first_line"] for topic in topics), default=0),
        last_line=max((topic["last_line"] for topic in topics), default=0),
        segments=tuple(_drop_narrative(topic) for topic in log_segments if topic.facts or topic.narrative),
        current_task="" if is_subagent or response.startswith(NOTHING_TO_DO) else row["current_task"] or "",  # or finished
        suggested_response=response,
        is_subagent=is_subagent,
    )
    return say_once(window)


def say_once(window: LogWindow) -> LogWindow:
    """Return the window without what its facts say: in narratives, in the outcome of another fact, in its task and next step."""
    facts = [(fact.time, fact.text) for topic in window.segments for fact in topic.facts]
    places = index_facts(facts)
    alone = index_facts((time, text) for time, text in facts if not split_outcome(text)[1])
    step, _, rest = window.suggested_response.partition(": ")
    place = find_saying(rest, places)
    is_done = window.current_task.startswith(DONE) and find_saying(window.current_task.removeprefix(DONE), places) is not None
    return replace(
        window,
        segments=tuple(_drop_said(topic, places, alone) for topic in window.segments),
        current_task="" if is_done else window.current_task,
        suggested_response=f"{step}: see {place}" if place else window.suggested_response,
    )


def _drop_said(topic: LogSegment, places: Places, alone: Places) -> LogSegment:
    """Return the topic, its narrative without the sentences that a fact says, its facts without outcomes that are facts of their
    own."""
    facts = []
    for fact in topic.facts:
        head, outcome, files = split_outcome(fact.text)
        is_repeated = bool(outcome) and find_saying(outcome, alone) is not None
        facts.append(replace(fact, text=head + files) if is_repeated else fact)
    narrative = drop_sayings(topic.narrative, places, topic.title) if topic.facts else topic.narrative
    return replace(topic, narrative=narrative, facts=tuple(facts))


def _drop_narrative(topic: LogSegment) -> LogSegment:
    """Return the topic without a narrative that says what the title says, or begins with it: a short one is its own title."""
    title, narrative = topic.title.strip(" ."), topic.narrative.strip()
    if title.casefold() == narrative.strip(" .").casefold():
        return replace(topic, narrative="")
    begin, behind = narrative[: len(title)], narrative[len(title) :]
    is_begun = bool(title) and begin.casefold() == title.casefold() and behind.startswith(". ")
    return replace(topic, narrative=behind[1:].lstrip()) if is_begun else topic


def _word_trigger(row: WindowRow, session: SessionRow | None) -> str:
    """Return why a window ended: pi tells its shutdown, which ends the last window of a session; others end in quiet hours."""
    is_closed = session is not None and session["is_closed"] and row["last_ordinal"] == session["entry_count"] - 1
    return CLOSED_BY_PI if row["kind"] == "closing" and is_closed else TRIGGERS[row["kind"]]


def _shorten_path(path: str, project: str) -> str:
    """Return the path relative to the project's folder, where it lies below it."""
    return path.removeprefix(project.rstrip("/") + "/") if project else path


_FACT_COLUMNS = (
    "observation_id", "session_id", "entry_ids", "window_id", "segment_id", "superseded_by", "said_at", "priority", "text"
)  # fmt: skip


def _group_facts(observations: pl.DataFrame, segments: pl.DataFrame, zone: ZoneInfo, signs: LogSigns) -> dict[str, list[LogFact]]:
    """Return allowed facts by segment, of these ones; duplicates that were merged within the same window are not repeated."""
    allowed = observations.filter(pl.col("verdict") == "allow").join(segments, on="segment_id", how="semi")
    heirs = observations.join(allowed, left_on="observation_id", right_on="superseded_by", how="semi")
    by_id = {row[0]: row[1:] for row in heirs.select("observation_id", "said_at", "window_id", "also").iter_rows()}
    page_days = dict(segments.select("segment_id", "day").iter_rows())
    grouped: dict[str, list[LogFact]] = {}
    once = allowed.filter(~pl.col("observation_id").is_in([*signs.repeated]))
    ordered = once.with_columns(
        ordinal=pl.col("ordinals").list.first(),
        place=pl.col("observation_id").replace_strict(signs.places, default=0, return_dtype=pl.Int64),
    ).sort("said_at", "session_id", "ordinal", "place", "observation_id")
    rows = ordered.select(_FACT_COLUMNS).iter_rows(named=True)
    for row in cast(Iterator[ObservationRow], rows):  # these columns only
        replaced_on, is_said_again = None, False
        if (successor := row["superseded_by"]) in by_id:
            later, window_id, also = by_id[successor]
            if window_id == row["window_id"]:
                continue
            replaced_on = later.astimezone(zone).date() if later > row["said_at"] else None
            is_said_again = not {f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()}.isdisjoint(also or ())
        fact = LogFact(
            PRIORITY_MARKS[row["priority"]],
            format_clock(row["said_at"], zone, page_days[row["segment_id"]]),
            lead_with_chosen(row["text"]),
            replaced_on,
            signs.marks.get(row["observation_id"], ""),
            row["observation_id"] in signs.outdated,
            is_said_again,
        )
        grouped.setdefault(row["segment_id"], []).append(fact)
    return grouped


def _group_segments(segments: pl.DataFrame) -> dict[str, list[SegmentRow]]:
    groups: dict[str, list[SegmentRow]] = {}
    for row in read_rows(SEGMENTS, segments):
        groups.setdefault(row["window_id"], []).append(row)
    return groups


def _format_reason(row: WindowRow) -> str:
    if row["status"] == "failed":
        return f"failed: {row['reason']}"
    if row["reason"] == "too_few_user_messages":
        count = row["user_message_count"]
        return f"too small to distil ({count} user {'message' if count == 1 else 'messages'})"
    return str(row["reason"]).replace("_", " ")
