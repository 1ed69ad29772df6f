"""Modes of work in a run: found in a window, or named by the owner, for the offline engine and for models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from effects.config.settings import DistilSettings, Settings
from effects.distil.window_distillers import choose_mode, compute_version_token
from effects.store.run import Run, open_run
from effects.system.templates import render_template
from tests.transforms.conversations import agent, conversation, user
from tests.transforms.exchanges.test_find_mode import FILES, read
from transforms.distil.modes import MODES
from transforms.offline.engine import OfflineEngine
from transforms.tables.enums import AgentMode

EXPLORING = conversation(user("How is the store built?"), *read(*FILES), agent("It has eight parts."))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a run over an empty lake."""
    return open_run(Settings(lake=tmp_path / "lake", workspace=tmp_path / "pages", timezone="UTC"))


@pytest.mark.parametrize(("setting", "mode"), [("auto", "explore"), ("testing", "testing"), ("default", "default")])
def test_the_owner_names_a_mode_or_the_work_does(setting: AgentMode, mode: str, run: Run) -> None:
    """Another mode is another version of the engine: the next night distils again."""
    own = Run(replace(run.settings, distil=DistilSettings(mode=setting)), run.lake, run.as_of)
    assert choose_mode(EXPLORING, own) == mode
    is_same = compute_version_token(OfflineEngine(), own) == compute_version_token(OfflineEngine(), run)
    assert is_same == (setting == "auto")


def test_a_model_is_told_what_to_look_for_and_in_the_default_mode_nothing() -> None:
    values = {
        "project": "shop",
        "zone": "UTC",
        "kind": "closing",
        "earlier": [],
        "transcript": "…",
        "topic_count": 1,
        "owner": "Joel",
    }
    plain, text = (render_template("llm/window.md.j2", focus=focus, **values) for focus in ("", MODES["explore"].focus))
    assert "Look first for" not in plain
    assert "Look first for findings about the code, and gaps" in text
    assert plain.startswith("Session in shop, days in UTC. This part ends where the episode ended.\n\n<transcript>\n…")
