"""Lines of the terminal: as wide as it is, and whole in a pipe."""

from __future__ import annotations

import sys

import pytest

from recollect.terminal import print_wrapped


def test_a_narrow_terminal_gets_whole_words_and_a_pipe_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    title = "2026-11-09  pi  ferry-app  release week, e2e is red"
    print_wrapped(title, "  ")
    assert capsys.readouterr().out == f"  {title}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_wrapped(title, "  ")
    print_wrapped("short")
    assert capsys.readouterr().out == "  2026-11-09  pi  ferry-app\n    release week, e2e is red\nshort\n"
