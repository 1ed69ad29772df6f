"""A full disk in the middle of a night: one line with the place and what to do, and the next night does the rest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from effects.store.lake import Lake

ROOT = Path(__file__).resolve().parents[3]
SAID = '"timestamp":"2026-05-17T10:00:0{0}Z","message":{{"role":"user","content":"{1}"}}'
LINE = f'{{{{"type":"message","id":"e{{0}}","parentId":null,{SAID}}}}}\n'


LIMITED = """
import os, resource, signal, sys
most_bytes = int(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Limits itself and becomes another program; Python between fork and exec would be a warning of lance."""


def run_night(place: Path, most_bytes: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run a night in a process of its own, whose files may have at most so many bytes."""
    places = {f"RECOLLECT_{name.upper()}": str(place / name) for name in ("sessions", "lake", "workspace")}
    environment = os.environ | places | {"RECOLLECT_EMBEDDING__MODEL": str(place / "none"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "recollect", "nightly", "--direct", "--as-of", "2026-05-18T04:00"]
    if most_bytes is not None:
        command = [sys.executable, "-c", LIMITED, str(most_bytes), *command]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("most_bytes", [9_000])
def test_a_full_disk_is_said_in_one_line_and_the_next_night_does_the_rest(most_bytes: int, tmp_path: Path) -> None:
    """Each file that grows too large is refused, as by a disk that is full: rows, the list of a commit, SQLite, LanceDB."""
    (tmp_path / "sessions").mkdir()
    lines = [LINE.format(number, f"from now on always deploy service {number} on a Tuesday") for number in range(9)]
    header = '{"type":"session","version":3,"id":"s","timestamp":"2026-05-17T09:00:00Z","cwd":"/w/app"}\n'
    (tmp_path / "sessions" / "a.jsonl").write_text(header + "".join(lines), encoding="utf-8")
    failed = run_night(tmp_path, most_bytes)
    assert failed.returncode == 1, failed.stderr
    complaint, hint = failed.stderr.strip().splitlines()[-2:]
    assert complaint.startswith(f"recollect: {tmp_path / 'lake'}")
    assert "cannot be written: " in complaint
    assert "df -h" in hint
    assert "Traceback" not in failed.stderr
    again = run_night(tmp_path)
    assert again.returncode == 0, again.stderr
    lake = Lake(tmp_path / "lake")
    assert lake.read("entries").height == lake.read("coverage").height == 9
    assert not any((tmp_path / "lake" / "_tx").iterdir())
