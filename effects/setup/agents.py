"""Finds the coding agents of this machine by the folders in which they keep their sessions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from effects.config.paths import expand_home

KNOWN = (
    ("pi", "PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions"),
    ("Claude Code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    ("Codex", "CODEX_HOME", "~/.codex", "sessions"),
)
"""Each agent with the variable that moves its home, its home, and the folder of sessions in it."""


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """A coding agent of this machine, its home, its folder of sessions, and the number of files there."""

    name: str
    home: Path
    sessions: Path
    session_count: int


def find_agents() -> list[InstalledAgent]:
    """Return the agents that have a folder of sessions here: pi, Claude Code, Codex."""
    agents = []
    for name, variable, default, folder in KNOWN:
        home = expand_home(Path(os.environ.get(variable) or default))
        sessions = home / folder
        if sessions.is_dir():
            agents.append(InstalledAgent(name, home, sessions, sum(1 for _ in sessions.rglob("*.jsonl"))))
    return agents
