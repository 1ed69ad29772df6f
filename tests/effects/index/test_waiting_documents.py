"""Documents that wait for a vector: only those that a night can serve are read."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.index import waiting_documents
from effects.index.index_state import IndexState
from effects.index.record_store import RecordStore, create_record_store, finish_record_store
from effects.index.waiting_documents import find_waiting, read_all_texts, read_new_waiting


def make_store(folder: Path) -> RecordStore:
    """Return a store with six documents of five texts, of which the last document has a vector, and one without a text."""
    store = create_record_store(folder)
    texts = ["a", "b", "b", "c", "d", "e", None]
    store.save_documents([(number, "entries/2026-05-01", "hash", text, "[]", "[]") for number, text in enumerate(texts)])
    finish_record_store(store)
    IndexState(store.database).remove_waiting([5])
    return store


def test_documents_of_some_texts_are_found_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text may stand in several documents, and a list of texts be looked for in pieces."""
    monkeypatch.setattr(waiting_documents, "ROWS_PER_READ", 2)
    store = make_store(tmp_path)
    found = find_waiting(store, pl.Series("text_hash", ["b", "c", "e", "unknown"])).sort("number")
    assert found.rows() == [(1, "b"), (2, "b"), (3, "c")]
    assert find_waiting(store, pl.Series("text_hash", [], dtype=pl.String)).is_empty()


def test_all_texts_of_a_new_index_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that have a vector, too: while an index is built none has one."""
    monkeypatch.setattr(waiting_documents, "ROWS_PER_READ", 4)
    assert read_all_texts(make_store(tmp_path)).sort("number").rows() == [*enumerate(["a", "b", "b", "c", "d", "e"])]


def test_new_documents_are_told_from_those_that_waited_before(tmp_path: Path) -> None:
    """Older files are searched for these alone."""
    store = make_store(tmp_path)
    assert read_new_waiting(store).is_empty()
    IndexState(store.database).add_waiting({3: "c"})
    assert read_new_waiting(store).rows() == [(3, "c")]
