"""Entries reduced to the fields that windowing needs: place in the tree, size, time, calls and files, without text.

They are small, so a session's windows are always cut from all of its entries.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from transforms.conversation.entries import Entry
from transforms.conversation.speakers import is_judged
from transforms.tables.ids import hash_fields
from transforms.tables.json_object import JsonObject
from transforms.windowing.boundary_features import score_ending, score_opening

SPOKEN_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution"})
"""Roles of messages in the conversation; system prompts, injected messages, summaries, settings and labels accompany them."""

TURN_START_ROLES = frozenset({"user", "bashExecution"})


@dataclass(frozen=True, slots=True)
class WindowEntry:
    """One entry. `first_kept_id` is set on compactions only: the id of the first entry that was kept, empty for none.

    `opening_score` and `ending_score` come from `transforms.windowing.boundary_features`. `attribution_hash` is empty when the
    entry's format tells who wrote it.
    """

    ordinal: int
    entry_id: str
    parent_id: str | None
    said_at: datetime
    tokens: int
    is_message: bool
    is_typed: bool
    is_pasted: bool
    starts_turn: bool
    is_copied: bool
    call_ids: tuple[str, ...]
    answered_call_id: str | None
    first_kept_id: str | None
    files_read: tuple[str, ...]
    files_modified: tuple[str, ...]
    opening_score: float | None
    ending_score: float
    content_hash: str
    attribution_hash: str


def make_window_entries(entries: Iterable[Entry]) -> list[WindowEntry]:
    """Return the entries of one session in the given order (ordinals ascending)."""
    return [_make_window_entry(entry) for entry in entries]


def _make_window_entry(entry: Entry) -> WindowEntry:
    read, modified = _find_files(entry)
    is_compaction = entry.entry_type == "compaction"
    kept_from = entry.raw.get("firstKeptEntryId") if is_compaction else None
    return WindowEntry(
        ordinal=entry.ordinal,
        entry_id=entry.entry_id,
        parent_id=entry.parent_id,
        said_at=entry.said_at,
        tokens=entry.token_count,
        is_message=entry.entry_type == "message" and entry.role in SPOKEN_ROLES,
        is_typed=entry.is_typed,
        is_pasted=entry.role == "user" and entry.speaker == "paste",
        starts_turn=entry.role in TURN_START_ROLES,
        is_copied="copied" in entry.flags,
        call_ids=tuple(call.call_id for call in entry.tool_calls if not call.continues),
        answered_call_id=entry.tool_call_id if entry.role == "toolResult" else None,
        first_kept_id=(kept_from if isinstance(kept_from, str) else "") if is_compaction else None,
        files_read=read,
        files_modified=modified,
        opening_score=score_opening(entry),
        ending_score=score_ending(entry),
        content_hash=hash_fields(entry.ordinal, entry.entry_id, entry.line_no, entry.turn_kind or "", entry.raw_json),
        attribution_hash=_hash_attribution(entry),
    )


def _hash_attribution(entry: Entry) -> str:
    """Return a hash of who wrote the entry; empty when its format tells."""
    return hash_fields(entry.ordinal, repr(entry.attribution)) if is_judged(entry.attribution) else ""


def _find_files(entry: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths that were read and those that were edited or written, nested calls of scripts included.

    The rules are pi's: paths as the model wrote them, failed calls too, shell commands never.
    """
    read: list[str] = []
    modified: list[str] = []
    calls: list[tuple[object, object]] = [(call.name, call.arguments) for call in entry.tool_calls]
    if entry.role == "toolResult" and "nestedCalls" in entry.raw_json:
        calls += _find_nested_calls(entry.raw)
    if entry.entry_type == "exec_command_end":  # Codex says which files a command read
        read += entry.raw.get("filesRead") or []
    for name, arguments in calls:
        path = arguments.get("path") if isinstance(arguments, dict) else None
        if isinstance(path, str) and path:
            if name == "read":
                read.append(path)
            elif name in ("edit", "write"):
                modified.append(path)
    return tuple(read), tuple(modified)


def _find_nested_calls(raw: JsonObject) -> list[tuple[object, object]]:
    message = raw.get("message")
    nested = message.get("nestedCalls") if isinstance(message, dict) else None
    calls = nested.get("calls") if isinstance(nested, dict) else None
    return (
        [(call.get("name"), call.get("arguments")) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    )


def merge_files(members: Iterable[WindowEntry]) -> tuple[list[str], list[str]]:
    """Return (files only read, files modified), each sorted by UTF-16 code units as pi sorts them."""
    read: set[str] = set()
    modified: set[str] = set()
    for member in members:
        read.update(member.files_read)
        modified.update(member.files_modified)
    return sorted(read - modified, key=_encode_utf16), sorted(modified, key=_encode_utf16)


def _encode_utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def group_steps(members: list[WindowEntry]) -> list[list[int]]:
    """Group positions that must stay together: an entry, or an entry with tool calls and their results.

    A result belongs to the nearest earlier call with its id that has no result yet, since some providers number calls anew in
    every turn. Steps are ordered by their first entry; a call without result, or a result without call, stands alone.
    """
    steps: list[list[int]] = []
    waiting: dict[str, list[list[int]]] = {}
    for position, member in enumerate(members):
        waiting_steps = waiting.get(member.answered_call_id) if member.answered_call_id is not None else None
        if waiting_steps:
            waiting_steps.pop().append(position)
            continue
        step = [position]
        steps.append(step)
        for call in member.call_ids:
            waiting.setdefault(call, []).append(step)
    return steps
