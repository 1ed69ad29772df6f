"""The places of the code: what is said about removing it fits the way in which it was installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config import paths


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ana/.local/share/uv/tools/recollect", "`uv tool uninstall recollect`"),
        ("/home/ana/.local/share/pipx/venvs/recollect", "`pipx uninstall recollect`"),
        ("/home/ana/env", "`pip uninstall recollect`"),
    ],
)
def test_the_program_is_removed_by_what_installed_it(prefix: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "checkout" in paths.describe_removal()
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    monkeypatch.setattr("sys.prefix", prefix)
    assert command in paths.describe_removal()


def test_a_path_of_settings_has_no_dots_and_keeps_its_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real" / "in").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "in")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.make_absolute(Path("~/link/x/")) == tmp_path / "link" / "x"
    assert paths.make_absolute(Path("~/other/../link/x")) == tmp_path / "link" / "x"
    assert paths.make_absolute(Path("~/link/../x")) == tmp_path / "real" / "x"
    assert paths.make_absolute(Path("~/real/in/..")) == tmp_path / "real"
