"""Entries as windowing sees them: place in the tree, size, time, calls and files, without their text.

A session of 200 MB is a few megabytes of these, so that windows are always cut from the whole session.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from transforms.conversation.entries import Entry
from transforms.tables.ids import digest
from transforms.windowing.boundary_features import finishing_of, opening_of

SPEAKERS = frozenset({"user", "assistant", "toolResult", "bashExecution"})
"""Roles of messages that are said; system prompts, injected messages, summaries, settings and labels come with them."""

TURN_STARTS = frozenset({"user", "bashExecution"})


@dataclass(frozen=True, slots=True)
class Member:
    """One entry. `kept_from` is set on compactions only: the id of the first entry that was kept, empty for none.

    `opening` and `finishing` say how much it looks like the beginning and the end of a topic (transforms.windowing.boundary_features).
    """

    ordinal: int
    entry_id: str
    parent_id: str | None
    said_at: datetime
    tokens: int
    is_message: bool
    is_typed: bool
    starts_turn: bool
    is_copied: bool
    calls: tuple[str, ...]
    answers: str | None
    kept_from: str | None
    files_read: tuple[str, ...]
    files_modified: tuple[str, ...]
    opening: float | None
    finishing: float
    content_hash: str


def members_of(entries: Iterable[Entry]) -> list[Member]:
    """The entries of one session, in the order given (ordinals ascending)."""
    return [_member(entry) for entry in entries]


def _member(entry: Entry) -> Member:
    read, modified = _files(entry)
    is_compaction = entry.entry_type == "compaction"
    kept_from = entry.raw.get("firstKeptEntryId") if is_compaction else None
    return Member(
        ordinal=entry.ordinal,
        entry_id=entry.entry_id,
        parent_id=entry.parent_id,
        said_at=entry.said_at,
        tokens=entry.token_count,
        is_message=entry.entry_type == "message" and entry.role in SPEAKERS,
        is_typed=entry.is_typed,
        starts_turn=entry.role in TURN_STARTS,
        is_copied="copied" in entry.flags,
        calls=tuple(call.call_id for call in entry.tool_calls),
        answers=entry.tool_call_id if entry.role == "toolResult" else None,
        kept_from=(kept_from if isinstance(kept_from, str) else "") if is_compaction else None,
        files_read=read,
        files_modified=modified,
        opening=opening_of(entry),
        finishing=finishing_of(entry),
        content_hash=digest(entry.ordinal, entry.entry_id, entry.line_no, entry.turn_kind or "", entry.raw_json),
    )


def _files(entry: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Paths that `read`, and that `edit` and `write` were called with, nested calls of scripts included.

    pi's rules (reference on pi's session format, section 9): as the model wrote them, failed calls too, bash never.
    """
    read: list[str] = []
    modified: list[str] = []
    calls: list[tuple[object, object]] = [(call.name, call.arguments) for call in entry.tool_calls]
    if entry.role == "toolResult" and "nestedCalls" in entry.raw_json:
        calls += _nested(entry.raw)
    for name, arguments in calls:
        path = arguments.get("path") if isinstance(arguments, dict) else None
        if isinstance(path, str) and path:
            if name == "read":
                read.append(path)
            elif name in ("edit", "write"):
                modified.append(path)
    return tuple(read), tuple(modified)


def _nested(raw: dict[str, Any]) -> list[tuple[object, object]]:
    message = raw.get("message")
    nested = message.get("nestedCalls") if isinstance(message, dict) else None
    calls = nested.get("calls") if isinstance(nested, dict) else None
    return (
        [(call.get("name"), call.get("arguments")) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    )


def files_of(members: Iterable[Member]) -> tuple[list[str], list[str]]:
    """(files only read, files modified), each sorted by UTF-16 code units as pi sorts them."""
    read: set[str] = set()
    modified: set[str] = set()
    for member in members:
        read.update(member.files_read)
        modified.update(member.files_modified)
    return sorted(read - modified, key=_utf16), sorted(modified, key=_utf16)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def steps_of(members: list[Member]) -> list[list[int]]:
    """Positions grouped into steps that must stay together: an entry, or one with tool calls and their results.

    A result belongs to the nearest earlier call with its id that has none yet, since some providers count calls anew in
    every turn. Steps are ordered by their first entry; one without results, or a result without a call, stands alone.
    """
    steps: list[list[int]] = []
    waiting: dict[str, list[list[int]]] = {}
    for position, member in enumerate(members):
        asked = waiting.get(member.answers) if member.answers is not None else None
        if asked:
            asked.pop().append(position)
            continue
        step = [position]
        steps.append(step)
        for call in member.calls:
            waiting.setdefault(call, []).append(step)
    return steps
