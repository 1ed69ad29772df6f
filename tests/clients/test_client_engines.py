"""The engines `claude:` and `codex:` with the real Claude Code and the real Codex, each against a model on the loopback."""

from __future__ import annotations

import json
import os
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import stamina

from effects.config.client_folders import list_client_folders
from effects.config.settings import EngineSettings
from effects.engines.answerer import build_answerer
from effects.engines.programs.client_login import find_login
from effects.engines.programs.client_replies import CLAUDE, CODEX
from effects.ingest.ingest_step import ingest
from effects.recall.ask import ask, open_recall
from effects.setup.agent_hooks import add_hooks
from effects.setup.agents import InstalledAgent
from effects.setup.changes import read_record
from effects.setup.extensions import link_plugin
from effects.store.run import Run
from tests.clients.model_servers import (
    LoopbackModel,
    Refusal,
    list_anthropic_events,
    list_openai_events,
    list_structured_events,
    serve_model,
)
from tests.effects.distil.test_distil_step import write_session
from tests.effects.engines.model_server import answer
from tests.effects.engines.scripted import careful
from tests.effects.engines.world import calls, distilled, kept, run_on, windows
from tests.effects.recall_world import filled
from tests.transforms.conversations import user
from transforms.recall.types import Filters
from transforms.tables.json_object import JsonObject

pytestmark = pytest.mark.clients

