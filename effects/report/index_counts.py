"""Counts the documents and vectors of the search index."""

from __future__ import annotations

from effects.index.manifest import IndexMissing, convert_open_errors, find_index_folder, read_answering_manifest
from effects.index.record_store import open_record_store
from effects.store.lake import Lake

QUERY = "SELECT part, count(*), count(vectors.number) FROM documents LEFT JOIN vectors USING (number) GROUP BY part ORDER BY part"


def count_index_parts(lake: Lake) -> dict[str, tuple[int, int]] | None:
    """Return the documents and the vectors of each part of the index; None when there is no usable index."""
    try:
        folder = find_index_folder(lake) / read_answering_manifest(lake).generation
        with convert_open_errors(folder):
            rows = open_record_store(folder)
            counts = {part: (documents, vectors) for part, documents, vectors in rows.database.execute(QUERY)}
            rows.close()
    except IndexMissing:
        return None
    return counts
