"""Writes the command with which a client takes a session up again."""

from __future__ import annotations

import shlex

from transforms.tables.enums import Agent


def make_resume_command(agent: Agent | None, session_id: str, source_path: str) -> list[str]:
    """Return the words of the client's own command; pi names the file, the others the id."""
    if agent == "claude":
        return ["claude", "--resume", session_id]
    if agent == "codex":
        return ["codex", "resume", session_id]
    return ["pi", "--session", source_path]


def format_resume_command(command: list[str], folder: str) -> str:
    """Return the command as one types it, from the folder of the session."""
    words = " ".join(map(shlex.quote, command))
    return f"cd {shlex.quote(folder)} && {words}" if folder else words
