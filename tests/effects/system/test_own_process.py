"""No process of ours runs code of the folder that it is started in: a cloned repository may hold a module of any name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from effects.opening.client_hooks import HookEvent, start_reading
from effects.system.own_process import leave_out_own_variables

ROOT = Path(__file__).resolve().parents[3]
MODULES = ("recollect/__init__", "recollect/__main__", "multiprocessing/__init__", "orjson", "polars", "pip", "platformdirs")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder whose modules leave a mark beside it when they are imported."""
    folder = tmp_path / "cloned"
    for name in MODULES:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'RAN')!r}, 'a').write({name!r} + ' ')\n", encoding="utf-8")
    return folder


def list_executed(folder: Path) -> str:
    """Return the names of the modules that were run."""
    mark = folder.parent / "RAN"
    return mark.read_text(encoding="utf-8") if mark.exists() else ""


def test_python_itself_would_run_a_module_of_the_working_directory(hostile: Path) -> None:
    """Or the tests below would prove nothing."""
    subprocess.run([sys.executable, "-m", "recollect", "--version"], cwd=hostile, capture_output=True, check=False)
    assert "recollect/__main__" in list_executed(hostile)


@pytest.mark.parametrize("event", ["SessionEnd", "PreCompact"])
def test_a_hook_in_a_cloned_repository_runs_no_module_of_it(event: str, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client starts its hooks in the folder of the project, and the reading outlives the hook."""
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def note(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        """Start the process and keep it."""
        started.append(start(*arguments, **options))
        return started[-1]

    transcript = hostile.parent / "t.jsonl"
    transcript.write_text("{}\n", encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_LAKE", str(hostile.parent / "lake"))
    monkeypatch.setenv("RECOLLECT_WORKSPACE", str(hostile.parent / "workspace"))
    monkeypatch.setattr(subprocess, "Popen", note)
    monkeypatch.chdir(hostile)
    start_reading(HookEvent(event, "s-1", hostile, Path("../t.jsonl")))
    assert started[0].wait(60) in (0, 1)
    assert list_executed(hostile) == ""


def test_the_workers_of_a_command_run_no_module_of_the_folder_that_it_is_started_in(hostile: Path) -> None:
    """Python starts them with `-c`, which looks in the working directory first."""
    script = hostile.parent / "installed" / "script.py"
    script.parent.mkdir()
    script.write_text(
        "from recollect import cli\n"
        "from effects.system.process_pool import map_in_processes\n"
        "from tests.effects.system.pool_work import doubled\n"
        "if __name__ == '__main__':\n"
        "    cli.run = lambda arguments: print(sorted(map_in_processes(doubled, [1, 2, 3], 2, print))) or 0\n"
        "    cli.main(['--version'])",
        encoding="utf-8",
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "RECOLLECT_LAKE": str(ROOT / "no-lake")}
    command = [sys.executable, str(script)]
    done = subprocess.run(command, cwd=hostile, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["[2, 4, 6]"], done.stderr
    assert "worker process failed" not in done.stdout
    assert list_executed(hostile) == ""


def test_a_client_that_is_started_again_keeps_the_owners_own_setting_only() -> None:
    """Scripts of the owner's project import from where they lie."""
    assert leave_out_own_variables({"PYTHONSAFEPATH": "recollect", "HOME": "/h"}) == {"HOME": "/h"}
    assert leave_out_own_variables({"PYTHONSAFEPATH": "1"}) == {"PYTHONSAFEPATH": "1"}


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_acts_like_the_null_device(closed: str, tmp_path: Path) -> None:
    """Python has None for a stream that the caller closed, and each command asked it whether it is a terminal."""
    code = "from recollect.cli import main; main()"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")} | {"PYTHONPATH": str(ROOT)}
    for command, expected in (
        ("config", 0),
        ("--help", 0),
        ("ask --help", 0),
        ("sql 'SELECT 1'", 1),
        ("nothing", 2),
    ):
        line = f'exec "$0" -P -c "$1" {command} {closed}'
        done = subprocess.run(
            ["bash", "-c", line, sys.executable, code],
            env=kept | {"HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expected, (command, done.stderr)
        assert "Traceback" not in done.stderr
    assert list(tmp_path.glob("**/errors.log")) == []


def test_a_stream_that_was_closed_is_open_for_the_processes_that_are_started(tmp_path: Path) -> None:
    """Else the next file that a worker opens would get what it prints."""
    code = (
        "import subprocess, sys; from effects.system.own_process import open_closed_streams; open_closed_streams();"
        "sys.exit(subprocess.run([sys.executable, '-c', 'import os; os.fstat(1)'], close_fds=False).returncode)"
    )
    line = f'exec "$0" -P -c "$1" >&- 2> {tmp_path / "errors"}'
    kept = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", line, sys.executable, code], env=kept, check=False)
    assert done.returncode == 0, (tmp_path / "errors").read_text()
