"""The script of continuous integration runs its set-ups side by side, leaves none behind, and says which of them failed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / ".ci" / "run"
SLEEPS = '#!/usr/bin/env bash\nsleep 61 &\necho $! >"$PIDS/{}"\nwait\n'
"""A set-up that waits for a process of its own, as npm does."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the script, and tools that do nothing before the others on the path."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "pids").mkdir()
    shutil.copy(SCRIPT, tmp_path / ".ci" / "run")
    for name in ("node", "npm", "chromium"):
        write_script(tmp_path / "bin" / name, "#!/bin/sh\necho 22\n")
    return tmp_path


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def write_set_ups(checkout: Path, make: str, pi: str, clients: str) -> None:
    write_script(checkout / "bin" / "make", make)
    write_script(checkout / "tests" / "pi" / "setup.sh", pi)
    write_script(checkout / "tests" / "clients" / "setup.sh", clients)


def start(checkout: Path) -> subprocess.Popen[str]:
    environment = {"PATH": f"{checkout / 'bin'}:{os.environ['PATH']}", "PIDS": str(checkout / "pids")}
    command = [checkout / ".ci" / "run"]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(checkout: Path, *names: str) -> list[int]:
    """Return the processes of set-ups when all of them have started one."""
    deadline = time.monotonic() + 60
    while True:
        texts = [path.read_text() if (path := checkout / "pids" / name).exists() else "" for name in names]
        if all(texts):
            return [int(text) for text in texts]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Whether a process ends soon; one that nobody waits for may stay as a name only."""
    for _ in range(500):
        state = Path(f"/proc/{pid}/stat")
        try:
            os.kill(pid, 0)
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(autouse=True)
def stop_left(checkout: Path) -> Iterator[None]:
    """Stop what a failing script left."""
    yield
    for path in (checkout / "pids").iterdir():
        with suppress(ProcessLookupError, ValueError):
            os.kill(int(path.read_text()), signal.SIGKILL)


def test_a_failed_set_up_of_the_environment_ends_all_with_its_name(checkout: Path) -> None:
    make = '#!/usr/bin/env bash\nuntil [ -s "$PIDS/pi" ] && [ -s "$PIDS/clients" ]; do sleep .02; done\nexit 3\n'
    write_set_ups(checkout, make, SLEEPS.format("pi"), SLEEPS.format("clients"))
    _, errors = (script := start(checkout)).communicate(timeout=60)
    assert script.returncode == 3
    assert '"make setup" FAILED' in errors
    assert all(map(is_gone, wait_for(checkout, "pi", "clients")))


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_script_leaves_no_set_up_behind(checkout: Path, stop: signal.Signals) -> None:
    write_set_ups(checkout, SLEEPS.format("make"), SLEEPS.format("pi"), SLEEPS.format("clients"))
    script = start(checkout)
    pids = wait_for(checkout, "make", "pi", "clients")
    script.send_signal(stop)
    _, errors = script.communicate(timeout=60)
    assert script.returncode == 128 + stop
    assert "interrupted" in errors
    assert all(map(is_gone, pids))


def test_a_client_that_cannot_be_installed_is_named_and_the_tests_run(checkout: Path) -> None:
    write_set_ups(checkout, "#!/bin/sh\necho $1 $HYPOTHESIS_PROFILE\n", "#!/bin/sh\nexit 4\n", "#!/bin/sh\n")
    output, errors = (script := start(checkout)).communicate(timeout=60)
    assert script.returncode == 0
    assert output.split("\n") == ["setup", "test repeatable", ""]
    assert '"tests/pi/setup.sh" FAILED (status 4)' in errors
    assert "clients" not in errors
