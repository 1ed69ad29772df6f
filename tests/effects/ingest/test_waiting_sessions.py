"""Sessions that wait for the lake."""

from __future__ import annotations

from pathlib import Path

from effects.ingest.waiting_sessions import FOLDER, Waiting, damaged_notes, enqueue, forget, waiting
from effects.store.lake import Lake


def test_a_session_waits_once_and_stays_closed_once_pi_said_so(tmp_path: Path) -> None:
    """The hook may fire several times while a long run holds the lake."""
    lake, path = Lake(tmp_path), tmp_path / "a.jsonl"
    enqueue(lake, Waiting(path, is_closed=True))
    enqueue(lake, Waiting(path, is_closed=False))
    enqueue(lake, Waiting(tmp_path / "b.jsonl", is_closed=False))
    assert waiting(lake) == [Waiting(path, True), Waiting(tmp_path / "b.jsonl", False)]


def test_a_note_that_came_while_reading_stays(tmp_path: Path) -> None:
    """Read while it was open, closed meanwhile: the closing is not forgotten."""
    lake, path = Lake(tmp_path), tmp_path / "a.jsonl"
    enqueue(lake, Waiting(path, is_closed=False))
    items = waiting(lake)
    enqueue(lake, Waiting(path, is_closed=True))
    forget(lake, items)
    assert waiting(lake) == [Waiting(path, True)]
    forget(lake, waiting(lake))
    assert waiting(lake) == []


def test_a_damaged_note_does_not_stop_the_others(tmp_path: Path) -> None:
    """Nightly reads every session anyway, so that nothing is lost with it."""
    lake = Lake(tmp_path)
    enqueue(lake, Waiting(tmp_path / "a.jsonl", is_closed=False))
    (tmp_path / "_queue" / "x.json").write_text("[1, 2", encoding="utf-8")
    assert len(waiting(lake)) == 1


def test_a_damaged_note_is_told_and_hides_no_other(tmp_path: Path) -> None:
    """Nothing fails silently: the file is named, the others are read."""
    lake, path = Lake(tmp_path), tmp_path / "a.jsonl"
    assert damaged_notes(lake) == []
    enqueue(lake, Waiting(path, is_closed=True))
    (lake.root / FOLDER / "broken.json").write_text("{")
    assert waiting(lake) == [Waiting(path, True)]
    assert ["broken.json" in told for told in damaged_notes(lake)] == [True]
