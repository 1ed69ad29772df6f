"""Drives the real pi through a scene: RPC on stdin, scripted assistant on loopback, real tools in a scratch home."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

from benchmarks.samples.noise import page_outputs
from benchmarks.samples.server import Script, serve, stage_output

HERE = Path(__file__).resolve().parent
PRICES = {"claude-sonnet-4-5": (3, 15, 0.3, 3.75), "claude-opus-4-5": (5, 25, 0.5, 6.25)}
SYSTEM = "You are a careful coding agent. Use the tools, then say what you did."


def prepare_home(home: Path, port: int) -> None:
    """Write pi's settings and models below the scratch home; every model points at the loopback server."""
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True, exist_ok=True)
    models = [
        {"id": name, "reasoning": True, "contextWindow": 200_000, "maxTokens": 16_000, "input": ["text"]}
        | {"cost": dict(zip(("input", "output", "cacheRead", "cacheWrite"), price, strict=True))}
        for name, price in PRICES.items()
    ]
    compat = {
        "supportsDeveloperRole": False,
        "supportsReasoningEffort": False,
        "supportsStore": False,
        "maxTokensField": "max_tokens",
    }
    provider = {"baseUrl": f"http://127.0.0.1:{port}/v1", "api": "openai-completions", "apiKey": "none", "compat": compat}
    (agent / "models.json").write_text(json.dumps({"providers": {"anthropic": provider | {"models": models}}}))
    settings = {"enableInstallTelemetry": False, "retry": {"enabled": False}}
    settings["compaction"] = {"enabled": True, "reserveTokens": 16_384, "keepRecentTokens": 1500}
    (agent / "settings.json").write_text(json.dumps(settings))


class Client:
    """One running `pi --mode rpc`."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str], log: Path) -> None:
        self.log = log.open("ab")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=env, cwd=cwd)
        self.events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.count = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.log.write(line)
            try:
                self.events.put(json.loads(line))
            except ValueError:
                continue
        self.events.put(None)

    def wait(self, wanted: Any, seconds: float = 240) -> dict[str, Any]:
        """Return the next event for which `wanted(event)` holds.

        Raises:
            RuntimeError: when pi ends.
            queue.Empty: when pi stays silent.
        """
        end = time.monotonic() + seconds
        while True:
            event = self.events.get(timeout=max(0.1, end - time.monotonic()))
            if event is None:
                raise RuntimeError("pi ended early: see the driver's log")
            if wanted(event):
                return event

    def send(self, request: dict[str, Any], until: str | None = None) -> dict[str, Any]:
        """Send one request, wait for its response and then for the event `until`."""
        self.count += 1
        name = f"r{self.count}"
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request | {"id": name}).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.wait(lambda event: event.get("type") == "response" and event.get("id") == name)
        if not answer.get("success"):
            raise RuntimeError(f"{request['type']}: {answer}")
        if until:
            self.wait(lambda event: event.get("type") == until)
        return answer

    def close(self) -> None:
        """Close stdin, so that pi shuts down by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(240)
        self.reader.join(240)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.log.close()


def play_step(client: Client, script: Script, step: dict[str, Any], end_event: str) -> None:
    """Send one step of a scene to pi."""
    if "user" in step:
        script.turns = deque({"say": turn} if isinstance(turn, str) else page_outputs(turn) for turn in step.get("agent", []))
        client.send({"type": "prompt", "message": step["user"].strip()}, until=end_event)
        if script.turns or script.unexpected:
            raise RuntimeError(f"script and client disagree: left {list(script.turns)}, unexpected {script.unexpected}")
    elif "shell" in step:
        stage_output(script.stubs, {"bash": step["shell"]} | {key: step[key] for key in ("out", "code") if key in step})
        client.send({"type": "bash", "command": step["shell"]})
    elif "compact" in step:
        script.summary = step["compact"].strip()
        script.prefix = step.get("prefix", script.prefix).strip()
        client.send({"type": "compact"})
    elif "nav" in step:
        script.branch_summary = step["summary"].strip()
        client.send({"type": "prompt", "message": f"/nav {step['nav']}"})
        time.sleep(1.0)
    elif "name" in step:
        client.send({"type": "set_session_name", "name": step["name"]})
    elif "model" in step:
        client.send({"type": "set_model", "provider": "anthropic", "modelId": step["model"]})
    elif "thinking" in step:
        client.send({"type": "set_thinking_level", "level": step["thinking"]})
    elif "label" in step:
        client.send({"type": "prompt", "message": f"/lab {step['label']}"})
    elif "inject" in step:
        client.send({"type": "prompt", "message": "/inject " + step["inject"].strip().replace("\n", "\\n")})
    else:
        raise ValueError(f"unknown step {step}")
    time.sleep(0.1)


def make_environment(root: Path, node: Path, tools: list[Path], date: str) -> dict[str, str]:
    """Return a closed environment: scratch home, loopback only, commits dated by the story."""
    path = [root / "bin", *tools, node.parent, Path("/usr/local/bin"), Path("/usr/bin"), Path("/bin")]
    env = {"HOME": str(root / "home/mara"), "PATH": os.pathsep.join(map(str, path)), "LANG": "C.UTF-8", "TERM": "dumb"}
    env |= {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0", "NO_PROXY": "127.0.0.1,localhost"}
    env |= {"BASH_ENV": str(HERE / "stub.sh"), "SAMPLE_STUBS": str(root / "stubs"), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "NO_COLOR": "1", "PYTHONPATH": "src"}
    who = {"NAME": "Mara", "EMAIL": "mara@example.org"}
    return env | {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}


def drive_scene(
    scene: dict[str, Any], root: Path, pi: list[str], env: dict[str, str], fork_of: Path | None
) -> tuple[Path, list[int]]:
    """Play a scene; return the session file that pi wrote, and its line count after each step."""
    home, cwd = root / "home/mara", root / scene["cwd"].lstrip("/")
    cwd.mkdir(parents=True, exist_ok=True)
    script = Script(root / "stubs")
    server = serve(script)
    prepare_home(home, server.server_address[1])
    folder = home / ".pi/agent/sessions"
    before = set(folder.rglob("*.jsonl"))
    command = [
        *pi,
        "--mode",
        "rpc",
        "--model",
        f"anthropic/{scene.get('model', 'claude-sonnet-4-5')}",
        "-ne",
        "-e",
        str(HERE / "ext.ts"),
    ]
    command += ["--thinking", scene.get("thinking", "off"), "--system-prompt", SYSTEM, "-ns", "-np", "-nc"]
    command += ["--fork", str(fork_of)] if fork_of else []
    client = Client(command, cwd, env, root / "drive.log")
    end_event = "agent_settled" if scene["client"].startswith("1.") else "agent_end"
    counts: list[int] = []
    try:
        for step in scene["steps"]:
            play_step(client, script, step, end_event)
            written = sorted(set(folder.rglob("*.jsonl")) - before)
            counts.append(len(written[0].read_bytes().splitlines()) if written else 0)
    finally:
        client.close()
        server.shutdown()
        server.server_close()
    return next(iter(set(folder.rglob("*.jsonl")) - before)), counts
