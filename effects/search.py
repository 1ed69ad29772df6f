"""What may answer a question: candidates from the index, or from the lake itself when there is no index or no model.

The index only proposes; `transforms/rank.py` orders. Without an index the texts are read from the lake and those with one of the
question's words are kept: slower with the size of the history, but nothing is lost with the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from effects.index_store import IndexMissing, Manifest, index_folder, open_readers, quoted, read_manifest, word_frequency
from effects.lance_reader import Reader
from effects.run import Run
from transforms.documents import RANKED, from_card
from transforms.query import Question
from transforms.rank import NEIGHBOURS, Corpus, Vectors
from transforms.recall import Filters

BY_WORDS, BY_VECTOR, EXPANDED = 200, 100, 120
"""Candidates from full text, from vectors, and how many of them get their neighbours read as well. 300, 150 and 250 took
twice the time (121 instead of 68 ms on busy cores, 400,000 documents) and moved no recall@k of 495 questions by half a point."""
WITHOUT_INDEX = 4_000
"""Texts that are scored when there is no index: those with most of the question's words."""

SHOWN = ["text", "project", "entry_ids", "lines", "also"]
"""What only a reader sees: read of the hits, not of the candidates."""
COLUMNS = [*RANKED, *SHOWN]


@dataclass(frozen=True, slots=True)
class Index:
    """An opened index; it can answer any number of questions."""

    folder: Path
    manifest: Manifest
    documents: Reader
    vectors: Reader | None


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates as rows with their words as the list `found`, what BM25 needs to know, and vectors where there are any.

    Rows of an index have the columns `SHOWN` after `completed`.
    """

    rows: list[dict[str, Any]]
    corpus: Corpus
    vectors: tuple[Vectors, Vectors] | None


def open_index(run: Run) -> Index:
    """The lake's search index.

    Raises:
        IndexMissing: when there is none or it cannot be used.
    """
    manifest = read_manifest(run.lake)
    folder = index_folder(run.lake) / manifest.generation
    documents, vectors = open_readers(folder)
    return Index(folder, manifest, documents, vectors)


def find(index: Index, question: Question, vector: Vectors | None, where: str) -> Found:
    """Candidates by words and by vector, with the turns around them.

    Raises:
        IndexMissing: when the index turns out to be broken while it is read.
    """
    try:
        frequency = word_frequency(index.folder, question.words)
        known = [word for word in question.words if frequency.get(word)]
        found = index.documents.by_words(" ".join(known), where, BY_WORDS) if known else None
        rows = _taken(index, found["_rowid"].to_pylist() if found is not None else [])
        keys = [row["key"] for row in rows]
        if vector is not None and index.vectors is not None:
            near = index.vectors.by_vector(vector, where, BY_VECTOR)["key"].to_pylist()
            keys = list(dict.fromkeys(keys + near))
        rows += _named(index, set(keys + _around(keys[:EXPANDED])) - {row["key"] for row in rows}, where)
        rows.sort(key=lambda row: str(row["key"]))
        vectors = _vectors(index, rows, vector) if vector is not None and index.vectors is not None else None
    except Exception as error:  # LanceDB raises RuntimeError, ValueError, OSError and its own classes for broken files
        raise IndexMissing(f"the search index cannot be read: {str(error)[:200]}", "recollect rebuild index") from error
    return Found(rows, Corpus(index.manifest.document_count, index.manifest.mean_words, frequency), vectors)


def completed(index: Index | None, rows: Sequence[dict[str, Any]]) -> None:
    """Reads what a reader sees of these candidates into them.

    Raises:
        IndexMissing: when the index turns out to be broken while it is read.
    """
    missing = {row["_rowid"]: row for row in rows if "text" not in row}
    if index is None or not missing:
        return
    try:
        found = index.documents.take(list(missing), SHOWN)
    except Exception as error:  # see `find`
        raise IndexMissing(f"the search index cannot be read: {str(error)[:200]}", "recollect rebuild index") from error
    for shown in found.to_pylist():
        missing[shown.pop("_rowid")] |= shown


def where_of(filters: Filters, projects: Sequence[str] | None, zone: ZoneInfo) -> str:
    """The filters as SQL over the index; empty when everything may be found. `projects` are full paths, or None for all."""
    parts = []
    if len(filters.sources) < 5:
        parts.append(f"source IN {quoted(list(filters.sources))}")
    if projects is not None:
        everywhere = "source = 'memory' OR kind IN ('preference','rule')"
        parts.append(f"(project IN {quoted(list(projects))} OR {everywhere})" if projects else f"({everywhere})")
    if filters.since:
        parts.append(f"said_at >= {_instant(datetime.combine(filters.since, time(), zone))}")
    if filters.until:
        parts.append(f"said_at < {_instant(datetime.combine(filters.until + timedelta(days=1), time(), zone))}")
    if filters.kinds:
        parts.append(f"kind IN {quoted(list(filters.kinds))}")
    if filters.priorities:
        parts.append(f"priority IN {quoted(list(filters.priorities))}")
    return " AND ".join(parts)


def find_without_index(documents: pl.DataFrame, question: Question, where: str) -> Found:
    """The same candidates from all documents, by words only."""
    query = f"SELECT * FROM documents WHERE {where or 'true'}"
    naive = documents.with_columns(pl.col("said_at").dt.replace_time_zone(None))  # an SQL timestamp has no zone
    rows = pl.SQLContext(documents=naive).execute(query).collect()
    rows = rows.with_columns(pl.col("said_at").dt.replace_time_zone("UTC"), found=pl.col("words").str.split(" "))
    asked = list(question.words)
    scored = rows.with_columns(hits=pl.col("found").list.set_intersection(pl.lit(asked)).list.len())
    near = pl.any_horizontal(*(pl.col("hits").shift(step).fill_null(0) > 0 for step in range(-NEIGHBOURS, NEIGHBOURS + 1)))
    kept = scored.sort("session_id", "part", "position", "key").filter(near)
    kept = kept.sort("hits", "key", descending=[True, False]).head(WITHOUT_INDEX).sort("key")
    matching = scored.filter(pl.col("hits") > 0).select(pl.col("found").list.unique()).explode("found")
    frequency = dict(matching.filter(pl.col("found").is_in(asked)).group_by("found").len().iter_rows())
    corpus = Corpus(len(documents), max(float(documents["word_count"].mean() or 1.0), 1.0), frequency)  # type: ignore[arg-type]
    return Found(kept.select(*COLUMNS, "found").to_dicts(), corpus, None)


def _around(keys: Sequence[str]) -> list[str]:
    """Keys of the spoken pieces within two of these."""
    found = []
    for key in keys:
        head, _, position = key.rpartition(":")
        if key.startswith("t:"):
            found += [f"{head}:{int(position) + step}" for step in range(-NEIGHBOURS, NEIGHBOURS + 1) if step]
    return found


def _taken(index: Index, row_ids: Sequence[int]) -> list[dict[str, Any]]:
    """The rows with these ids, in their order."""
    if not row_ids:
        return []
    places = {row_id: place for place, row_id in enumerate(row_ids)}
    return sorted(_dicts(index.documents.take(row_ids, ["card"])), key=lambda row: places[row["_rowid"]])


def _named(index: Index, keys: set[str], where: str) -> list[dict[str, Any]]:
    """The rows with these keys, unless the filters forbid them."""
    if not keys:
        return []
    only = f"key IN {quoted(sorted(keys))}" + (f" AND {where}" if where else "")
    return _dicts(index.documents.rows(only, ["card"], len(keys)))


def _dicts(found: Any) -> list[dict[str, Any]]:
    cards = zip(found["card"].to_pylist(), found["_rowid"].to_pylist(), strict=True)
    return [from_card(card) | {"_rowid": row_id} for card, row_id in cards]


def _vectors(index: Index, rows: Sequence[dict[str, Any]], vector: Vectors) -> tuple[Vectors, Vectors]:
    assert index.vectors is not None
    result = np.zeros((len(rows), len(vector)), dtype=np.float32)
    if rows:
        found = index.vectors.rows(f"key IN {quoted([row['key'] for row in rows])}", ["key", "vector"], len(rows))
        flat = found.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False)
        places = {row["key"]: place for place, row in enumerate(rows)}
        result[[places[key] for key in found.column("key").to_pylist()]] = flat.reshape(found.num_rows, -1).astype(np.float32)
    return result, vector


def _instant(at: datetime) -> str:
    return f"timestamp '{at.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S')}'"
