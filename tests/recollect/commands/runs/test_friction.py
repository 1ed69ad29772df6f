"""`recollect friction` and `recollect timeline` run over the memory that is there and print their counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from effects.store.lake import Lake
from recollect.cli import run
from tests.flows.test_runner_closing_together import session_file


@pytest.mark.parametrize("command", ["friction", "timeline"])
def test_a_run_over_memory_prints_counts_and_is_recorded(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    session_file(tmp_path / "sessions", "gateway")
    assert run(["nightly", "--direct", "--as-of", "2026-05-18T03:30"]) == 0
    capsys.readouterr()
    assert run([command, "--as-of", "2026-05-19T03:30", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert command in reply["counts"]
    assert Lake(tmp_path / "lake").read("runs").height == 2
