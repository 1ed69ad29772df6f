"""The plugin of Claude Code: its files agree with the package, and its script finds the command or stays out of the way."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from effects.setup.agent_hooks import EVENT_SECONDS

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "extensions" / "claude-code"


def test_its_version_is_the_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["version"], manifest["license"]) == (
        project["name"],
        project["version"],
        project["license"],
    )


def test_its_hooks_are_those_of_the_settings() -> None:
    """The same events, each with the same patience."""
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()} == EVENT_SECONDS


def run_script(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the plugin's script through a link, as the client does, with a home of the test's own."""
    link = folder / "linked"
    if not link.exists():
        link.symlink_to(PLUGIN)
    command = ["sh", str(link / "recollect.sh"), *arguments]
    whole = {"PATH": "/usr/bin:/bin", "HOME": str(folder), **env}
    return subprocess.run(command, input="{}", env=whole, capture_output=True, text=True, check=False)


def test_its_script_runs_the_command_with_its_arguments(tmp_path: Path) -> None:
    program = tmp_path / "my recollect"
    program.write_text('#!/bin/sh\necho "$# $*"\n', encoding="utf-8")
    program.chmod(0o755)
    assert run_script(tmp_path, "hook", "a b", RECOLLECT_BIN=str(program)).stdout == "2 hook a b\n"


@pytest.mark.parametrize(("argument", "code"), [("hook", 0), ("mcp", 2)])
def test_without_a_command_a_hook_is_silent_and_the_server_says_so(tmp_path: Path, argument: str, code: int) -> None:
    done = run_script(tmp_path, argument, RECOLLECT_BIN=str(tmp_path / "missing"))
    assert (done.returncode, done.stdout) == (code, "")
    log = tmp_path / ".cache" / "recollect" / "hooks.log"
    text = log.read_text(encoding="utf-8") if argument == "hook" else done.stderr
    assert "missing: set RECOLLECT_BIN or put it on the PATH" in text
