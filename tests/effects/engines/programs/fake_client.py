"""Scripted programs `claude` and `codex` on PATH, which print the events that the real ones print and note what they got."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.effects.engines.model_server import answer

SCRIPT = """#!{python} -IS
import json, os, pathlib, subprocess, sys, time
here = pathlib.Path({here!r})
script = json.loads((here / "script.json").read_text(encoding="utf-8"))
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print(script["version"])
elif arguments == ["debug", "models"]:
    print(json.dumps({{"models": script.get("models", [])}}))
elif arguments[-1] == "status":
    keys = [name for name in ("ANTHROPIC_API_KEY", "CODEX_API_KEY", "OPENAI_API_KEY") if name in os.environ]
    with open(here / "statuses", "a", encoding="utf-8") as file:
        file.write(json.dumps(keys) + "\\n")
    status = script["with_key"] if keys else script["without_key"]
    sys.stdout.write(status[1])
    sys.exit(status[0])
else:
    prompt = sys.stdin.read()
    running = here / f"running-{{os.getpid()}}"
    running.touch()
    most = len(list(here.glob("running-*")))
    number = len(list(here.glob("asked-*"))) + 1
    files = {{name: pathlib.Path(arguments[arguments.index(flag) + 1]).read_text(encoding="utf-8")
             for name, flag in (("system", "--system-prompt-file"), ("schema", "--output-schema")) if flag in arguments}}
    note = [arguments, prompt, files, os.getcwd(), os.listdir(), dict(os.environ), most]
    (here / f"asked-{{os.getpid()}}.json").write_text(json.dumps(note), encoding="utf-8")
    replies = script["replies"]
    reply = replies[min(number, len(replies)) - 1]
    if reply.get("child"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        (here / "child").write_text(str(child.pid), encoding="utf-8")
    time.sleep(reply.get("wait", 0))
    running.unlink()
    sys.stderr.write(reply.get("complaint", ""))
    sys.stdout.write(reply.get("text", ""))
    sys.exit(reply.get("code", 0))
"""
LOGGED_IN = {
    "claude": [0, '{"loggedIn": true, "authMethod": "claude.ai", "subscriptionType": "max"}'],
    "codex": [0, "Logged in using ChatGPT\n"],
}
LOGGED_OUT = {"claude": [1, '{"loggedIn": false, "authMethod": "none"}'], "codex": [1, "Not logged in\n"]}
VERSIONS = {"claude": "2.1.197 (Claude Code)", "codex": "codex-cli 0.169.0"}
ENGINES = {"claude": "claude:claude-haiku-4-5", "codex": "codex:gpt-6-luna"}
ASKED = ("arguments", "prompt", "files", "folder", "content", "environment", "at_once")


@dataclass
class FakeClient:
    """A scripted program, and what it was asked."""

    folder: Path
    program: str

    def says(self, *replies: dict[str, object], **script: object) -> None:
        """Set its replies, its version, and its login without and with a key in the environment."""
        usual = {"version": VERSIONS[self.program], "without_key": LOGGED_IN[self.program], "with_key": LOGGED_IN[self.program]}
        (self.folder / "script.json").write_text(json.dumps({**usual, "replies": replies, **script}), encoding="utf-8")

    def asked(self) -> list[dict[str, Any]]:
        """Return what its requests were, in no order."""
        notes = [json.loads(path.read_text(encoding="utf-8")) for path in self.folder.glob("asked-*")]
        return [dict(zip(ASKED, note, strict=True)) for note in notes]


def install_client(folder: Path, program: str, patch: pytest.MonkeyPatch) -> FakeClient:
    """Put a scripted program on PATH; it answers any window and is logged in to a subscription."""
    folder.mkdir(parents=True)
    path = folder / program
    path.write_text(SCRIPT.format(python=sys.executable, here=str(folder)), encoding="utf-8")
    path.chmod(0o755)
    patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    for name in ("ANTHROPIC_API_KEY", "CODEX_API_KEY", "OPENAI_API_KEY"):
        patch.delenv(name, raising=False)
    client = FakeClient(folder, program)
    client.says(give(program, GOOD))
    return client


GOOD = answer("=== topic 1 ===\n[09:00] #0 [User]: build the importer\n")


def give(program: str, text: str, **more: object) -> dict[str, object]:
    """Return a reply with this answer of the model, as the program prints it."""
    events = list_claude_events(text) if program == "claude" else list_codex_events(text)
    return {"text": "".join(json.dumps(event) + "\n" for event in events), "code": 1 if program == "claude" else 0, **more}


def fail(program: str, message: str, status: int = 0) -> dict[str, object]:
    """Return a reply that says why the provider gave no answer."""
    if program == "claude":
        part = {"type": "text", "text": message}
        said = {"type": "assistant", "message": {"content": [part], "model": "<synthetic>"}, "error": "server_error"}
        result = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": status or None, "result": message}
        events = [said, result | {"total_cost_usd": 0, "modelUsage": {}, "stop_reason": "stop_sequence"}]
    else:
        events = [{"type": "turn.started"}, {"type": "error", "message": message}]
        events += [{"type": "turn.failed", "error": {"message": message}}]
    return {"text": "".join(json.dumps(event) + "\n" for event in events), "code": 1}


def list_claude_events(text: str) -> list[dict[str, Any]]:
    """Return what Claude Code prints around an answer that it gives through the tool of the schema, and is stopped after."""
    usage = {"inputTokens": 3000, "cacheCreationInputTokens": 400, "cacheReadInputTokens": 1000, "outputTokens": 500}
    try:
        part: dict[str, Any] = {"type": "tool_use", "id": "t", "name": "StructuredOutput", "input": json.loads(text)}
    except ValueError:
        part = {"type": "text", "text": text}
    return [
        {"type": "system", "subtype": "init", "tools": ["StructuredOutput"], "apiKeySource": "none"},
        {"type": "assistant", "message": {"content": [part], "stop_reason": None}},
        {
            "type": "result", "subtype": "error_max_budget_usd", "is_error": True, "stop_reason": "tool_use",
            "total_cost_usd": 0.0063, "usage": {"input_tokens": 0}, "modelUsage": {"claude-haiku-4-5": usage},
            "errors": ["Reached maximum budget ($0.000001)"],
        },
    ]  # fmt: skip


def list_codex_events(text: str) -> list[dict[str, Any]]:
    """Return what Codex prints around an answer."""
    warning = {"type": "item.completed", "item": {"id": "i0", "type": "error", "message": "Model metadata not found."}}
    said = {"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": text}}
    usage = {"input_tokens": 4400, "cached_input_tokens": 1000, "output_tokens": 500, "reasoning_output_tokens": 100}
    return [
        {"type": "thread.started", "thread_id": "x"}, warning, {"type": "turn.started"}, said,
        {"type": "turn.completed", "usage": usage},
    ]  # fmt: skip
