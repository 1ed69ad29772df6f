"""`recollect report` writes the page and says where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.cli import run
from tests.flows.test_runner_closing_together import session_file


def test_the_page_lies_where_the_command_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of a lake without a session; in a pipe no browser is asked."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    session_file(tmp_path / "sessions", "gateway")
    assert run(["nightly", "--direct", "--as-of", "2026-05-18T03:30"]) == 0
    monkeypatch.setattr("webbrowser.open", lambda _address: pytest.fail("a browser was opened"))
    capsys.readouterr()
    assert run(["report", "--json"]) == 0
    page = Path(json.loads(capsys.readouterr().out)["page"])
    assert page == tmp_path / "workspace" / "report.html"
    assert "<html" in page.read_text(encoding="utf-8")
    assert run(["report"]) == 0
    assert capsys.readouterr().out.strip() == str(page)
