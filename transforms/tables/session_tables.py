"""Tables of the ingest step: session files, sessions, their entries, and damaged lines."""

from datetime import date, datetime
from typing import Annotated, TypedDict

from transforms.tables.definition import Column, Table
from transforms.tables.enums import Agent, EntryFlag, ProjectSign, SketchKind, SourceStatus, Speaker, TurnKind


class SourceRow(TypedDict):
    """a session file as last read"""

    path: Annotated[str, Column("absolute path of the file")]
    session_id: Annotated[str | None, Column("id in its header; null when the file is not a session", references="sessions")]
    size: Annotated[int, Column("size when last read", unit="bytes")]
    mtime_ns: Annotated[int, Column("modification time when last read", unit="ns")]
    consumed_bytes: Annotated[int, Column("offset after the last complete line that was read", unit="bytes")]
    prefix_hash: Annotated[str | None, Column("hash of the consumed bytes; it changes when the file is rewritten")]
    status: Annotated[SourceStatus, Column("state of the file")]
    reason: Annotated[str, Column("why the file was refused or excluded, or what it has lost of what was read; empty otherwise")]
    header_version: Annotated[int | None, Column("version in the header; 1 when the header has none", bits=16)]
    line_count: Annotated[int, Column("line feeds consumed", bits=32)]
    days: Annotated[list[date], Column("local days of its entries")]


class SessionRow(TypedDict):
    """a session"""

    session_id: Annotated[str, Column("the client's session id")]
    source_path: Annotated[str, Column("file that the session was read from", references="sources")]
    project: Annotated[
        str, Column("folder of the project: the working directory, or the one of its repository", references="projects")
    ]
    cwd: Annotated[str | None, Column("working directory as the client recorded it; null in rows of older versions: the project")]
    title: Annotated[
        str | None,
        Column(
            "last session name, else the first typed line of two words or more, else the first one; null when nothing was typed"
        ),
    ]
    parent_session: Annotated[str | None, Column("path or id of the session that it was forked from")]
    started_at: Annotated[datetime, Column("earliest entry that the session does not share with its parent")]
    ended_at: Annotated[datetime, Column("latest entry")]
    entry_count: Annotated[int, Column("entries without the header", bits=32)]
    user_message_count: Annotated[int, Column("user messages in which the owner wrote something", bits=32)]
    models: Annotated[list[str], Column("`provider/model` in order of first use")]
    input_tokens: Annotated[int, Column("billed input, cache reads and writes included", unit="tokens")]
    output_tokens: Annotated[int, Column("billed output", unit="tokens")]
    cost_usd: Annotated[
        float, Column("sum of the costs that pi recorded; 0 also where none was, as in other clients", unit="USD")
    ]
    agent: Annotated[Agent | None, Column("the client that wrote it; null in rows of older versions: pi")]
    agent_version: Annotated[str | None, Column("version of the client when the session began; pi does not write it")]
    is_subagent: Annotated[
        bool | None, Column("an agent talks to a sub-agent in it: part of its parent session, no session of the owner")
    ]
    opened_by: Annotated[str | None, Column("session whose agent handed its prompt over, when known", references="sessions")]
    attribution_hash: Annotated[
        str | None, Column("hash of the inputs of attribution, and of the attributions that differ from the format's")
    ]
    is_closed: Annotated[bool, Column("pi reported its shutdown (`recollect session FILE --closed`)")]
    day: Annotated[date, Column("local day of `started_at`")]


class SpeakerPart(TypedDict):
    """a stretch of an entry's text with its speaker"""

    start: Annotated[int, Column("first character", bits=32)]
    end: Annotated[int, Column("character behind the last one", bits=32)]
    speaker: Annotated[Speaker, Column("who wrote it")]
    reason: Annotated[str, Column("sign that tells")]


class ProjectRow(TypedDict):
    """a working directory of sessions and the project that it belongs to"""

    folder: Annotated[str, Column("working directory as the sessions name it")]
    project: Annotated[str, Column("project of its sessions: the root of the folder of this repository that was worked in first")]
    joined_by: Annotated[ProjectSign, Column("why")]
    root: Annotated[str | None, Column("top folder of the repository, of a worktree that of the main one; null when never seen")]
    git_dir: Annotated[str | None, Column("common git directory of all worktrees")]
    remote: Annotated[str | None, Column("host, owner and name of the remote `origin`, or of the one that a session recorded")]
    first_commit: Annotated[str | None, Column("hash of the oldest commit without parents")]
    joined_to: Annotated[str | None, Column("folder or project that the owner joined it to; itself when it stands alone")]


