"""The log of errors: private, without secrets, and written whatever the command line holds."""

from __future__ import annotations

import stat
import sys
import tempfile
from pathlib import Path

import pytest

from effects.store.error_log import log_traceback

PASSWORD = "Otter" + "_Kaffee" + "4821!x"


def test_the_command_line_is_logged_without_its_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["recollect", "remember", f"the password is {PASSWORD}"])
    text = log_traceback(tmp_path, ValueError("broken")).read_text()
    assert "recollect remember" in text
    assert "ValueError: broken" in text
    assert PASSWORD not in text


def test_bytes_that_are_no_text_stop_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["recollect", "ask", "a\udcff"])
    assert "ask a\\udcff" in log_traceback(tmp_path, ValueError("x\udcff")).read_text()


def test_a_link_in_the_temporary_folder_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user may have left one there, to a file of the owner."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "lake").write_text("a file where the lake should be")
    mine = tmp_path / "mine"
    mine.write_text("mine")
    first = log_traceback(tmp_path / "lake", ValueError("first"))
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    first.unlink()
    first.symlink_to(mine)
    assert log_traceback(tmp_path / "lake", ValueError("second")) == first
    assert mine.read_text() == "mine"
