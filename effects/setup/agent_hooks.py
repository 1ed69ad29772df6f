"""The hooks of Claude Code and Codex: `recollect hook` is entered in their settings, and taken out again."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from effects.setup.agents import InstalledAgent
from effects.setup.changes import SetupRecord, save_record, write_recorded
from effects.system.files import replace_file
from effects.system.own_process import find_own_command
from transforms.tables.json_object import JsonObject

HOOK_FILES = {"Claude Code": "settings.json", "Codex": "hooks.json"}
LOADED_FILES = {"Claude Code": "CLAUDE.md", "Codex": "AGENTS.md"}
"""The file in its home that each agent reads by itself: the opening does not repeat it."""
EVENT_SECONDS = {"SessionStart": 10, "UserPromptSubmit": 10, "PreCompact": 5, "SessionEnd": 3}
"""Each event with the seconds after which the client goes on without us; Codex warns of more than 3 at the end of a session."""


def add_hooks(record: SetupRecord, agent: InstalledAgent) -> tuple[Path, bool] | None:
    """Enter the hooks into an agent's settings beside those of others; return the file and whether it changed.

    None when the agent has no hooks, or when its file is not JSON: it is left alone.
    """
    if agent.name not in HOOK_FILES:
        return None
    path = agent.home / HOOK_FILES[agent.name]
    settings = _read_settings(path)
    if settings is None:
        return None
    before = json.dumps(settings)
    _remove_own(settings)
    hooks = settings.setdefault("hooks", {})
    command = shlex.join([*find_own_command(), "hook", "--loaded", str(agent.home / LOADED_FILES[agent.name])])
    for event, seconds in EVENT_SECONDS.items():
        hooks.setdefault(event, []).append({"hooks": [{"type": "command", "command": command, "timeout": seconds}]})
    if json.dumps(settings) == before:
        return path, False
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    return path, write_recorded(record, "extension", path, _format_settings(settings, path), mode)


def find_hooks_file(agent: InstalledAgent) -> Path:
    """Return the file of an agent's settings in which its hooks stand."""
    return agent.home / HOOK_FILES.get(agent.name, "")


def drop_hooks(record: SetupRecord, agent: InstalledAgent) -> bool:
    """Take our hooks out of an agent's settings, because something else brings them; return whether there were any."""
    path = agent.home / HOOK_FILES[agent.name]
    settings = _read_settings(path)
    if settings is None or not _remove_own(settings):
        return False
    return write_recorded(record, "extension", path, _format_settings(settings, path), path.stat().st_mode & 0o777)


def remove_hooks(record: SetupRecord) -> Iterator[str]:
    """Take the hooks out of settings that somebody changed since; yield a line about each. `undo` restores the other files."""
    for change in [change for change in record["files"] if Path(change["path"]).name in HOOK_FILES.values()]:
        path = Path(change["path"])
        settings = _read_settings(path)
        if settings is None or not path.is_file() or not _is_changed(change["after"], path):
            continue
        if _remove_own(settings):
            replace_file(path, _format_settings(settings, path))
            yield f"{path}: the hooks of recollect removed"
        record["files"].remove(change)
        save_record(record)


def _is_changed(after: str, path: Path) -> bool:
    return base64.b64decode(after) != path.read_bytes()


def _read_settings(path: Path) -> JsonObject | None:
    """Return the settings in a file, empty when there is none; None when it holds something else than an object of JSON."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, ValueError):
        return None
    is_usable = isinstance(settings, dict) and isinstance(settings.get("hooks", {}), dict)
    return settings if is_usable else None


def _format_settings(settings: JsonObject, path: Path) -> bytes:
    """Return settings as JSON in the form of their file: its indentation, and letters as letters. A new file has two blanks."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    indent = next((line[: len(line) - len(line.lstrip())] for line in lines if line[:1].isspace() and line.strip()), "  ")
    try:
        return (json.dumps(settings, indent=indent, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # half of a pair of surrogates, which only an escape can hold
        return (json.dumps(settings, indent=indent) + "\n").encode()


def _remove_own(settings: JsonObject) -> bool:
    """Remove our hooks, and objects that are empty without them; return whether there were any."""
    hooks, is_found = settings.get("hooks", {}), False
    for event in [event for event in hooks if isinstance(hooks[event], list)]:
        others = [group for group in hooks[event] if not _is_own(group)]
        is_found |= len(others) < len(hooks[event])
        if others:
            hooks[event] = others
        else:
            del hooks[event]
    if is_found and not hooks:
        del settings["hooks"]
    return is_found


def _is_own(group: object) -> bool:
    commands = group.get("hooks") if isinstance(group, dict) else None
    texts = [str(command.get("command")) for command in commands or () if isinstance(command, dict)]
    return any("recollect" in text and " hook " in text for text in texts)
