"""Reads what changed in a part: all documents of a day or of MEMORY.md, of the condensed periods only those that changed.

The index has a mark of each period, stored with its documents. A history has thousands of periods, and a night changes a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import polars as pl

from effects.index.index_state import IndexState, PartSummary
from effects.index.record_store import RecordStore
from effects.index.source_parts import PERIODS, read_part_documents
from effects.store.content_key import find_polars_version
from effects.store.forgotten import read_remembered
from effects.store.run import Run
from transforms.recall.documents import DISTILLATE_COLUMNS, DOCUMENT_SCHEMA, list_known_documents
from transforms.recall.ranking_record import number_document
from transforms.tables.ids import hash_fields
from transforms.tables.schema import hash_groups

_BASIS = ""
"""Name of the mark that tells for which fingerprint of the part, in which zone and by which polars the others were made."""


@dataclass(frozen=True, slots=True)
class PartReading:
    """What changed in a part since it was indexed."""

    documents: pl.DataFrame
    """Its numbered documents, all of them or those of changed periods."""
    stored: Mapping[int, tuple[str, str]]
    """What the index has of these: hash of the row and ranking record by number."""
    rest: PartSummary = field(default_factory=PartSummary)
    """Of the documents that are as the index has them and were not made."""
    marks: Mapping[str, str] | None = None
    """Of all periods, to be stored with the documents; None for other parts."""


def read_part(run: Run, store: RecordStore, part: str, fingerprint: str | None, projects: dict[str, str]) -> PartReading:
    """Return what may have changed in a part; a fingerprint of None: the part is gone."""
    if fingerprint is None:
        return PartReading(number_documents(DOCUMENT_SCHEMA.to_frame()), store.read_part(part))
    if part == PERIODS:
        return _read_periods(run, store, fingerprint)
    stored = store.read_part(part)
    documents = read_part_documents(run, part, projects, list_known_documents(stored.values()))
    return PartReading(number_documents(documents), stored)


def number_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Return the documents with their `number`, each once."""
    numbers = pl.Series("number", [number_document(key) for key in documents["key"]], dtype=pl.Int64)
    return documents.with_columns(numbers).unique("number", keep="first", maintain_order=True)


def mark_periods(run: Run, fingerprint: str) -> dict[str, str]:
    """Return the marks of all periods that are remembered, for an index that has all of them."""
    return _mark_rows(run, _read_rows(run), fingerprint)


def _read_periods(run: Run, store: RecordStore, fingerprint: str) -> PartReading:
    state, rows = IndexState(store.database), _read_rows(run)
    marks = _mark_rows(run, rows, fingerprint)
    indexed = state.read_fingerprints().get(PERIODS, "")
    changed: Collection[str] | None = None
    if state.read_mark(PERIODS, _BASIS) == _make_basis(run, indexed):  # without: another version indexed, or a period is due
        changed = {*state.find_unread_files(PERIODS, marks), *state.find_vanished_files(PERIODS, marks)} - {_BASIS}
        rows = rows.filter(pl.col("distillate_id").is_in(changed))
    stored = store.read_part(PERIODS, changed)
    documents = read_part_documents(run, PERIODS, {}, list_known_documents(stored.values()), rows)
    rest = PartSummary() if changed is None else store.summarise_others(PERIODS, changed)
    return PartReading(number_documents(documents), stored, rest, marks)


def _read_rows(run: Run) -> pl.DataFrame:
    return read_remembered(run.lake, "distillates")


def _mark_rows(run: Run, rows: pl.DataFrame, fingerprint: str) -> dict[str, str]:
    hashes = hash_groups(rows.select(DISTILLATE_COLUMNS), ["distillate_id"])
    return {name: value for (name,), value in hashes.items()} | {_BASIS: _make_basis(run, fingerprint)}


def _make_basis(run: Run, fingerprint: str) -> str:
    return hash_fields(fingerprint, run.settings.timezone, find_polars_version())
