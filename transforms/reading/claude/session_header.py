"""Recognises a session file of Claude Code by its first lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.conversation.claude_form import is_claude_line
from transforms.patterns.late_pattern import compile_late
from transforms.reading.claude.line_order import read_uuid
from transforms.reading.json_lines import ParsedObject
from transforms.reading.session_header import SessionHeader
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import replace_surrogates

_SESSION_UUID = compile_late(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.I)


def read_header(objects: Sequence[ParsedObject], name: str) -> SessionHeader | str | None:
    """Return the header, the reason why the file is not a session, or None when the lines do not tell, or are another agent's.

    `name` is the file's name without its suffix. A session's id is the one in the file's name, under which the client opens it
    again; else the first one in its lines. The files of sub-agents repeat the id of their parent.
    """
    lines = [parsed.value for parsed in objects]
    if not lines or not is_claude_line(lines[0]):
        return None
    session_id = _find_text(lines, "sessionId")
    if session_id is None or _find_text(lines, "cwd") is None:
        return None
    first = next(line for line in lines if line.get("sessionId"))
    named = match[0] if (match := _SESSION_UUID.search(name)) else None
    agent_id = _find_text(lines, "agentId") if first.get("isSidechain") is True and name.startswith("agent-") else None
    own_id = f"agent-{agent_id}.{session_id}" if agent_id else named or session_id
    first_of_chain = next((line for line in lines if read_uuid(line)), {})
    return SessionHeader(
        session_id=replace_surrogates(own_id),
        version=1,
        timestamp=_find_text(lines, "timestamp"),
        cwd=replace_surrogates(_find_text(lines, "cwd") or ""),
        parent_session=replace_surrogates(session_id) if agent_id else _find_origin(lines, own_id),
        line_no=objects[0].line_no,
        agent="claude",
        agent_version=_find_text(lines, "version"),
        is_subagent=agent_id is not None,
        first_id=replace_surrogates(uuid) if agent_id is None and (uuid := read_uuid(first_of_chain)) else None,
        first_said_at=first_of_chain.get("timestamp"),
    )


def _find_origin(lines: Sequence[JsonObject], own_id: str) -> str | None:
    """Return the session that this one was forked from or continues: it is named, or its lines stand in this file."""
    for line in lines:
        forked = line.get("forkedFrom")
        origin = forked.get("sessionId") if isinstance(forked, dict) else line.get("sessionId")
        if isinstance(origin, str) and origin and origin != own_id:
            return replace_surrogates(origin)
    return None


def _find_text(lines: Sequence[JsonObject], name: str) -> str | None:
    return next((value for line in lines if isinstance(value := line.get(name), str) and value), None)
