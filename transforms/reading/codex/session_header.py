"""Recognises a rollout file of Codex by its first lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.conversation.codex_form import LINE_TYPES, get_payload, is_codex_line
from transforms.reading.json_lines import ParsedObject
from transforms.reading.session_header import SessionHeader
from transforms.tables.surrogates import replace_surrogates


def read_header(objects: Sequence[ParsedObject], name: str) -> SessionHeader | str | None:
    """Return the header, the reason why the file is not a session, or None when the lines do not tell, or are another agent's.

    Of several `session_meta` the first one is the file's own; the others belong to the sessions that it replays.
    """
    if not objects or not is_codex_line(objects[0].value) or objects[0].value["type"] not in LINE_TYPES:
        return None
    own = next((parsed for parsed in objects if parsed.value.get("type") == "session_meta"), None)
    if own is None:
        return None
    meta = get_payload(own.value)
    session_id = meta.get("id") or meta.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        return "its session_meta has no id"
    spawned_by, is_subagent = _find_spawner(meta.get("source"))
    parent = spawned_by or meta.get("forked_from_id") or meta.get("parent_thread_id")
    version = meta.get("cli_version")
    return SessionHeader(
        session_id=replace_surrogates(session_id),
        version=1,
        timestamp=meta.get("timestamp") or own.value.get("timestamp"),
        cwd=replace_surrogates(cwd) if isinstance(cwd := meta.get("cwd"), str) else "",
        parent_session=replace_surrogates(parent) if isinstance(parent, str) and parent != session_id else None,
        line_no=own.line_no,
        agent="codex",
        agent_version=replace_surrogates(version) if isinstance(version, str) else None,
        is_subagent=is_subagent,
    )


def _find_spawner(source: Any) -> tuple[str | None, bool]:
    """Return the session that spawned a sub-agent, and whether this is one: `{subagent: {thread_spawn: {parent_thread_id}}}`."""
    subagent = source.get("subagent") if isinstance(source, dict) else None
    if subagent is None:
        return None, False
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    parent = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    return (parent if isinstance(parent, str) else None), True
