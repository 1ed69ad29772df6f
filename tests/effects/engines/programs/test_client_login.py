"""Whether the owner is logged in to Claude Code and Codex, and who pays: scripted programs, with and without a key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from effects.engines.engine_finder import find_engines
from effects.engines.instructor_engine import ADDRESSES
from effects.engines.programs.client_login import describe_payers, find_login, list_paying_keys, require_login
from effects.engines.programs.client_replies import CLAUDE, CODEX, Client
from effects.engines.registry import choose_for_run
from effects.health.outside_checks import check_engines
from effects.system.errors import ConfigError
from tests.effects.engines.programs.fake_client import ENGINES, LOGGED_OUT, FakeClient, install_client
from tests.effects.engines.world import distilled, run_on
from transforms.pricing.engine_choice import choose_engine
from transforms.pricing.prices import LOCAL_PROVIDERS

CLIENTS = {"claude": CLAUDE, "codex": CODEX}
KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "CODEX_API_KEY"}
MODELS = {"claude": ("claude", "anthropic/claude-haiku-4-5"), "codex": ("codex", "openai/gpt-6-luna")}


@pytest.fixture(params=["claude", "codex"])
def fake(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    """Return a scripted program, the only one on PATH beside those of the system."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return install_client(tmp_path / "bin", request.param, monkeypatch)


def list_statuses(fake: FakeClient) -> list[list[str]]:
    """Return for each question about the login the keys that the program saw."""
    path = fake.folder / "statuses"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.mark.parametrize("client", [CLAUDE, CODEX], ids=["claude", "codex"])
def test_without_the_program_the_error_names_it(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not find_login(client).is_usable
    with pytest.raises(ConfigError, match=f"needs the program `{client.program}`") as caught:
        require_login(client, "anthropic/x")
    assert "PATH of the schedule" in caught.value.hint


def test_a_login_pays_even_where_a_key_is_set(fake: FakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key goes before a login in both programs: requests do not see it, and the run says who pays."""
    monkeypatch.setenv(KEYS[fake.program], "fake-key")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "outer")
    login = find_login(CLIENTS[fake.program])
    assert login.payer == ("your subscription (max)" if fake.program == "claude" else "your subscription")
    assert list_statuses(fake) == [[]]
    counts = distilled(run_on(tmp_path, ENGINES[fake.program]))
    [asked] = fake.asked()
    assert not {"ANTHROPIC_API_KEY", "CODEX_API_KEY", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"} & set(asked["environment"])
    assert counts["engine_reason"] == f"{login.payer} pays for {CLIENTS[fake.program].name}"
    assert list_statuses(fake) == [[]], "a process asks once"


def test_a_key_pays_where_there_is_no_login_and_it_is_said(
    fake: FakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The set-up is told which variable a schedule lacks."""
    monkeypatch.setenv(KEYS[fake.program], "fake-key")
    with_key = [0, json.dumps({"loggedIn": True, "authMethod": "api_key", "apiKeySource": "ANTHROPIC_API_KEY"})]
    fake.says({}, without_key=LOGGED_OUT[fake.program], with_key=with_key)
    login = find_login(CLIENTS[fake.program])
    assert (login.payer, login.hidden) == (KEYS[fake.program], ())
    assert login.make_environment()[KEYS[fake.program]] == "fake-key"
    assert list_paying_keys([MODELS[fake.program]]) == [KEYS[fake.program]]
    assert KEYS[fake.program] in describe_payers([MODELS[fake.program]])


def test_without_a_login_the_run_stops_before_anything_is_sent(fake: FakeClient, tmp_path: Path) -> None:
    """As for a missing key: with the next command. `doctor` says the same."""
    fake.says({}, without_key=LOGGED_OUT[fake.program])
    client, run = CLIENTS[fake.program], run_on(tmp_path, ENGINES[fake.program])
    with pytest.raises(ConfigError, match=f"{client.name} is installed but not logged in") as caught:
        distilled(run)
    assert caught.value.hint == client.login_command
    assert fake.asked() == []
    [check] = check_engines(run)
    assert (check.level, check.next) == ("wrong", client.login_command)


def test_doctor_says_who_pays(fake: FakeClient, tmp_path: Path) -> None:
    [observer, check] = check_engines(run_on(tmp_path, "offline", second_reading=ENGINES[fake.program]))
    assert observer.detail.startswith("offline, nothing is sent")
    assert (check.level, check.next) == ("ok", "")
    assert "is logged in; your subscription" in check.detail


def test_a_version_whose_options_we_do_not_know_is_asked_for_nothing(fake: FakeClient) -> None:
    """An old Claude Code would take `auth status` for a prompt."""
    fake.says({}, version={"claude": "2.0.9 (Claude Code)", "codex": "codex-cli 0.99.1"}[fake.program])
    login = find_login(CLIENTS[fake.program])
    assert not login.is_usable
    assert "is too old" in login.problem
    assert login.hint == f"{fake.program} update"
    assert list_statuses(fake) == []
    assert fake.asked() == []


def test_a_program_that_does_not_start_is_a_problem_and_no_crash(fake: FakeClient) -> None:
    (fake.folder / fake.program).write_text("#!/nowhere\n", encoding="utf-8")
    assert "does not start" in find_login(CLIENTS[fake.program]).problem


def test_no_part_of_a_key_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codex prints the ends of the key of its login."""
    fake = install_client(tmp_path / "bin", "codex", monkeypatch)
    fake.says({}, without_key=[0, "API key configured - sk-abcde***vwxyz\n"])
    assert find_login(CODEX).payer == "an API key (of its login)"


def test_auto_takes_a_login_after_a_key_and_before_a_local_server(
    fake: FakeClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The search sends nothing: the programs are asked for version and login only."""
    for provider in LOCAL_PROVIDERS:
        monkeypatch.setitem(ADDRESSES, provider, "http://127.0.0.1:9/v1")
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("effects.engines.engine_finder._list_pi_models", lambda _problems: ())
    choice = choose_engine(find_engines())
    assert choice.engine == f"{fake.program}:{MODELS[fake.program][1]}"
    assert "your subscription" in choice.reason
    assert fake.asked() == []
    choose_for_run.cache_clear()
    assert distilled(run_on(tmp_path, "auto"))["engine"] == choice.engine
    monkeypatch.setenv("OPENAI_API_KEY", "fake-key")
    assert choose_engine(find_engines()).engine.startswith("instructor:openai/")
    monkeypatch.delenv("OPENAI_API_KEY")
    fake.says({}, without_key=LOGGED_OUT[fake.program])
    find_login.__globals__["_find_login"].cache_clear()
    engines = find_engines()
    assert engines.clients == ()
    assert f"(`{fake.program}{' auth' if fake.program == 'claude' else ''} login`)" in "; ".join(engines.problems)
