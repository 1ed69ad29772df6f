"""Keeps the search index in step with the tombstones: which of its documents they name, and whether it has left them out."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from effects.index.index_state import IndexState
from effects.store.content_key import compute_content_key
from transforms.forgetting.named_documents import is_forgotten_document
from transforms.recall.ranking_record import parse_ranking_records, parse_reader_columns

if TYPE_CHECKING:
    from effects.index.record_store import RecordStore
    from effects.store.lake import Lake

_CONTENT, _TARGETS = "tombstones", "targets"
"""Names in the table `files` of the index: the content of the tombstones, and each target that holds."""
_DOCUMENTS = "SELECT number, card, shown FROM documents JOIN cards USING (number)"
_DOCUMENTS_AT_ONCE = 2_000


def has_new_tombstones(lake: Lake, store: RecordStore) -> bool:
    """Whether something was forgotten, or taken back, since the index was brought up to date; reads no row."""
    return bool(IndexState(store.database).find_unread_files(_CONTENT, _key_tombstones(lake)))


def list_unindexed_ids(lake: Lake, store: RecordStore) -> frozenset[str]:
    """Return the ids of all that was forgotten while the index still has it; empty when the index knows every tombstone."""
    if not has_new_tombstones(lake, store):
        return frozenset()
    from effects.store.forgotten import list_forgotten_ids

    return frozenset(list_forgotten_ids(lake))


def mark_forgotten_parts(lake: Lake, store: RecordStore) -> None:
    """Make the parts due whose documents new tombstones name; every part when something was taken back."""
    if not has_new_tombstones(lake, store):
        return
    from effects.store.forgotten import list_forgotten_ids, read_forgotten

    state, targets = IndexState(store.database), dict.fromkeys(read_forgotten(lake), "")
    numbers = _list_named_documents(store, list_forgotten_ids(lake)) if state.find_unread_files(_TARGETS, targets) else []
    is_taken_back = bool(state.find_vanished_files(_TARGETS, targets))
    with store.transaction():
        if is_taken_back:
            state.invalidate_all_parts()
        state.invalidate_parts(numbers)
        _save(lake, state, targets)


def save_tombstones(lake: Lake, store: RecordStore) -> None:
    """Record that a new index was made without all that is forgotten now."""
    from effects.store.forgotten import read_forgotten

    _save(lake, IndexState(store.database), dict.fromkeys(read_forgotten(lake), ""))


def _save(lake: Lake, state: IndexState, targets: dict[str, str]) -> None:
    state.save_read_files(_TARGETS, targets)
    state.save_read_files(_CONTENT, _key_tombstones(lake))


def _list_named_documents(store: RecordStore, forgotten: Collection[str]) -> list[int]:
    names, numbers = frozenset(forgotten), []
    cursor = store.database.execute(_DOCUMENTS)
    while batch := cursor.fetchmany(_DOCUMENTS_AT_ONCE):
        for (number, _, shown), record in zip(batch, parse_ranking_records([card for _, card, _ in batch]), strict=True):
            if is_forgotten_document({**record, **parse_reader_columns(shown)}, names):
                numbers.append(number)
    return numbers


def _key_tombstones(lake: Lake) -> dict[str, str]:
    return {"all": compute_content_key(lake.root, ("tombstones",))}
