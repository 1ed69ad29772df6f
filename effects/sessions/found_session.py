"""A session that was found: as commands print it, and its client run with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import datetime
from pathlib import Path
from typing import TypedDict

from effects.system.errors import SourceError
from effects.system.own_process import leave_out_own_variables
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


def reopen_session(session: FoundSession) -> int:
    """Run the session's client in its folder, and return its exit code.

    Raises:
        SourceError: when the client or the folder is not on this machine.
    """
    command = make_resume_command(session["agent"], session["session_id"], session["source_path"])
    if shutil.which(command[0]) is None:
        raise SourceError(f"`{command[0]}` is not on this machine", f"install it, then: {session['open']}")
    folder = Path(session["folder"])
    if not folder.is_dir():
        raise SourceError(f"the session's folder {folder} is not on this machine", " ".join(command))
    return subprocess.run(command, cwd=folder, env=leave_out_own_variables(os.environ), check=False).returncode
