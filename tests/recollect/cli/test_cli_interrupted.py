"""Ctrl-C, wherever it comes: exit code 1 and one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
INTERRUPTED = """
from recollect import cli
def look_at_home():
    {statement}
cli.check_home = look_at_home
cli.main(["config"])
"""


@pytest.mark.parametrize(
    "statement", ["raise KeyboardInterrupt", "exec('raise KeyboardInterrupt')"], ids=["in a module", "in a string"]
)
def test_an_interrupt_ends_with_1_also_under_minus_m_and_in_code_run_from_a_string(statement: str, tmp_path: Path) -> None:
    """CPython ended the process by the signal when the interrupt came while a library made a class from a string."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED.format(statement=statement), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "stopped; finished work is kept" in done.stderr
