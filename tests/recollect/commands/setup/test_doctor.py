"""`recollect doctor` on the screen: as wide as the terminal, one line a check in a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.cli import run


@pytest.mark.parametrize("columns", [40, 80])
def test_checks_are_as_wide_as_the_terminal_and_commands_stay_whole(
    columns: int, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path and a command are not cut: they are copied."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("RECOLLECT_LAKE", str(own_home / "lake"))
    run(["doctor"])
    piped = capsys.readouterr().out
    assert all(line.startswith(("ok", "note", "BAD")) for line in piped.splitlines())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    run(["doctor"])
    shown = capsys.readouterr().out
    assert shown.split() == piped.split()
    assert [line for line in shown.splitlines() if line.lstrip().startswith("→ ")]
    assert all(len(line) <= columns or " " not in line.strip() or line.lstrip().startswith("→ ") for line in shown.splitlines())
