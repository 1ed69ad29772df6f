"""The engines of a machine: a scripted pi, keys of the environment, and servers on the loopback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from effects.engines.engine_finder import KEY_PROVIDERS, find_engines
from effects.engines.instructor_engine import ADDRESSES
from effects.engines.registry import build_observer, choose_for_run
from tests.effects.engines.model_server import good, serving
from tests.effects.engines.world import calls, distilled, run_on
from tests.machine.loopback import QuietHandler, serving_on_loopback
from transforms.pricing.prices import LOCAL_PROVIDERS

TABLE = "provider   model             context\nanthropic  claude-haiku-4-5  200K\n"


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the test a machine without pi, keys and servers."""
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    for provider in KEY_PROVIDERS:
        monkeypatch.delenv(f"{provider.upper()}_API_KEY", raising=False)
    for provider in LOCAL_PROVIDERS:
        monkeypatch.setitem(ADDRESSES, provider, "http://127.0.0.1:9/v1")
    choose_for_run.cache_clear()


def install_pi(folder: Path, monkeypatch: pytest.MonkeyPatch, output: str, code: int = 0) -> None:
    """Put a program `pi` on PATH that prints `output` and refuses to do anything but list its models."""
    folder.mkdir()
    program = folder / "pi"
    listing = f"import sys\nassert sys.argv[1:] == ['--list-models']\nsys.stdout.write({output!r})\nsys.exit({code})\n"
    program.write_text(f"#!{sys.executable}\n{listing}", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@contextmanager
def listing_server(reply: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server that answers every GET with `reply`, and the list of what it was asked."""
    asked: list[str] = []

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_body(reply)

    with serving_on_loopback(Handler) as port:
        yield f"http://127.0.0.1:{port}/v1", asked


def test_an_empty_machine_has_no_engine() -> None:
    """Nothing is found, nothing is wrong."""
    engines = find_engines()
    assert (engines.pi_models, engines.key_providers, engines.servers, engines.problems) == ((), (), (), ())


def test_pi_tells_its_models_and_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pi lists only models for which it has credentials, and it is asked for nothing else."""
    install_pi(tmp_path / "one", monkeypatch, TABLE)
    assert find_engines().pi_models == ("anthropic/claude-haiku-4-5",)
    install_pi(tmp_path / "two", monkeypatch, "No models available.\n")
    engines = find_engines()
    assert engines.pi_models == ()
    assert "no credentials" in engines.problems[0]


def test_keys_count_when_their_package_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of variables are read, and a named server keeps keys out of the choice."""
    monkeypatch.setenv("OPENAI_API_KEY", "x" * 12)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x" * 12)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    engines = find_engines()
    assert engines.key_providers == ("openai",)
    assert "recollect[anthropic]" in engines.problems[0]
    assert find_engines("http://127.0.0.1:9/v1").key_providers == ()


def test_a_local_server_names_its_models_and_anything_else_on_the_port_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program on port 8080 is not an engine; an address elsewhere is never asked."""
    with listing_server('{"data": [{"id": "qwen3:14b"}]}') as (address, asked):
        monkeypatch.setitem(ADDRESSES, "ollama", address)
        assert find_engines().servers[0].models == ("qwen3:14b",)
        assert asked == ["/v1/models"]
    for other in ("<html>hello</html>", '{"data": 3}', '["x"]'):
        with listing_server(other) as (address, _):
            monkeypatch.setitem(ADDRESSES, "ollama", address)
            assert find_engines().servers == ()
    assert find_engines("http://models.example.test/v1").servers == ()


def test_auto_sends_windows_to_the_local_server_that_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` is resolved once per run, and the counts say which engine ran and why."""
    with listing_server('{"data": [{"id": "small-model"}]}') as (address, _):
        monkeypatch.setitem(ADDRESSES, "lmstudio", address)
        run = run_on(tmp_path, "auto")
        observer = build_observer(run)
    assert observer is not None
    assert observer.chain.models[0].name == "lmstudio/small-model"
    with serving(good) as server:
        monkeypatch.setitem(ADDRESSES, "lmstudio", server.url)
        counts = distilled(run)
    assert counts["engine"] == "instructor:lmstudio/small-model"
    assert "answers at" in counts["engine_reason"]
    assert calls(run)[0]["cost_usd"] == 0


def test_auto_without_any_model_is_offline_and_says_so(tmp_path: Path) -> None:
    """A night goes on without a model."""
    counts = distilled(run_on(tmp_path, "auto"))
    assert counts["engine"] == "offline"
    assert "no key" in counts["engine_reason"]
    assert counts["distilled"] == 1


def test_the_default_looks_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the owner's word no program is started and no port is tried."""
    monkeypatch.setattr("effects.engines.registry.find_engines", lambda *_: pytest.fail("looked for engines"))
    assert distilled(run_on(tmp_path, "offline"))["engine"] == "offline"
