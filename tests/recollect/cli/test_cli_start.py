"""The command line starts fast, and its help is what the golden file says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from effects.store.lake import Lake
from recollect.command_list import COMMANDS

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "help.txt"


def start(code: str) -> subprocess.CompletedProcess[str]:
    """Start a fresh interpreter, 100 columns wide."""
    environment = os.environ | {"COLUMNS": "100"}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def imported_by(*commands: list[str]) -> list[str]:
    """Return for each command line, run one after the other, the heavy libraries that are imported after it."""
    heavy = (
        "prefect",
        "polars",
        "lancedb",
        "duckdb",
        "pydantic",
        "mlx",
        "instructor",
        "numpy",
        "stamina",
        "effects.distil.distil_step",
    )
    report = f"print('imported', *[m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    done = start(f"import sys\nfrom recollect.cli import run\nfor line in {commands!r}:\n    run(line)\n    {report}")
    return [line.removeprefix("imported").strip() for line in done.stderr.splitlines() if line.startswith("imported")]


def test_help_and_usage_errors_import_nothing_heavy() -> None:
    """The help of a command imports none either: the heavy imports are in the functions that need them."""
    lines = [["--help"], *([name, "--help"] for name in COMMANDS), ["nonsense"]]
    assert dict(zip(map(" ".join, lines), imported_by(*lines), strict=True)) == dict.fromkeys(map(" ".join, lines), "")


def test_asking_and_running_directly_never_import_prefect(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its import alone takes 1.3 s, and a broken Prefect must not stop either. A night without models imports nothing that
    repeats requests, and a task that somebody adds no step of a night."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(own_home / name))
    (own_home / "sessions").mkdir()
    imported = imported_by(
        ["tasks", "add", "Write the report"], ["nightly", "--direct"], ["ask", "what did we decide?"], ["doctor"]
    )
    assert len(imported) == 4
    assert "prefect" not in " ".join(imported)
    assert "polars" in imported[0]  # it was run
    assert "distil_step" not in imported[0]
    assert "distil_step" in imported[1]
    assert "stamina" not in imported[1]


def test_the_help_is_the_golden_one() -> None:
    """A command that appears or changes is seen in a diff; write the file again with `UPDATE_GOLDEN=1`."""
    code = """
from recollect.cli import run
from effects.store.lake import Lake
from recollect.command_list import COMMANDS
for arguments in [[], *([name] for name in COMMANDS), ["review", "approve"], ["review", "apply"]]:
    print("$ recollect", *arguments, "--help", flush=True)
    run([*arguments, "--help"])
    print()
"""
    shown = start(code).stdout
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(shown, encoding="utf-8")
    assert shown == GOLDEN.read_text(encoding="utf-8")


def test_a_reader_that_has_enough_is_no_fault() -> None:
    """`recollect … | head -1` ends quietly with 0."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "--help"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_writes_says_that_the_lake_is_locked_before_it_loads_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the message came after 42 seconds."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    (tmp_path / "sessions").mkdir()
    lines = [
        ["nightly"],
        ["nightly", "--direct"],
        ["backfill", "--all"],
        ["timeline"],
        ["friction"],
        ["prune", "--older-than", "90d"],
        ["forget", "o-1"],
    ]
    with Lake(tmp_path / "lake").writing("recollect nightly"):
        assert imported_by(*lines) == [""] * len(lines)


@pytest.mark.parametrize(
    "arguments", [["remember", "作業は金曜日に 😀"], ["remember", "作業は金曜日に 😀", "--json"]], ids=["text", "json"]
)
def test_what_an_encoding_cannot_write_is_escaped(arguments: list[str], tmp_path: Path) -> None:
    """A person with an old terminal reads the rest; JSON stays JSON."""
    places = {f"RECOLLECT_{name}": str(tmp_path / name) for name in ("LAKE", "WORKSPACE", "SESSIONS")}
    environment = os.environ | places | {"PYTHONIOENCODING": "ascii", "HOME": str(tmp_path)}
    code = f"from recollect.cli import main\nmain({arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if "--json" in arguments:
        assert json.loads(done.stdout)["text"] == arguments[1]
    else:
        assert "\\u4f5c" in done.stdout