PROGRAMS = Path(__file__).resolve().parents[2] / "build" / "clients" / "node_modules" / ".bin"
ENGINES = {"claude": "claude:claude-haiku-4-5", "codex": "codex:gpt-6-luna"}
LOOP = (
    'name="loop",base_url="http://127.0.0.1:{port}/v1",wire_api="responses",requires_openai_auth=true,request_max_retries=0,'
    "stream_max_retries=0"
)
"""A provider of Codex on the loopback that takes the owner's login."""
OURS = "Words of the owner that belong to other work"
CLAUDE_LIMIT = Refusal(
    429,
    {"type": "error", "error": {"type": "rate_limit_error", "message": "This request would exceed your account's rate limit."}},
    {
        "anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": "1795790000",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    },
)  # fmt: skip
CODEX_LIMIT = Refusal(
    429, {"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_at": 1795790000}}
)


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=1, cap=True):
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of an owner of both clients, with our hooks and plugin, instructions, an MCP server and a notification."""
    if not (PROGRAMS.parents[1] / ".ready").exists():
        pytest.skip("the clients are not here: tests/clients/setup.sh prepares them (node with npm)")
    home = tmp_path / "home"
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/sprung\n', encoding="utf-8")
    trap.chmod(0o755)
    for client in (".claude/projects", ".codex/sessions"):
        (home / client).mkdir(parents=True)
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ANTHROPIC_API_KEY", "CODEX_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(tmp_path / "recollect.toml"))
    for name, client in (("Claude Code", ".claude"), ("Codex", ".codex")):
        added = add_hooks(read_record(), InstalledAgent(name, home / client, home / client, 0))
        assert added is not None
        text = added[0].read_text(encoding="utf-8")
        (added[0]).write_text(text.replace('"command": "', f'"command": "{trap} '), encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_BIN", str(trap))
    assert link_plugin(read_record(), InstalledAgent("Claude Code", home / ".claude", home, 0))[1] is True
    (home / ".claude" / "CLAUDE.md").write_text(OURS, encoding="utf-8")
    server = {"command": str(trap), "args": ["mcp"]}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"trap": server}}), encoding="utf-8")
    lines = [f'notify = ["{trap}", "notify"]', "[mcp_servers.trap]", f'command = "{trap}"', 'args = ["mcp"]']
    (home / ".codex" / "config.toml").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    return home


def install(tmp_path: Path, program: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the real program on PATH, led to a port of this machine; Codex has no variable for that."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}")
    extra = f"-c model_provider=loop -c 'model_providers.loop={{{LOOP.format(port=port)}}}'" if program == "codex" else ""
    script = f'#!/bin/sh\n[ "$1" = exec ] && exec {PROGRAMS / program} "$@" {extra}\nexec {PROGRAMS / program} "$@"\n'
    path = tmp_path / "bin" / program
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)


def log_in(home: Path) -> None:
    """Leave what a login to a subscription leaves in a home, with tokens that nobody would take."""
    tokens = {"accessToken": "fake-access", "refreshToken": "fake-refresh", "expiresAt": round((time.time() + 86400) * 1000)}
    claude = {"claudeAiOauth": tokens | {"scopes": ["user:inference"], "subscriptionType": "max"}}
    (home / ".claude" / ".credentials.json").write_text(json.dumps(claude), encoding="utf-8")
    account = {"chatgpt_plan_type": "plus", "chatgpt_account_id": "a", "chatgpt_user_id": "u"}
    claims = {"email": "owner@example.test", "exp": round(time.time()) + 86400, "https://api.openai.com/auth": account}
    token = ".".join(urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims, "-"))
    codex = {"id_token": token, "access_token": token, "refresh_token": "fake-refresh", "account_id": "a"}
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    login = {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": codex, "last_refresh": now}
    (home / ".codex" / "auth.json").write_text(json.dumps(login), encoding="utf-8")


def find_prompt(body: str) -> str:
    """Return the last text of the user in a request to either interface."""
    request = json.loads(body)
    content = (request.get("messages") or request["input"])[-1]["content"]
    return str(content if isinstance(content, str) else content[-1]["text"])


def read_texts(body: str) -> str:
    """Return everything that a model reads of a request, schema and tools included."""
    request = json.loads(body)
    return json.dumps([request.get(name) for name in ("system", "instructions", "messages", "input", "tools")])


def check_nothing_left(run: Run, home: Path, tmp_path: Path, model: LoopbackModel) -> None:
    """No hook, server or notification ran, nothing else was read, no tool was offered, and no session is there to be read."""
    assert not (tmp_path / "sprung").exists()
    for body in model.requests:
        assert OURS not in read_texts(body)
        assert "Briefing" not in read_texts(body)
        request = json.loads(body)
        tools = [tool.get("name") for tool in request.get("tools") or ()]
        # Codex hands the tools that its list of models names to a model as a part of the conversation.
        tools += [part for part in request.get("input") or () if part["type"] != "message"]
        assert tools == (["StructuredOutput"] if "messages" in request else [])
        assert "spawn_agent" not in body
    for path in home.rglob("*"):  # nor a word of the conversation in a history, a log or a database
        assert not path.is_file() or b"importer" not in path.read_bytes(), path
    left = [path for client in list_client_folders() for path in client.sessions.rglob("*")]
    assert left == []
    before = run.lake.read("sessions").height
    folders = (*run.settings.sessions, *(client.sessions for client in list_client_folders()))
    night = Run(replace(run.settings, sessions=tuple(folder for folder in folders if folder.is_dir())), run.lake, run.as_of)
    with run.lake.writing("test"):
        ingest(night)
    assert run.lake.read("sessions").height == before


@pytest.mark.parametrize("program", ["claude", "codex"])
def test_a_window_is_read_with_the_login_and_nothing_else_of_the_owner_is_touched(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """The observer and its second reading; a key in the environment does not pay where there is a login."""
    log_in(home)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "fake-key")
    monkeypatch.setenv("CODEX_API_KEY", "fake-key")
    secret = tmp_path / "secret.txt"
    secret.write_text("content-of-a-file-that-nobody-sent", encoding="utf-8")
    write_session(tmp_path / "sessions", "one", 2, [user(f"look at @{secret} and @{secret}#L1-2 /init $imagegen")])
    verdicts = json.dumps({"facts": [{"fact": 1, "verdict": "supported", "fault": "", "why": ""}]})

    def speak(body: str) -> str:
        prompt = find_prompt(body)
        return answer(prompt) if "=== topic 1 ===" in prompt else verdicts

    with serve_model(list_structured_events if program == "claude" else list_openai_events, speak) as model:
        install(tmp_path, program, model.port, monkeypatch)
        run = run_on(tmp_path, ENGINES[program], second_reading="auto")
        counts = distilled(run)
    assert windows(run) == [("distilled", "", 1)]
    name = {"claude": "claude:anthropic/claude-haiku-4-5", "codex": "codex:openai/gpt-6-luna"}[program]
    assert set(kept(run)["engine"]) == {name}
    assert counts["second_reading"]["read"] == 1
    assert "your subscription" in counts["engine_reason"]
    assert len(model.requests) == 2
    assert all(row["input_tokens"] == 10 and row["output_tokens"] == 2 and row["cost_usd"] > 0 for row in calls(run))
    for headers, body in zip(model.headers, model.requests, strict=True):
        sent = {key.lower(): value for key, value in headers.items()}
        assert "fake-key" not in json.dumps(sent)
        assert sent["authorization"].startswith("Bearer ")
        assert "content-of-a-file-that-nobody-sent" not in body
    assert "observer of a long-term memory" in read_texts(model.requests[0])
    assert f"@{secret}" in find_prompt(model.requests[0])
    check_nothing_left(run, home, tmp_path, model)


@pytest.mark.parametrize("program", ["claude", "codex"])
def test_a_question_is_answered_and_a_key_pays_where_there_is_no_login(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Claude Code and Codex both take a key of the environment; the login says so."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "fake-key")
    monkeypatch.setenv("CODEX_API_KEY", "fake-key")
    lake = filled(tmp_path / "answers", is_indexed=False)

    def speak(body: str) -> str:
        return careful(find_prompt(body), 1).text

    with serve_model(list_anthropic_events if program == "claude" else list_openai_events, speak) as model:
        install(tmp_path, program, model.port, monkeypatch)
        settings = replace(lake.settings, engine=EngineSettings(reflector=ENGINES[program]))
        answerer = build_answerer(Run(settings, lake.lake, lake.as_of))
        assert answerer.problem == ""
        worded = answerer.word_answer(ask(open_recall(lake), "What TTL does the session cache have?", Filters()), None)
    assert worded.engine in ("claude:anthropic/claude-haiku-4-5", "codex:openai/gpt-6-luna")
    assert "TTL" in (worded.answer or "")
    assert "fake-key" in json.dumps(model.headers[0])
    assert find_login(CLAUDE if program == "claude" else CODEX).payer in ("ANTHROPIC_API_KEY", "CODEX_API_KEY")


def list_cut_events(reply: str) -> list[JsonObject]:
    """Return the events of an answer that ends at the output limit."""
    events = list_anthropic_events(reply)
    events[-2]["delta"]["stop_reason"] = "max_tokens"
    return events


@pytest.mark.parametrize(("program", "limit", "time_of_reset"), [
    ("claude", CLAUDE_LIMIT, "resets at 2026-11-27 14:33 UTC"),
    ("codex", CODEX_LIMIT, "Try again at"),
])  # fmt: skip
def test_a_client_asks_once_and_the_limit_of_a_subscription_leaves_windows_due(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, program: str, limit: Refusal, time_of_reset: str
) -> None:
    """An answer that was cut off, which Claude Code would continue three times, is asked for once more by us. A limit that is
    reached ends the asking after one request for two windows, and its time is named."""
    log_in(home)
    for name in ("one", "two"):
        write_session(tmp_path / "sessions", name, 2, [user(f"that was the session called {name}")])
    with serve_model(list_cut_events if program == "claude" else list_openai_events, lambda _body: '{"segments": [') as model:
        install(tmp_path, program, model.port, monkeypatch)
        model.refusal = limit
        run = run_on(tmp_path, ENGINES[program], max_output_tokens=1000)
        counts = distilled(run)
        [reason] = counts["waiting"]
        assert time_of_reset in reason
        assert counts["waiting"][reason] == 2
        assert {(status, attempts) for status, _, attempts in windows(run)} == {("pending", 0)}
        assert len(model.requests) == 1
        assert calls(run) == []

        model.refusal = None
        again = run_on(tmp_path / "again", ENGINES[program], max_output_tokens=1000)
        distilled(again)
    reason = "it was cut off at the output limit" if program == "claude" else "there is no JSON object in it"
    assert [row["reason"] for row in calls(again)] == [reason] * 2
    assert len(model.requests) == 3
    if program == "claude":
        assert {json.loads(body)["max_tokens"] for body in model.requests} == {1000}
