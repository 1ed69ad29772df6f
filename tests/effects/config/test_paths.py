"""The places of the code: what is said about removing it fits the way in which it was installed."""

from __future__ import annotations

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
