"""The note for pi's extension: what it says, who leaves it, and that nobody needs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from effects.opening.memory_note import note_memory
from recollect.cli import run as run_command_line
from tests.effects.recall_world import SHOP, filled


@pytest.fixture
def note(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the note's place in a fresh home."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return own_home / ".cache" / "recollect" / "memory.json"


def test_an_opening_leaves_it_and_it_names_lake_and_workspace(
    note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pi's extension asks for openings, so that also an extension that was linked by hand knows the place afterwards."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    places = {"lake": str(run.settings.lake), "workspace": str(run.settings.workspace)}
    for name, place in places.items():
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", place)
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    assert run_command_line(["briefing", "--project", SHOP]) == 0
    assert not note.exists(), "a person who reads a briefing sets nothing up"
    assert run_command_line(["briefing", "--project", SHOP, "--opening"]) == 0
    assert json.loads(note.read_bytes()) == places
    assert note.stat().st_mode & 0o077 == 0


def test_it_follows_a_memory_that_moves_and_is_written_only_then(note: Path, tmp_path: Path) -> None:
    note_memory(tmp_path / "old", tmp_path / "w")
    first = note.stat()
    note_memory(tmp_path / "old", tmp_path / "w")
    assert note.stat().st_ino == first.st_ino
    note_memory(tmp_path / "new", tmp_path / "w")
    assert json.loads(note.read_bytes())["lake"] == str(tmp_path / "new")


def test_where_it_cannot_be_written_nothing_fails(note: Path, tmp_path: Path) -> None:
    note.parent.parent.mkdir()
    note.parent.write_text("a file where the folder should be", encoding="utf-8")
    note_memory(tmp_path / "lake", tmp_path / "w")
    assert note.parent.is_file()
