"""Finds the coding agents of this machine by the folders in which they keep their sessions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from effects.config.client_folders import list_client_folders
from effects.ingest.session_files import is_session


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """A coding agent of this machine, its home, its folder of sessions, and the number of files there."""

    name: str
    home: Path
    sessions: Path
    session_count: int


def find_agents() -> list[InstalledAgent]:
    """Return the agents that have a folder of sessions here: pi, Claude Code, Codex."""
    return [
        InstalledAgent(client.name, client.home, client.sessions, _count_files(client.sessions))
        for client in list_client_folders()
        if client.sessions.is_dir()
    ]


def _count_files(folder: Path) -> int:
    """Return the number of files below a folder that are sessions by their first lines; anything may have such a name."""
    return sum(path.is_file() and is_session(path) for path in folder.rglob("*.jsonl"))
