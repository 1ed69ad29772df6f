"""Models through pi: a scripted `pi` on PATH, and the real one against a loopback server where it is installed."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from tests.effects.engines.model_server import Said, references, serving
from tests.effects.engines.world import calls, distilled, facts, kept, run_on, windows, written
from tests.pi.clients import CLIENTS, node

MODEL = "pi:anthropic/claude-haiku-4-5"
ANSWER = """<observations>
<segment topic="1">
<narrative>The importer was built.</narrative>
<facts>
* 🔴 [request] The user asked to build the importer in `src/importer.py` (#0)
* 🔴 [decision] The importer moved to `src/ghost.py` (#0)
</facts>
</segment>
</observations>
<current-task>Primary: the importer</current-task>
<suggested-response>Session completed normally.</suggested-response>
"""
SCRIPT = """#!{python}
import json, os, pathlib, sys, time
here = pathlib.Path({here!r})
prompt = sys.stdin.read()
system = pathlib.Path(sys.argv[sys.argv.index("--system-prompt") + 1]).read_text(encoding="utf-8")
number = len(list(here.glob("asked-*"))) + 1
(here / f"asked-{{number}}.json").write_text(json.dumps([sys.argv[1:], prompt, system, os.getcwd()]), encoding="utf-8")
replies = json.loads((here / "replies.json").read_text(encoding="utf-8"))
reply = replies[min(number, len(replies)) - 1]
time.sleep(reply.get("wait", 0))
sys.stderr.write(reply.get("complaint", ""))
sys.stdout.write(reply.get("text", ""))
sys.exit(reply.get("code", 0))
"""


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    """Retry without pauses."""
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pi:
    """Install a program `pi` that gives scripted answers and records its requests."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "pi"
    program.write_text(SCRIPT.format(python=sys.executable, here=str(folder)), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return Pi(folder)


class Pi:
    """The scripted program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.says({"text": ANSWER})

    def says(self, *replies: dict[str, object]) -> None:
        (self.folder / "replies.json").write_text(json.dumps(replies), encoding="utf-8")

    def asked(self) -> list[list[str]]:
        return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(self.folder.glob("asked-*"))]


def test_pi_is_asked_with_the_prompt_on_stdin_and_nothing_of_ours_around_it(tmp_path: Path, pi: Pi) -> None:
    """pi runs without session, tools, extensions, skills, templates and context files, in an empty working directory."""
    run = run_on(tmp_path, MODEL)
    counts = distilled(run)
    [[arguments, prompt, system, folder]] = pi.asked()
    assert arguments[:9] == ["-p", "--no-session", "-nt", "-ne", "-ns", "-np", "-nc", "--model", "anthropic/claude-haiku-4-5"]
    assert "#0 [User]: build the importer" in prompt
    assert '<segment topic="1">' in system
    assert folder != str(Path.cwd())
    assert not Path(folder).exists()
    assert windows(run) == [("distilled", "", 1)]
    assert set(kept(run)["engine"]) == {MODEL}
    assert facts(run)["The importer moved to `src/ghost.py`"][0] == "hold"
    [call] = calls(run)
    assert (call["engine"], call["outcome"]) == ("pi", "ok")
    assert counts["cost_usd"] == pytest.approx(call["input_tokens"] * 1e-6 + call["output_tokens"] * 5e-6)


def test_prose_is_asked_for_again_and_never_stored(tmp_path: Path, pi: Pi) -> None:
    """Two requests, then the window is failed."""
    pi.says({"text": "I think the session went well."})
    run = run_on(tmp_path, MODEL)
    distilled(run)
    assert windows(run) == [("failed", "anthropic/claude-haiku-4-5: there is no observation in it", 1)]
    assert len(pi.asked()) == 2
    assert "could not be used" in pi.asked()[1][1]
    assert kept(run).is_empty()


def test_the_seeds_flat_form_is_cited_by_its_times(tmp_path: Path, pi: Pi) -> None:
    """A model that knows only the older form still gives cited facts."""
    pi.says({"text": "<observations>\n* 🔴 (09:00) User wants the importer built in src/importer.py\n</observations>"})
    run = run_on(tmp_path, MODEL)
    distilled(run)
    assert kept(run)["ordinals"].to_list() == [[0]]


def test_a_busy_provider_is_asked_again_a_wrong_model_is_not(tmp_path: Path, pi: Pi) -> None:
    """pi ends with 1 and says why on stderr."""
    pi.says({"code": 1, "complaint": "429 rate limit exceeded"}, {"text": ANSWER})
    run = run_on(tmp_path, MODEL)
    assert distilled(run)["distilled"] == 1
    assert len(pi.asked()) == 2


def test_pi_without_a_key_fails_the_window_with_its_words(tmp_path: Path, pi: Pi) -> None:
    """It is reported once, and costs the window no attempt."""
    pi.says({"code": 1, "complaint": "No API key found for anthropic"})
    run = run_on(tmp_path, MODEL)
    distilled(run)
    [(status, reason, attempts)] = windows(run)
    assert (status, attempts, len(pi.asked())) == ("failed", 0, 1)
    assert "No API key found" in reason


def test_the_limit_of_a_subscription_through_pi_ends_the_asking(tmp_path: Path, pi: Pi) -> None:
    """It was asked for every window, three times each, though the limit holds for hours; the windows stay due."""
    written(tmp_path, "one")
    written(tmp_path, "two")
    pi.says({"code": 1, "complaint": "429 You have hit your ChatGPT usage limit (plus plan). Try again in ~42 min."})
    run = run_on(tmp_path, MODEL)
    counts = distilled(run)
    assert len(pi.asked()) == 1
    [reason] = counts["waiting"]
    assert "Try again in ~42 min" in reason
    assert {(status, attempts) for status, _, attempts in windows(run)} == {("pending", 0)}


def test_a_hanging_pi_is_stopped(tmp_path: Path, pi: Pi) -> None:
    """Its child processes are stopped as well, and the request counts as possibly billed."""
    pi.says({"wait": 60})
    run = run_on(tmp_path, MODEL, timeout_s=0.5)
    distilled(run)
    assert windows(run) == [("failed", "anthropic/claude-haiku-4-5: timeout", 1)]
    assert [call["outcome"] for call in calls(run)] == ["error"]


@pytest.mark.pi
@pytest.mark.parametrize(("version", "status"), [("0.73.1", 200), ("1.5.2", 200), ("1.5.2", 400)])
def test_the_real_pi_against_a_loopback_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, status: int
) -> None:
    """The whole prompt arrives after pi's own words, the answer comes back, and a failure fails the window."""
    program_node = node()
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "pi"
    program.write_text(f'#!/bin/sh\nexec "{program_node}" "{CLIENTS[version]}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PI_OFFLINE", "1")
    with serving(lambda _prompt, _number: Said(ANSWER, status=status)) as server:
        agent = Path(os.environ["HOME"]) / ".pi" / "agent"
        agent.mkdir(parents=True)
        model = {"id": "local-model", "contextWindow": 128_000, "maxTokens": 8000}
        compat = {
            "supportsDeveloperRole": False,
            "supportsReasoningEffort": False,
            "supportsStore": False,
            "maxTokensField": "max_tokens",
        }
        provider = {"baseUrl": server.url, "api": "openai-completions", "apiKey": "dummy", "compat": compat, "models": [model]}
        (agent / "models.json").write_text(json.dumps({"providers": {"local": provider}}), encoding="utf-8")
        (agent / "settings.json").write_text(json.dumps({"retry": {"enabled": False}}), encoding="utf-8")
        run = run_on(tmp_path, "pi:local/local-model")
        distilled(run)
    assert windows(run)[0][0] == ("distilled" if status == 200 else "failed")
    body = server.requests[0]
    assert body["messages"][0]["role"] == "system"
    request_text = json.dumps(body["messages"][0]["content"])
    assert "observer of a long-term memory" in request_text
    assert re.search(r"invented|Nothing invented", request_text)
    assert references(server.prompts()[0])[0] == 0
    assert "tools" not in body
    if status == 200:
        assert kept(run)["text"].to_list() == ["The user asked to build the importer in `src/importer.py`"]
