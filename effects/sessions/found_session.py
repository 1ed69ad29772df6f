"""A session that was found, as commands print it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TypedDict

from transforms.sessions.resume_command import format_resume_command, make_resume_command
from transforms.tables.enums import Agent
from transforms.tables.rows import SessionRow


class FoundSession(TypedDict):
    """A session, why it was found, and the client's command that opens it; `is_there` unless the client deleted its file."""

    session_id: str
    agent: Agent
    project: str
    folder: str
    title: str | None
    started_at: datetime
    ended_at: datetime
    user_messages: int
    why: str
    detail: str
    source_path: str
    is_there: bool
    open: str


def make_found_session(row: SessionRow, why: str, detail: str) -> FoundSession:
    """Return a session as commands show it: where it ran, the command that resumes it, and why it was found."""
    folder = row["cwd"] or row["project"]
    command = make_resume_command(row["agent"], row["session_id"], row["source_path"])
    return {
        "session_id": row["session_id"],
        "agent": row["agent"] or "pi",
        "project": row["project"],
        "folder": folder,
        "title": row["title"],
        "started_at": row["started_at"],
        "ended_at": row["ended_at"],
        "user_messages": row["user_message_count"],
        "why": why,
        "detail": detail,
        "source_path": row["source_path"],
        "is_there": Path(row["source_path"]).is_file(),
        "open": format_resume_command(command, folder),
    }
