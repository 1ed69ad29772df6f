"""Task memory in the real pi, against a loopback model: the tools answer, and a claim belongs to the session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.samples.drive import prepare_home
from tests.pi.clients import CLIENTS, QUIET, ROOT, node
from tests.pi.test_extension import VERSIONS, Model, serving, text_of

pytestmark = pytest.mark.pi

EXTENSION = ROOT / "extensions" / "pi" / "task-memory"


@dataclass
class Worker(Model):
    """A model that makes these calls one after the other, and then says so."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)

    def reply(self, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return one delta and the reason why the reply ends."""
        self.requests.append(body)
        last = body["messages"][-1]
        if last["role"] == "tool":
            text = text_of(last).removeprefix("<recollect-memory>").removesuffix("</recollect-memory>")
            self.answers.append(json.loads(text))
        if not self.calls:
            return {"content": "Done."}, "stop"
        name, arguments = self.calls.pop(0)
        if "id" in arguments:
            arguments["id"] = self.answers[0]["task"]["id"]
        call = {"index": 0, "id": f"call_{len(self.requests)}", "type": "function"}
        return {"tool_calls": [call | {"function": {"name": name, "arguments": json.dumps(arguments)}}]}, "tool_calls"


@pytest.fixture
def worker() -> Iterator[Worker]:
    """The model on a port of this machine."""
    with serving(Worker()) as model:
        assert isinstance(model, Worker)
        yield model


@VERSIONS
def test_an_agent_creates_claims_and_closes_a_task(version: str, tmp_path: Path, worker: Worker) -> None:
    """The task is claimed by the session that pi writes; a refused change is an answer. The extension is linked, as by init."""
    prepare_home(tmp_path / "home", worker.port)
    (tmp_path / "home/.pi/agent/extensions").mkdir(parents=True, exist_ok=True)
    (tmp_path / "home/.pi/agent/extensions/task-memory").symlink_to(EXTENSION)
    command = tmp_path / "recollect"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m recollect "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    (tmp_path / "empty.toml").touch()
    (tmp_path / "work").mkdir()
    own = {"BIN": command, "LAKE": tmp_path / "lake", "WORKSPACE": tmp_path / "ws", "CONFIG": tmp_path / "empty.toml"}
    env = {f"RECOLLECT_{name}": str(value) for name, value in own.items()}
    path = os.pathsep.join([str(node().parent), "/usr/local/bin", "/usr/bin", "/bin"])
    env |= {"HOME": str(tmp_path / "home"), "PATH": path, "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1,localhost"}
    env |= QUIET | {"RECOLLECT_TIMEZONE": "UTC"}
    worker.calls = [
        ("task_mutate", {"action": "create", "title": "Write the schema"}),
        ("task_mutate", {"action": "claim", "id": ""}),
        ("task_mutate", {"action": "close", "id": "", "reason": "completed", "summary": "Two tables"}),
        ("task_mutate", {"action": "claim", "id": ""}),
        ("task_query", {"action": "list", "status": "closed"}),
        ("memory_search", {"action": "search", "query": "schema"}),
    ]
    pi = [str(node()), str(CLIENTS[version]), "-p", "--model", "anthropic/claude-sonnet-4-5", "Work."]
    done = subprocess.run(
        pi, check=False, env=env, cwd=tmp_path / "work", stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, "Done."), done.stderr
    [file] = sorted((tmp_path / "home/.pi/agent/sessions").rglob("*.jsonl"))
    session = json.loads(file.read_text(encoding="utf-8").splitlines()[0])["id"]
    created, claimed, closed, refused, listed, searched = worker.answers
    assert created["task"]["project"] == str(tmp_path / "work")
    assert (claimed["task"]["status"], claimed["task"]["sessionId"]) == ("in_progress", session)
    assert closed["task"]["summary"] == "Two tables"
    assert refused["success"] is False
    assert [task["title"] for task in listed["tasks"]] == ["Write the schema"]
    assert "results" in searched or "recollect" in searched["error"]
