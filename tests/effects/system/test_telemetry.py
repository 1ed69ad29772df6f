"""Telemetry of libraries is off before a command does anything, against any environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from effects.system.telemetry import PRIVATE_LIBRARIES, QUIET_LIBRARIES, keep_libraries_private

ROOT = Path(__file__).resolve().parents[3]


def test_telemetry_is_off_against_any_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PRIVATE_LIBRARIES:
        monkeypatch.setenv(name, "0")
    keep_libraries_private()
    assert {name: os.environ[name] for name in PRIVATE_LIBRARIES} == PRIVATE_LIBRARIES


def test_warnings_of_libraries_stay_off_the_screen_unless_somebody_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in QUIET_LIBRARIES:
        monkeypatch.delenv(name, raising=False)
    keep_libraries_private()
    assert {name: os.environ[name] for name in QUIET_LIBRARIES} == QUIET_LIBRARIES
    monkeypatch.setenv("LANCE_LOG", "debug")
    keep_libraries_private()
    assert os.environ["LANCE_LOG"] == "debug"


def test_a_command_switches_it_off_while_it_has_one_thread() -> None:
    """The variable is there before the command's own module is imported, which may start threads that read the environment."""
    code = (
        "import os, sys, threading\n"
        "from recollect import cli\n"
        f"seen = lambda: print([os.environ.get(name) for name in {list(PRIVATE_LIBRARIES)!r}], threading.active_count())\n"
        "cli.run = lambda arguments: seen() or 0\n"
        "cli.main(['--version'])"
    )
    bare = {name: value for name, value in os.environ.items() if name not in PRIVATE_LIBRARIES}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=bare, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"{list(PRIVATE_LIBRARIES.values())} 1", done.stderr