class EntryRow(TypedDict):
    """a JSONL entry: typed columns and its raw JSON, redacted"""

    session_id: Annotated[str, Column("the client's session id", references="sessions")]
    entry_id: Annotated[str, Column("pi's id; made from the position when the entry has none or repeats one")]
    parent_id: Annotated[str | None, Column("id of the parent entry; null for a root")]
    ordinal: Annotated[int, Column("0-based position among the file's entries, the header not counted", bits=32)]
    line_no: Annotated[int, Column("0-based physical line; objects glued on one line share it", bits=32)]
    source_path: Annotated[str, Column("the session file", references="sources")]
    entry_type: Annotated[str, Column("type as pi wrote it: `message`, `compaction`, `branch_summary`, `custom`, `label`, …")]
    role: Annotated[str | None, Column("role of a message: `user`, `assistant`, `toolResult`, `bashExecution`, `system`, …")]
    turn_kind: Annotated[TurnKind | None, Column("content of a user entry; null for every other entry")]
    speaker: Annotated[Speaker | None, Column("who wrote the entry; null in files of older versions")]
    speaker_reason: Annotated[str | None, Column("sign that tells: `format:skill_block`, `recurrence`, `learned`, …")]
    speaker_parts: Annotated[list[SpeakerPart] | None, Column("stretches of the text, when several wrote it; null when one did")]
    text: Annotated[str, Column("text parts, summary, content, or command and output; redacted")]
    thinking: Annotated[str | None, Column("thinking of an assistant message, redacted")]
    tool_name: Annotated[str | None, Column("tool of a tool result")]
    tool_call_id: Annotated[str | None, Column("call that a tool result answers")]
    is_error: Annotated[bool, Column("a failed tool result or command, or an assistant message that ended in an error")]
    provider: Annotated[str | None, Column("provider of an assistant message or model change")]
    model: Annotated[str | None, Column("model of an assistant message or model change")]
    stop_reason: Annotated[str | None, Column("`stopReason` of an assistant message")]
    input_tokens: Annotated[
        int | None, Column("billed input, cache included, of an answer or a summary; Codex: of `token_count`", "tokens")
    ]
    output_tokens: Annotated[int | None, Column("billed output, on the same entries", unit="tokens")]
    cost_usd: Annotated[float | None, Column("cost that pi recorded; null in other clients", unit="USD")]
    token_count: Annotated[int, Column("pi's estimate of the message; 0 for entries outside the context", "tokens", bits=32)]
    said_at: Annotated[datetime, Column("time of the entry; taken from its neighbours when missing")]
    is_synthetic_id: Annotated[bool, Column("recollect made the entry id")]
    on_active_branch: Annotated[bool, Column("on the path from the file's last entry to its root")]
    flags: Annotated[list[EntryFlag], Column("peculiarities of the line, the form or the place, and what was taken out")]
    raw_json: Annotated[str, Column("the entry as written, redacted, without signatures and image data")]
    day: Annotated[date, Column("local day of `said_at`")]


class SketchRow(TypedDict):
    """a long text, as hashes that texts with the same passages share"""

    session_id: Annotated[str, Column("the client's session id", references="sessions")]
    ordinal: Annotated[int, Column("position of the entry", references="entries", bits=32)]
    part: Annotated[int, Column("number of the text in its entry", bits=32)]
    kind: Annotated[SketchKind, Column("place of the text")]
    is_first: Annotated[bool, Column("the session's first user entry that it does not share with its parent")]
    words: Annotated[int, Column("words that were compared, numbers left out", bits=32)]
    hashes: Annotated[list[int], Column("hashes of runs of words, chosen by winnowing")]
    said_at: Annotated[datetime, Column("time of the entry")]
    sign: Annotated[str | None, Column("sign that the rest of the lake gave when its session was judged last; null for none")]
    day: Annotated[date, Column("day of the entry")]


class QuarantineRow(TypedDict):
    """a damaged line, or a row that failed a check"""

    path: Annotated[str, Column("file or table")]
    line_no: Annotated[int, Column("0-based line; -1 when no line is meant", bits=32)]
    rule: Annotated[str, Column("rule that was broken")]
    detail: Annotated[str, Column("short, redacted excerpt")]


SOURCES = Table("sources", SourceRow, ("path",), ("effects.ingest.commit",), "state", is_daily=False)
SESSIONS = Table(
    "sessions", SessionRow, ("session_id",), ("effects.ingest.commit", "effects.distil.attribute_step"), "state", is_daily=True
)
ENTRY_TEXTS = ("text", "thinking", "raw_json")
"""Columns of an entry that hold words of somebody."""
ENTRIES = Table(
    "entries",
    EntryRow,
    ("session_id", "ordinal"),
    ("effects.ingest.commit", "effects.distil.attribute_step"),
    "append",
    is_daily=True,
)
SKETCHES = Table(
    "sketches", SketchRow, ("session_id", "ordinal", "part"), ("effects.distil.attribute_step",), "state", is_daily=True
)
PROJECTS = Table("projects", ProjectRow, ("folder",), ("effects.projects.join_step",), "state", is_daily=False)
QUARANTINE = Table(
    "quarantine", QuarantineRow, ("path", "line_no", "rule", "detail"),
    ("effects.ingest.commit", "effects.memory.consolidate_step"), "append", is_daily=False,
)  # fmt: skip
