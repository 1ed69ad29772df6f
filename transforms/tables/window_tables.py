"""Tables of the window step and of distilled windows: windows, coverage, segments and observations."""

from datetime import date, datetime
from typing import Annotated, TypedDict

from transforms.tables.definition import Column, Table
from transforms.tables.enums import AgentMode, Category, FactKind, Origin, Priority, Verdict, WindowKind, WindowStatus

LAST_COMPLETED = "Last completed: "
"""Begins the suggested response of a window that left nothing to do: the work that was done follows."""
LAST_SAID = "Last said by "
"""Begins the suggested response of a window that ended with words of its owner that ask for nothing: name and words follow."""
KEPT_REASON = "facts of the version before: "
"""Begins the reason of a distilled window on which another version of the engine broke."""
NOTHING_TO_DO = (LAST_COMPLETED, LAST_SAID)
WORK_ON = "Work on "
"""Begins the title of a topic of which only the files are known."""


class CoverageRow(TypedDict):
    """the window of an entry"""

    session_id: Annotated[str, Column("the client's session id", references="sessions")]
    ordinal: Annotated[int, Column("position of the entry", references="entries", bits=32)]
    window_id: Annotated[str, Column("window of the entry", references="windows")]
    day: Annotated[date, Column("day of the entry")]


class WindowRow(TypedDict):
    """entries that are distilled together, with their status"""

    window_id: Annotated[str, Column("hash of session, kind and member positions")]
    session_id: Annotated[str, Column("the client's session id", references="sessions")]
    kind: Annotated[WindowKind, Column("reason why the window ends")]
    first_ordinal: Annotated[int, Column("lowest member", bits=32)]
    last_ordinal: Annotated[int, Column("highest member; entries in between may belong to other windows", bits=32)]
    entry_count: Annotated[int, Column("members of every type", bits=32)]
    user_message_count: Annotated[int, Column("user messages among them in which the owner wrote something", bits=32)]
    token_count: Annotated[int, Column("sum of the members' `token_count`", unit="tokens", bits=32)]
    started_at: Annotated[datetime, Column("first member")]
    ended_at: Annotated[datetime, Column("last member")]
    files_read: Annotated[list[str], Column("paths that `read` was called with, without the modified ones")]
    files_modified: Annotated[list[str], Column("paths that `edit` and `write` were called with")]
    current_task: Annotated[str | None, Column("task at the end of the window; null until distilled")]
    suggested_response: Annotated[str | None, Column("next step at the end of the window; null until distilled")]
    mode: Annotated[AgentMode | None, Column("kind of work in it, which decided what was observed; null until distilled")]
    status: Annotated[WindowStatus, Column("state of the window")]
    reason: Annotated[
        str,
        Column(
            "why it is skipped, failed or pending, behind `without_forgotten` when no engine saw forgotten entries; else empty"
        ),
    ]
    attempts: Annotated[int, Column("requests to an engine", bits=16)]
    engine: Annotated[str | None, Column("engine that distilled it; null before")]
    template_hash: Annotated[str | None, Column("hash of the prompt, or version of the offline engine; null before")]
    content_hash: Annotated[str, Column("hash of its members; it changes when the file is rewritten")]
    attribution_hash: Annotated[
        str | None, Column("hash of the attributions of its members that differ from the format's; null for none")
    ]
    session_hash: Annotated[str | None, Column("on a session's last window: hash of the session that its windows were cut from")]
    day: Annotated[date, Column("local day of `started_at`; the daily log of this day shows the window")]


class SegmentRow(TypedDict):
    """a topic inside a window"""

    segment_id: Annotated[str, Column("hash of window and first member")]
    window_id: Annotated[str, Column("its window", references="windows")]
    session_id: Annotated[str, Column("the client's session id", references="sessions")]
    project: Annotated[str, Column("project of the session")]
    title: Annotated[str, Column("title in a few words")]
    narrative: Annotated[str, Column("one to three sentences about the topic")]
    first_ordinal: Annotated[int, Column("first member", bits=32)]
    last_ordinal: Annotated[int, Column("last member", bits=32)]
    first_line: Annotated[int, Column("0-based line of the first member", bits=32)]
    last_line: Annotated[int, Column("0-based line of the last member", bits=32)]
    entry_ids: Annotated[list[str], Column("entries that prove the narrative")]
    lines: Annotated[list[int], Column("0-based lines of these entries", bits=32)]
    started_at: Annotated[datetime, Column("first member")]
    ended_at: Annotated[datetime, Column("last member")]
    tokens: Annotated[int, Column("length of title and narrative", unit="tokens", bits=32)]
    engine: Annotated[str, Column("engine that wrote it")]
    day: Annotated[date, Column("day of its window")]


