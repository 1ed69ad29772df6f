"""Memory's tools in the clients: entries with which an agent asks by itself, proposed or written."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from effects.setup.agents import InstalledAgent
from effects.setup.changes import SetupRecord, write_recorded
from effects.system.files import encode_page, read_page
from effects.system.own_process import find_own_command

SERVER_TABLE = "[mcp_servers.recollect]"
SECTION_MARK = "<!-- recollect -->"
SECTION = f"""{SECTION_MARK}
## Memory of earlier sessions

- Before asking about an earlier decision, or looking into a problem again: `memory_search`.
- What the owner wants kept: `memory_remember`. It waits for the owner's review.
- Work that outlives this session is a task: `task_query`, `task_mutate`.
{SECTION_MARK}
"""


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """Text that a file of a client would get at its end."""

    path: Path
    text: str


def list_tool_entries(agent: InstalledAgent) -> list[ToolEntry]:
    """Return the entries that an agent's files lack: for Codex the MCP server and a section of AGENTS.md."""
    if agent.name != "Codex":
        return []
    program, *arguments = [*find_own_command(), "mcp"]
    server = f"{SERVER_TABLE}\ncommand = {json.dumps(program)}\nargs = {json.dumps(arguments)}\n"
    wanted = ((agent.home / "config.toml", server, SERVER_TABLE), (agent.home / "AGENTS.md", SECTION, SECTION_MARK))
    return [ToolEntry(path, text) for path, text, mark in wanted if mark not in _read_text(path)]


def describe_server_command(agent: InstalledAgent) -> str:
    """Return the command with which a client enters the MCP server itself; empty for clients that have none."""
    command = shlex.join([*find_own_command(), "mcp"])
    return f"claude mcp add --scope user recollect -- {command}" if agent.name == "Claude Code" else ""


def write_tool_entry(record: SetupRecord, entry: ToolEntry) -> None:
    """Append an entry to its file; `recollect uninstall` restores the file."""
    text = _read_text(entry.path)
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    mode = entry.path.stat().st_mode & 0o777 if entry.path.exists() else 0o600
    write_recorded(record, "extension", entry.path, encode_page(f"{text}{gap}{entry.text}"), mode)


def _read_text(path: Path) -> str:
    return read_page(path) if path.is_file() else ""
