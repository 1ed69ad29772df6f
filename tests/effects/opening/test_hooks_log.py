"""The log of the hooks holds what went wrong, and no progress of a reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.opening.hooks_log import is_hooks_log, open_hooks_log


def test_the_log_is_known_by_its_descriptor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading that a hook started writes its complaints there, and no lines of progress."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with open_hooks_log() as log:
        log.write(b"x")
        log.flush()
        assert is_hooks_log(log.fileno())
    with (tmp_path / "other.log").open("wb") as other:
        assert not is_hooks_log(other.fileno())
