"""Which documents of the index tombstones name, and whether the index has left them out."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from effects.index.forgotten_documents import has_new_tombstones, list_unindexed_ids, mark_forgotten_parts
from effects.index.index_state import IndexState
from effects.index.manifest import find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from tests.effects.recall_world import filled


def test_only_the_parts_whose_documents_new_tombstones_name_become_due_and_all_when_one_is_taken_back(tmp_path: Path) -> None:
    run = filled(tmp_path, model=str(tmp_path / "none"))
    folder = find_index_folder(run.lake) / read_manifest(run.lake).generation
    store = open_record_store(folder, is_writing=True)
    state = IndexState(store.database)
    (session,) = {row["session_id"] for row in run.lake.read("entries").to_dicts() if row["session_id"].startswith("blog")}

    def forget(is_undone: bool) -> set[str]:
        """Write the tombstone, or take it back; return the parts that are due now."""
        rows = pl.DataFrame({"target": [session], "reason": ["t"], "is_undone": [is_undone]})
        with run.lake.writing("test"), run.lake.commit() as change:
            change.replace("tombstones", rows)
        assert has_new_tombstones(run.lake, store)
        assert list_unindexed_ids(run.lake, store) >= (set() if is_undone else {session})
        mark_forgotten_parts(run.lake, store)
        assert not has_new_tombstones(run.lake, store)
        assert list_unindexed_ids(run.lake, store) == frozenset()
        return {part for part, mark in state.read_fingerprints().items() if not mark}

    query = "SELECT DISTINCT part FROM documents JOIN cards USING (number) WHERE card LIKE ?"
    named = {part for (part,) in store.database.execute(query, (f'%"{session}"%',))}
    assert not has_new_tombstones(run.lake, store)
    assert forget(is_undone=False) == named != set()
    assert forget(is_undone=True) == state.read_fingerprints().keys() > named
    store.close()
