"""A run of an owner sees nothing of another, and whatever happens to it stays with its owner."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from effects.fleet import owner_run
from effects.fleet.fleet_file import FleetOwner
from effects.fleet.owner_run import OwnerJob, make_environment, run_owner


@pytest.fixture
def owner(tmp_path: Path) -> FleetOwner:
    home = tmp_path / "ana"
    (home / "sessions").mkdir(parents=True)
    (home / "lake").mkdir()
    return FleetOwner("ana", home)


def let_run(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    """Let `python -P -m recollect …` of a run be this code."""
    script = folder / "fake.sh"
    (folder / "fake.py").write_text(code, encoding="utf-8")
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {folder / "fake.py"} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(owner_run, "PYTHON", (str(script),))


def test_the_environment_holds_the_owners_places_and_nothing_of_this_process(
    owner: FleetOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_LAKE", "/of/somebody/else")
    monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "openai/x")
    monkeypatch.setenv("OPENAI_API_KEY", "k1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k2")
    environment = make_environment(OwnerJob(owner, ("nightly",), budget_usd=0.5, environment=("ANTHROPIC_API_KEY",)))
    assert environment["HOME"] == str(owner.home)
    assert environment["RECOLLECT_LAKE"] == str(owner.home / "lake")
    assert environment["ANTHROPIC_API_KEY"] == "k2"
    assert float(environment["RECOLLECT_ENGINE__BUDGET_RUN_USD"]) == 0.5
    assert not {"OPENAI_API_KEY", "RECOLLECT_ENGINE__OBSERVER"} & set(environment)


def test_the_smaller_budget_counts(owner: FleetOwner) -> None:
    frugal = FleetOwner("ana", owner.home, "", 0.1)
    assert float(make_environment(OwnerJob(frugal, (), budget_usd=5.0))["RECOLLECT_ENGINE__BUDGET_RUN_USD"]) == 0.1


def test_an_error_is_the_owners_with_message_and_hint(owner: FleetOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_run(
        monkeypatch, tmp_path, 'print(\'{"error": {"message": "the disk is full", "hint": "make room"}}\'); raise SystemExit(1)'
    )
    result = run_owner(OwnerJob(owner, ("nightly",)))
    assert (result["state"], result["message"], result["hint"]) == ("failed", "the disk is full", "make room")


def test_a_lake_that_is_locked_is_told_from_a_failure(owner: FleetOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_run(monkeypatch, tmp_path, 'print(\'{"error": {"message": "held", "hint": ""}}\'); raise SystemExit(4)')
    assert run_owner(OwnerJob(owner, ("nightly",)))["state"] == "locked"


def test_a_run_that_is_killed_says_by_which_signal_and_names_its_log(
    owner: FleetOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_run(monkeypatch, tmp_path, "import os, sys; sys.stderr.write('words'); sys.stderr.flush(); os.kill(os.getpid(), 9)")
    result = run_owner(OwnerJob(owner, ("nightly",)))
    assert (result["state"], result["hint"]) == ("failed", f"see {owner.home / 'fleet.log'}")
    assert "signal 9" in result["message"]
    assert (owner.home / "fleet.log").read_text(encoding="utf-8") == "words"
    assert (owner.home / "fleet.log").stat().st_mode & 0o077 == 0


def test_a_run_without_end_is_ended_with_its_children(owner: FleetOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "pid"
    code = (
        "import subprocess, sys, time, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(mark)!r}).write_text(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    let_run(monkeypatch, tmp_path, code)
    result = run_owner(OwnerJob(owner, ("nightly",), minutes=2 / 60))
    assert result["state"] == "timed_out"
    assert _is_gone(int(mark.read_text(encoding="utf-8")))


def _is_gone(pid: int) -> bool:
    for _ in range(50):
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.1)
    return False


def test_a_link_to_anothers_words_stops_the_run_of_its_owner(owner: FleetOwner, tmp_path: Path) -> None:
    (tmp_path / "foreign.jsonl").write_text("{}", encoding="utf-8")
    (owner.home / "sessions" / "x.jsonl").symlink_to(tmp_path / "foreign.jsonl")
    result = run_owner(OwnerJob(owner, ("nightly",)))
    assert result["state"] == "not_run"
    assert "leads out of the home" in result["message"]


def test_an_owner_without_sessions_is_done(tmp_path: Path) -> None:
    (tmp_path / "cy").mkdir()
    result = run_owner(OwnerJob(FleetOwner("cy", tmp_path / "cy"), ("nightly",)))
    assert (result["state"], result["message"]) == ("done", "no sessions yet")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change users")
def test_a_run_gets_the_user_who_owns_the_home(owner: FleetOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Path(tempfile.gettempdir()) / f"recollect-fleet-{os.getpid()}.sh"  # every user may enter this folder
    script.write_text(f"#!/bin/sh\nid -u >> {owner.home}/uid\n", encoding="utf-8")
    script.chmod(0o755)
    for folder in (owner.home, *owner.home.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o755)
    os.chown(owner.home, 12345, 12345)
    monkeypatch.setattr(owner_run, "PYTHON", (str(script),))
    try:
        assert run_owner(OwnerJob(owner, ("nightly",)))["state"] == "done"
        assert (owner.home / "uid").read_text(encoding="utf-8").strip() == "12345"
    finally:
        script.unlink()


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_a_log_that_leads_to_another_owner_is_not_written(
    owner: FleetOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The fleet wrote the log of one owner into the MEMORY.md of another, as a user who may write both; a pipe was waited for."""
    let_run(monkeypatch, tmp_path, "import sys; sys.stderr.write('words')")
    other, log = tmp_path / "MEMORY.md", owner.home / "fleet.log"
    other.write_text("- a rule\n", encoding="utf-8")
    if kind == "link":
        log.symlink_to(other)
    elif kind == "hard link":
        log.hardlink_to(other)
    elif kind == "pipe":
        os.mkfifo(log)
    else:
        log.mkdir()
    result = run_owner(OwnerJob(owner, ("nightly",)))
    assert result["state"] == "failed"
    assert str(log) in result["message"]
    assert other.read_text(encoding="utf-8") == "- a rule\n"
