"""The header of a session, known before its entries are read."""

from __future__ import annotations

from dataclasses import dataclass

from transforms.tables.enums import Agent


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The head of a session file; `timestamp` is as written, `version` that of pi's format (1 for other agents).

    `parent_session` is a path for pi, a session id for the other agents. `is_subagent`: another agent talks in it, not the owner.
    `first_id` and `first_said_at` are the client's id of its first line, which copies share, and its time as written.
    """

    session_id: str
    version: int
    timestamp: object
    cwd: str
    parent_session: str | None
    line_no: int
    agent: Agent = "pi"
    agent_version: str | None = None
    is_subagent: bool = False
    first_id: str | None = None
    first_said_at: object = None
