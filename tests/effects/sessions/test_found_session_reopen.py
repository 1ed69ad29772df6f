"""Taking a session up again: each client gets its own command, in the folder of the session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effects.sessions.found_session import reopen_session
from effects.system.errors import SourceError
from transforms.sessions.resume_command import format_resume_command, make_resume_command
from transforms.tables.enums import Agent

COMMANDS: dict[Agent, list[str]] = {
    "pi": ["pi", "--session", "/sessions/5f0c.jsonl"],
    "claude": ["claude", "--resume", "5f0c"],
    "codex": ["codex", "resume", "5f0c"],
}


def describe_session(agent: Agent, folder: Path) -> Any:
    """Return a session that was found."""
    command = make_resume_command(agent, "5f0c", "/sessions/5f0c.jsonl")
    return {
        "agent": agent, "session_id": "5f0c", "source_path": "/sessions/5f0c.jsonl", "folder": str(folder),
        "open": format_resume_command(command, str(folder)),
    }  # fmt: skip


@pytest.mark.parametrize("agent", COMMANDS)
def test_a_client_is_run_with_its_session_in_its_folder(agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exit code is that of the command."""
    program = tmp_path / COMMANDS[agent][0]
    script = '#!/bin/sh\npwd > "$0.log"\nfor word in "$@"; do echo "$word" >> "$0.log"; done\nexit 3\n'
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "my work").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    session = describe_session(agent, tmp_path / "my work")
    assert reopen_session(session) == 3
    called = program.with_name(f"{program.name}.log").read_text(encoding="utf-8").splitlines()
    assert called == [str(tmp_path / "my work"), *COMMANDS[agent][1:]]
    assert session["open"] == f"cd '{tmp_path / 'my work'}' && {' '.join(COMMANDS[agent])}"


@pytest.mark.parametrize("agent", COMMANDS)
def test_a_missing_client_or_folder_is_said(agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command to type once it is there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="is not on this machine") as caught:
        reopen_session(describe_session(agent, tmp_path))
    assert COMMANDS[agent][0] in (caught.value.hint or "")
    (tmp_path / COMMANDS[agent][0]).write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / COMMANDS[agent][0]).chmod(0o755)
    with pytest.raises(SourceError, match="folder"):
        reopen_session(describe_session(agent, tmp_path / "gone"))
