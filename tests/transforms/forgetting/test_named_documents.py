"""A document is judged by its columns as frames of documents are."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.forgetting.named_documents import is_forgotten_document
from transforms.tables.ids import hash_text

DOCUMENT = {
    "id": "o-1", "key": "o:o-1", "session_id": "a", "text": "tabs", "also": ["b:e7"], "entry_ids": ["e1"],
}  # fmt: skip


@each_case("target", ["o-1", "o:o-1", "a", "a:e1", "b:e7", "turn:o-1", hash_text("tabs")])
def test_a_document_is_named_by_id_session_text_or_cited_entry(target: str) -> None:
    assert is_forgotten_document(DOCUMENT, {target})


def test_other_names_and_columns_without_values_hide_nothing() -> None:
    """An entry is named with its session, because ids of entries repeat between sessions."""
    assert not is_forgotten_document(DOCUMENT, {"e1", "b", "o-2", "b:e1"})
    assert not is_forgotten_document({**DOCUMENT, "text": None, "also": None, "entry_ids": None}, {"a:e1", "b:e7"})
