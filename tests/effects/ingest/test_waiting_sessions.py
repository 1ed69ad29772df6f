"""Sessions that wait for the lake."""

from __future__ import annotations

from pathlib import Path

from effects.ingest.waiting_sessions import (
    QUEUE_FOLDER,
    WaitingSession,
    enqueue_session,
    list_damaged_notes,
    list_waiting_sessions,
    remove_notes,
)
from effects.store.lake import Lake


def test_a_session_waits_once_and_stays_closed_once_pi_said_so(tmp_path: Path) -> None:
    """The hook may fire several times while a long run holds the lake."""
    lake, path = Lake(tmp_path), tmp_path / "a.jsonl"
    enqueue_session(lake, WaitingSession(path, is_closed=True))
    enqueue_session(lake, WaitingSession(path, is_closed=False))
    enqueue_session(lake, WaitingSession(tmp_path / "b.jsonl", is_closed=False))
    assert list_waiting_sessions(lake) == [WaitingSession(path, True), WaitingSession(tmp_path / "b.jsonl", False)]


def test_a_note_that_came_while_reading_stays(tmp_path: Path) -> None:
    """Read while it was open, closed meanwhile: the closing is not forgotten."""
    lake, path = Lake(tmp_path), tmp_path / "a.jsonl"
    enqueue_session(lake, WaitingSession(path, is_closed=False))
    items = list_waiting_sessions(lake)
    enqueue_session(lake, WaitingSession(path, is_closed=True))
    remove_notes(items)
    assert list_waiting_sessions(lake) == [WaitingSession(path, True)]
    remove_notes(list_waiting_sessions(lake))
    assert list_waiting_sessions(lake) == []


def test_a_damaged_note_does_not_stop_the_others(tmp_path: Path) -> None:
    """Nightly reads every session anyway, so that nothing is lost with it."""
    lake = Lake(tmp_path)
    enqueue_session(lake, WaitingSession(tmp_path / "a.jsonl", is_closed=False))
    (tmp_path / "_queue" / "x.json").write_text("[1, 2", encoding="utf-8")
    assert len(list_waiting_sessions(lake)) == 1


def test_a_damaged_note_is_told_and_hides_no_other(tmp_path: Path) -> None:
    """Nothing fails silently: the file is named, the others are read."""
    lake, path = Lake(tmp_path), tmp_path / "a.jsonl"
    assert list_damaged_notes(lake) == []
    enqueue_session(lake, WaitingSession(path, is_closed=True))
    (lake.root / QUEUE_FOLDER / "broken.json").write_text("{")
    assert list_waiting_sessions(lake) == [WaitingSession(path, True)]
    assert [note.name for note in list_damaged_notes(lake)] == ["broken.json"]
