"""Prefect's home is there before Prefect looks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config.prefect_settings import make_home
from effects.system.errors import RecollectError


def test_a_home_below_folders_that_do_not_exist_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect itself makes no parents and then waits for a server that never comes."""
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "a" / "b"))
    make_home()
    assert (tmp_path / "a" / "b").is_dir()


def test_a_home_that_cannot_be_made_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the folder, the hint the way around Prefect."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(RecollectError, match="cannot be created") as caught:
        make_home()
    assert "--direct" in caught.value.hint
    monkeypatch.setenv("PREFECT_HOME", "~nouser/prefect")
    with pytest.raises(RecollectError, match="the home of an unknown user"):
        make_home()