class ObservationRow(TypedDict):
    """one cited fact (tier 0)"""

    observation_id: Annotated[str, Column("hash of segment, kind and text as the engine wrote it")]
    segment_id: Annotated[str, Column("its segment", references="segments")]
    window_id: Annotated[str, Column("its window", references="windows")]
    session_id: Annotated[str, Column("the client's session id", references="sessions")]
    project: Annotated[str, Column("project of the session")]
    day: Annotated[date, Column("day of its window")]
    said_at: Annotated[datetime, Column("time of the best cited entry, the first of `ordinals`")]
    refers_to: Annotated[date | None, Column("date that the fact mentions, when it can be computed")]
    kind: Annotated[FactKind, Column("kind of fact")]
    priority: Annotated[Priority, Column("importance")]
    category: Annotated[Category, Column("subject")]
    origin: Annotated[Origin | None, Column("where it comes from; null in rows of older versions")]
    text: Annotated[str, Column("the fact; it stands alone")]
    ordinals: Annotated[
        list[int],
        Column("positions of the cited entries in their session, best first; before its window when a summary told it", bits=32),
    ]
    entry_ids: Annotated[list[str], Column("ids of the cited entries, in the same order")]
    lines: Annotated[list[int], Column("0-based lines of the cited entries, in the same order", bits=32)]
    files: Annotated[list[str], Column("files that the fact is about")]
    line_numbers: Annotated[list[int], Column("line numbers in these files, where the transcript names them", bits=32)]
    verdict: Annotated[Verdict, Column("result of the grounding check; only `allow` goes further")]
    verdict_reason: Annotated[str, Column("check that held or discarded it, or what a second reading cut off; empty otherwise")]
    confidence: Annotated[float, Column("confidence of the engine, 0 to 1", bits=32)]
    tokens: Annotated[int, Column("length of the text", unit="tokens", bits=32)]
    engine: Annotated[str, Column("engine that wrote it")]
    template_hash: Annotated[str, Column("hash of the prompt, or version of the offline engine")]
    superseded_by: Annotated[str | None, Column("observation that replaced or absorbed it", references="observations")]
    retires: Annotated[
        list[str],
        Column(
            "earlier observations of its session that its engine said it replaces, finishes or answers", references="observations"
        ),
    ]
    merged_count: Annotated[int, Column("observations that it stands for, itself included", bits=32)]
    also: Annotated[
        list[str], Column("`session_id:entry_id` of evidence merged in from other observations", references="entries")
    ]
    compared_with: Annotated[
        str | None,
        Column("version of dedupe, hash of owner and project, and model of the vector, or `words`; null until compared"),
    ]
    rests_on: Annotated[
        list[str],
        Column(
            "observations on which its comparison rests: merged into it, or that absorbed, retired or replaced it",
            references="observations",
        ),
    ]
    compared_keys: Annotated[
        list[int], Column("hashes of the words, values and names of its text that its comparison looks at; empty until compared")
    ]


COVERAGE = Table("coverage", CoverageRow, ("session_id", "ordinal"), ("effects.distil.window_step",), "state", is_daily=True)
WINDOWS = Table(
    "windows", WindowRow, ("window_id",), ("effects.distil.window_step", "effects.distil.distil_step"), "state", is_daily=True
)
SEGMENTS = Table("segments", SegmentRow, ("segment_id",), ("effects.distil.distil_step",), "state", is_daily=True)
OBSERVATIONS = Table(
    "observations", ObservationRow, ("observation_id",), ("effects.distil.distil_step", "effects.memory.dedupe_step"),
    "state", is_daily=True,
)  # fmt: skip
