"""The hooks in the real Claude Code and the real Codex, each against a model on the loopback."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from effects.index.index_step import index
from effects.setup.agent_hooks import add_hooks
from effects.setup.agents import InstalledAgent
from effects.setup.changes import read_record
from effects.setup.extensions import link_plugin
from effects.store.run import Run
from effects.system.errors import LakeError
from tests.clients.model_servers import CODEX_CONFIG, LoopbackModel, list_anthropic_events, list_openai_events, serve_model
from tests.effects.recall_world import DAY, START, fact, filled, write

pytestmark = pytest.mark.clients

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "clients" / "node_modules" / ".bin"
PLUGIN = ROOT / "extensions" / "claude-code"
PROMPT = "Move the gateway to another port."
TOOL = "mcp__plugin_recollect_recollect__memory_search"


@dataclass
class Desk:
    """A home with one client whose settings have our hooks, a folder to work in, and a lake that knows a port there."""

    run: Run
    home: Path
    folder: Path
    env: dict[str, str]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Return a desk without a client yet."""
    if not (PROGRAMS.parents[1] / ".ready").exists():
        pytest.skip("the clients are not here: tests/clients/setup.sh prepares them (node with npm)")
    home, folder = tmp_path / "home", tmp_path / "work"
    for path in (home, folder):
        path.mkdir()
    run = filled(tmp_path / "memory", model=str(tmp_path / "no-model"))
    times = {"started_at": START, "ended_at": START, "day": DAY}
    session = {"session_id": "work-1", "project": str(folder), "title": "work", "source_path": "/sessions/work-1.jsonl"}
    write(run, "sessions", [session | times])
    write(run, "observations", [fact("port", "The gateway listens on port 9500", session_id="work-1", project=str(folder))])
    with run.lake.writing("test"):
        index(run)
    own = {"LAKE": run.settings.lake, "WORKSPACE": run.settings.workspace, "TIMEZONE": "UTC", "OWNER": "joel"}
    own |= {"EMBEDDING__MODEL": run.settings.embedding.model, "CONFIG": tmp_path / "config" / "recollect.toml"}
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "recollect.toml").touch()
    monkeypatch.setenv("RECOLLECT_CONFIG", str(own["CONFIG"]))
    keys = {"ANTHROPIC_API_KEY": "fake", "DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1", **keys}
    return Desk(run, home, folder, env | {f"RECOLLECT_{name}": str(value) for name, value in own.items()})


def install_hooks(name: str, home: Path) -> None:
    """Enter our hooks, with more patience than a person has: a busy machine is not a failure here."""
    added = add_hooks(read_record(), InstalledAgent(name, home, home / "sessions", 0))
    assert added is not None
    added[0].write_text(added[0].read_text(encoding="utf-8").replace(" hook ", " hook --wait 60 "), encoding="utf-8")


def write_patient_command(path: Path) -> Path:
    """Write a `recollect` whose hooks have more patience than a person."""
    program = ROOT / ".venv" / "bin" / "recollect"
    lines = ["#!/bin/sh", f'[ "$1" = hook ] && shift && exec {program} hook --wait 60 "$@"', f'exec {program} "$@"']
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def talk(desk: Desk, *command: str) -> None:
    """Run a client that answers one prompt and ends."""
    done = subprocess.run(
        [str(PROGRAMS / command[0]), *command[1:]], cwd=desk.folder, env=desk.env, check=False, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Noted." in done.stdout


def wait_for_session(desk: Desk) -> pl.DataFrame:
    """Return the entries of the session that the hook at its end had read."""
    for _ in range(600):
        with suppress(LakeError):  # the hook's run may replace a file between its listing and its reading
            entries = desk.run.lake.read("entries").filter(~pl.col("session_id").is_in(["shop-1", "blog-1"]))
            if entries.height and (entries["role"] == "assistant").any():
                return entries
        time.sleep(0.1)
    pytest.fail("nothing was read at the end of the session")


def check_session(desk: Desk, model: LoopbackModel) -> None:
    """The briefing and the facts are sent once; at the end the session is read, and only the prompt is the owner's."""
    sent = model.requests[-1]
    assert sent.count("# Briefing: work") == 1, sent[:3000]
    assert "The gateway listens on port 9500" in sent.partition("about this request")[2]
    entries = wait_for_session(desk)
    typed = entries.filter(pl.col("speaker") == "owner")["text"].to_list()
    assert typed == [PROMPT]
    assert not any("port 9500" in (text or "") for text in entries.filter(pl.col("turn_kind") == "typed")["text"])


def test_claude_code_gets_the_opening_and_its_session_is_read(desk: Desk) -> None:
    (desk.home / ".claude" / "projects").mkdir(parents=True)
    install_hooks("Claude Code", desk.home / ".claude")
    with serve_model(list_anthropic_events) as model:
        desk.env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{model.port}"
        talk(desk, "claude", "-p", PROMPT)
        check_session(desk, model)
        talk(desk, "claude", "-p", "--continue", "And another.")
        assert model.requests[-1].count("# Briefing: work") == 1, "a resumed session has it already"


def test_claude_code_takes_the_plugin_as_it_is(desk: Desk) -> None:
    """It passes the client's own strict validation; linked, it opens the session once and brings memory's tools and the skill."""
    for path in (PLUGIN, PLUGIN / ".claude-plugin" / "plugin.json"):
        command = [str(PROGRAMS / "claude"), "plugin", "validate", "--strict", str(path)]
        done = subprocess.run(command, env=desk.env, check=False, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
    (desk.home / ".claude" / "projects").mkdir(parents=True)
    assert link_plugin(read_record(), InstalledAgent("Claude Code", desk.home / ".claude", desk.home, 0))[1] is True
    desk.env["RECOLLECT_BIN"] = str(write_patient_command(desk.home / "recollect"))
    with serve_model(list_anthropic_events) as model:
        desk.env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{model.port}"
        talk(desk, "claude", "-p", PROMPT)
        check_session(desk, model)
        assert "recollect:recall" in model.requests[-1]
        for _ in range(3):  # on a busy machine the client sends its first request before the server of tools has answered
            if TOOL in model.requests[-1]:
                break
            talk(desk, "claude", "-p", PROMPT)
        assert TOOL in model.requests[-1]


def test_codex_gets_the_opening_and_its_session_is_read(desk: Desk) -> None:
    (desk.home / ".codex" / "sessions").mkdir(parents=True)
    install_hooks("Codex", desk.home / ".codex")
    with serve_model(list_openai_events) as model:
        (desk.home / ".codex" / "config.toml").write_text(CODEX_CONFIG.format(port=model.port), encoding="utf-8")
        talk(desk, "codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT)
        check_session(desk, model)
