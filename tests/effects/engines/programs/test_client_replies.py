"""Requests through Claude Code and Codex: a scripted program for each fault, and what becomes of the window."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from effects.engines.programs.client_replies import CLAUDE, CODEX, Client, build_reply
from effects.engines.programs.program import ProgramOutput
from effects.engines.requests import TransportError
from tests.each_case import each_case
from tests.effects.engines.programs.fake_client import ENGINES, FakeClient, fail, give, install_client
from tests.effects.engines.world import calls, distilled, kept, run_on, windows, written
from transforms.model_answers.client_events import ClientAnswer, read_claude_events, read_codex_events
from transforms.model_answers.window_answer_schema import WindowAnswer

MODELS = {"claude": "anthropic/claude-haiku-4-5", "codex": "openai/gpt-6-luna"}
NAMES = {"claude": "Claude Code", "codex": "Codex"}


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    """Retry without pauses."""
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.fixture(params=["claude", "codex"])
def client(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    return install_client(tmp_path / "bin", request.param, monkeypatch)


def test_the_prompt_goes_through_stdin_and_the_program_works_in_an_empty_folder(tmp_path: Path, client: FakeClient) -> None:
    """No word of the conversation stands in the arguments, and nothing is left on the disk."""
    run = run_on(tmp_path, ENGINES[client.program])
    counts = distilled(run)
    [asked] = client.asked()
    assert "#0 [User]: build the importer" in asked["prompt"]
    assert "importer" not in " ".join(asked["arguments"])
    assert asked["content"] == []
    assert not Path(asked["folder"]).exists()
    assert windows(run) == [("distilled", "", 1)]
    assert set(kept(run)["engine"]) == {f"{client.program}:{MODELS[client.program]}"}
    assert counts["engine_reason"].startswith("your subscription")


def test_tokens_and_dollars_are_those_that_the_program_counted(tmp_path: Path, client: FakeClient) -> None:
    """Claude Code tells dollars, Codex tokens: those count at the list price."""
    run = run_on(tmp_path, ENGINES[client.program])
    counts = distilled(run)
    [call] = calls(run)
    assert (call["engine"], call["model"], call["outcome"]) == (client.program, MODELS[client.program], "ok")
    assert (call["input_tokens"], call["output_tokens"]) == (4400, 500)
    assert call["cost_usd"] == pytest.approx(0.0063 if client.program == "claude" else (4400 * 0.1 + 500 * 0.5) / 1e6)
    assert counts["cost_usd"] == pytest.approx(call["cost_usd"])


def test_a_budget_that_is_used_up_starts_no_program(tmp_path: Path, client: FakeClient) -> None:
    """A subscription bills no tokens, yet the budgets hold, at list prices."""
    run = run_on(tmp_path, ENGINES[client.program], budget_run_usd=0.0001)
    distilled(run)
    assert client.asked() == []
    assert [status for status, _, _ in windows(run)] == ["pending"]


def test_words_around_the_object_are_left_out(tmp_path: Path, client: FakeClient) -> None:
    """A model that ignores the schema may still write the object."""
    good = json.dumps({"segments": [{"topic": 1, "narrative": "The importer was built.", "facts": [
        {"text": "The user asked to build the importer.", "kind": "request", "priority": "high", "refs": [0]}
    ]}]})  # fmt: skip
    client.says(give(client.program, f"Here {{it}} is:\n```json\n{good}\n```\nThat is {{all}}."))
    run = run_on(tmp_path, ENGINES[client.program])
    distilled(run)
    assert kept(run)["text"].to_list() == ["The user asked to build the importer."]


def test_prose_is_asked_for_again_and_never_stored(tmp_path: Path, client: FakeClient) -> None:
    """Two requests, then the window is failed."""
    client.says(give(client.program, "I think the session went well."))
    run = run_on(tmp_path, ENGINES[client.program])
    distilled(run)
    assert windows(run) == [("failed", f"{MODELS[client.program]}: there is no JSON object in it", 1)]
    assert len(client.asked()) == 2
    assert kept(run).is_empty()


@each_case(("message", "status", "kind", "words"), [
    ("You've hit your session limit · resets 2:33pm (UTC)", 429, "is_final", "resets 2:33pm (UTC)"),
    ("You’ve hit your usage limit. Upgrade to Pro or try again at 2:33 PM.", 0, "is_final", "try again at 2:33 PM"),
    ("You've hit your weekly limit · resets Dec 1, 9am", 429, "is_final", "resets Dec 1, 9am"),
    ("You're out of usage credits.", 0, "is_final", "credits"),
    ("Not logged in · Please run /login", 0, "is_final", " login`"),
    ("Your access token could not be refreshed. Please log out and sign in again.", 0, "is_final", " login`"),
    ("Invalid API key · Fix external API key", 401, "is_final", " login`"),
    ("unexpected status 401 Unauthorized: bad key", 0, "is_final", " login`"),
    ("error: unexpected argument '--ephemeral' found", 0, "is_final", " update`"),
    ("API Error: Request rejected (429) · This request would exceed the rate limit of your account.", 429, "is_transient", "429"),
    ("exceeded retry limit, last status: 429 Too Many Requests", 0, "is_transient", "429"),
    ("API Error: 529 Overloaded. This is a server-side issue.", 529, "is_transient", "529"),
    ("API Error: Unable to connect to API (ECONNRESET)", 0, "is_transient", "ECONNRESET"),
    ("We’re currently experiencing high demand, which may cause temporary errors.", 0, "is_transient", "high demand"),
    ("stream disconnected before completion", 0, "is_transient", "disconnected"),
    ('{"error": {"type": "invalid_request_error", "message": "model not supported"}}', 0, "is_request_at_fault", "not supported"),
    ("API Error: 400 max_tokens: too big", 400, "is_request_at_fault", "too big"),
    ("There's an issue with the selected model (x). It may not exist.", 404, "", "selected model"),
], client=[CLAUDE, CODEX])  # fmt: skip
def test_an_error_says_whether_to_ask_again_and_what_to_do(
    client: Client, message: str, status: int, kind: str, words: str
) -> None:
    """Nothing but a time-out may be billed; a limit or a missing login holds for the rest of the run."""
    read = read_claude_events if client is CLAUDE else read_codex_events
    answer = read(str(fail(client.program, message, status)["text"]))
    with pytest.raises(TransportError) as caught:
        build_reply(client, answer, ProgramOutput(1, "", ""), WindowAnswer)
    kinds = {name for name in ("is_final", "is_transient", "is_request_at_fault", "may_be_billed") if getattr(caught.value, name)}
    if client is CLAUDE or kind != "is_request_at_fault" or not status:  # Codex tells no status beside its words
        assert kinds == ({kind} if kind else set())
    assert words in str(caught.value)
    assert client.name in str(caught.value)


def test_an_answer_that_broke_off_may_be_billed() -> None:
    """The client counted what was written until then."""
    with pytest.raises(TransportError, match="it broke off") as caught:
        build_reply(
            CLAUDE,
            ClientAnswer("half", plain_tokens=3000, output_tokens=200, error="it broke off"),
            ProgramOutput(1, "", ""),
            WindowAnswer,
        )
    assert caught.value.may_be_billed


def test_a_limit_leaves_the_windows_due_after_one_request(tmp_path: Path, client: FakeClient) -> None:
    """The message names the time and stands in the counts of the run; nothing of it costs, and no window loses an attempt."""
    written(tmp_path, "one")
    written(tmp_path, "two")
    client.says(fail(client.program, "You've hit your weekly limit · resets Dec 1, 9am", 429))
    run = run_on(tmp_path, ENGINES[client.program])
    counts = distilled(run)
    assert len(client.asked()) == 1
    name = NAMES[client.program]
    assert counts["waiting"] == {f"{MODELS[client.program]}: {name}: You've hit your weekly limit · resets Dec 1, 9am": 2}
    assert {(status, attempts) for status, _, attempts in windows(run)} == {("pending", 0)}
    assert calls(run) == []


def test_a_program_that_says_nothing_gives_its_complaint(tmp_path: Path, client: FakeClient) -> None:
    """One that does not know our options is too old."""
    client.says({"code": 1, "complaint": "error: unknown option '--safe-mode'"})
    run = run_on(tmp_path, ENGINES[client.program])
    counts = distilled(run)
    [reason] = counts["waiting"]
    assert "is too old" in reason
    assert f"`{client.program} update`" in reason
    client.says({"code": 134, "complaint": "Segmentation fault"})
    counts = distilled(run)
    assert "Segmentation fault" in next(iter(counts["failures"]))


def test_the_next_model_is_asked_when_a_limit_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of clients."""
    claude, codex = (install_client(tmp_path / name, name, monkeypatch) for name in ("claude", "codex"))
    claude.says(fail("claude", "You've hit your weekly limit · resets Dec 1, 9am", 429))
    run = run_on(tmp_path, f"{ENGINES['claude']},{ENGINES['codex']}")
    distilled(run)
    assert set(kept(run)["engine"]) == {"codex:openai/gpt-6-luna"}
    assert (len(claude.asked()), len(codex.asked())) == (1, 1)


def test_a_hanging_program_is_ended_with_all_that_it_started(tmp_path: Path, client: FakeClient) -> None:
    """The request counts as possibly billed."""
    client.says(give(client.program, "{}", wait=60, child=True))
    run = run_on(tmp_path, ENGINES[client.program], timeout_s=3)
    distilled(run)
    assert windows(run) == [("failed", f"{MODELS[client.program]}: timeout", 1)]
    assert [call["outcome"] for call in calls(run)] == ["error"]
    child = int((client.folder / "child").read_text(encoding="utf-8"))
    for _ in range(100):
        if not is_running(child):
            break
        time.sleep(0.05)
    assert not is_running(child)


def is_running(process: int) -> bool:
    """Whether a process runs; one that is dead and waits for its parent does not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        return not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_no_more_programs_run_at_once_than_the_settings_allow(tmp_path: Path, client: FakeClient) -> None:
    """Windows of six sessions, two at once."""
    for number in range(6):
        written(tmp_path, f"s{number}")
    client.says(give(client.program, "no object", wait=0.2))
    run = run_on(tmp_path, ENGINES[client.program], concurrency=2)
    distilled(run)
    asked = client.asked()
    assert len(asked) == 12
    assert max(note["at_once"] for note in asked) <= 2
