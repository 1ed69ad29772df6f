"""Tombstones leave out exactly the rows that they name."""

from __future__ import annotations

import polars as pl

from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.tables.ids import hash_text

FACTS = pl.DataFrame(
    {
        "observation_id": ["o-1", "o-2", "o-3", "o-4"],
        "segment_id": ["s-1", "s-1", "s-2", "s-3"],
        "session_id": ["a", "a", "b", "c"],
        "entry_ids": [["e1"], ["e2"], ["e1", "e3"], None],
        "text": ["one", "two", "three", None],
    }
)


def test_rows_are_named_by_id_session_entry_or_text() -> None:
    """An entry is named with its session, because ids of entries repeat between sessions."""

    def kept(*targets: str) -> list[str]:
        return drop_forgotten_rows(FACTS, targets)["observation_id"].to_list()

    assert kept() == ["o-1", "o-2", "o-3", "o-4"]
    assert kept("o-2") == ["o-1", "o-3", "o-4"]
    assert kept("s-1") == ["o-3", "o-4"]
    assert kept("b", "c") == ["o-1", "o-2"]
    assert kept("b:e1") == ["o-1", "o-2", "o-4"]
    assert kept(hash_text("two")) == ["o-1", "o-3", "o-4"]
    assert kept("turn:a:e1", "raw:w-1", "line:0") == ["o-1", "o-2", "o-3", "o-4"]


def test_titles_and_tasks_are_hidden_without_their_rows() -> None:
    """A window keeps its counts and its day."""
    windows = pl.DataFrame({"window_id": ["w-1", "w-2"], "session_id": ["a", "b"], "current_task": ["x", "y"]})
    assert drop_forgotten_rows(windows, ["task:w-2"])["current_task"].to_list() == ["x", None]
    sessions = pl.DataFrame({"session_id": ["a", "b"], "title": ["x", "y"]})
    assert drop_forgotten_rows(sessions, ["title:a"])["title"].to_list() == [None, "y"]
