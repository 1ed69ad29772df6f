"""An owner who goes from rules to a model hears, once, what stays as rules read it and what another reading would cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.distil.windows_by_rules import describe_windows_by_rules
from recollect.cli import run
from tests.effects.engines.model_server import good, serving
from tests.effects.engines.world import distilled, run_on, set_environment, written


def test_a_new_model_leaves_what_rules_read_and_the_owner_hears_it_once(tmp_path: Path) -> None:
    with serving(good) as server:
        offline = run_on(tmp_path, "offline")
        distilled(offline)
        assert describe_windows_by_rules(offline) == ("", "")
        model = run_on(tmp_path, base_url=server.url)
        text, command = describe_windows_by_rules(model)
        assert text.startswith("1 window stays as rules read it, since 2026-03-02; another reading with openai/gpt-4o-mini would")
        assert command == "recollect rebuild --redistil --since 2026-03-02 --dry-run"
        assert server.requests == []
        written(tmp_path, "two")
        model = run_on(tmp_path, base_url=server.url)
        assert distilled(model)["distilled"] == 1
        assert describe_windows_by_rules(model, read_now=1) == (text, command)
        assert describe_windows_by_rules(model) == ("", "")  # the next night


def test_the_night_after_the_switch_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(good) as server:
        distilled(run_on(tmp_path, "offline"))
        set_environment(monkeypatch, tmp_path, server.url)
        assert run(["nightly", "--direct"]) == 0
        assert "1 window stays as rules read it, since 2026-03-02" in capsys.readouterr().err
