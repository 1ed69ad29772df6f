"""The folders in which the known clients keep their sessions, whether they are installed or not."""

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
class ClientFolder:
    """A client, its home, and the folder of its sessions; neither need exist."""

    name: str
    home: Path
    sessions: Path


def list_client_folders() -> list[ClientFolder]:
    """Return the folders of pi, Claude Code and Codex, as the environment of this process moves them."""
    clients = []
    for name, variable, default, folder in KNOWN:
        home = expand_home(Path(os.environ.get(variable) or default))
        clients.append(ClientFolder(name, home, home / folder))
    return clients
