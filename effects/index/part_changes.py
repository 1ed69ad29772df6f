"""Changes of parts of the search index: what differs from the index, and writing many parts at once.

LanceDB takes as long for one row as for thousands, so the changes of all parts of a night are gathered. They are announced, then
LanceDB is changed, then the records with everything else in one transaction: the next run undoes one that died in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

from effects.index.index_state import IndexState, PartSummary
from effects.index.lance_writer import LanceTables, add_documents, add_vectors, delete_documents
from effects.index.part_reading import PartReading
from effects.index.record_store import RecordStore
from transforms.embedding.bert_encoder import HalfMatrix
from transforms.recall.ranking_record import (
    READER_COLUMNS,
    encode_reader_columns,
    parse_ranking_records,
)


@dataclass(frozen=True, slots=True)
class PartChange:
    """What brings one part up to date; a fingerprint of None: the part is gone."""

    part: str
    fingerprint: str | None
    summary: PartSummary
    old: list[int]
    """Numbers of documents that changed or vanished."""
    vanished: int
    moved: list[int]
    """Numbers of new documents that another part had, or still has."""
    new: pl.DataFrame
    with_vector: pl.DataFrame
    """The new ones of a text whose vector the index has, …"""
    vectors: HalfMatrix
    """… and these vectors."""
    frequencies: Counter[str]
    marks: Mapping[str, str] | None = None
    """Those of all condensed periods, if the part is theirs."""

    @property
    def numbers(self) -> set[int]:
        """The documents that the change writes or deletes."""
        return {*self.old, *self.new["number"]}


def compare_part(store: RecordStore, part: str, fingerprint: str | None, reading: PartReading) -> PartChange:
    """Return what differs between the documents of a part that were read and those that the index has of it."""
    documents, stored = reading.documents, reading.stored
    known = pl.DataFrame(
        {"number": list(stored), "row_hash": [row_hash for row_hash, _ in stored.values()]},
        schema={"number": pl.Int64, "row_hash": pl.String},
    )
    new = documents.join(known, on=["number", "row_hash"], how="anti").sort("number")
    unchanged = documents.select("number", "row_hash")
    old = known.join(unchanged, on=["number", "row_hash"], how="anti")["number"].sort().to_list()
    moved = store.read_ranking_records(set(new["number"]) - stored.keys())
    frequencies = Counter(dict(count_documents(new).iter_rows()))
    for row in parse_ranking_records([*(stored[number][1] for number in old), *moved.values()]):
        frequencies.subtract(set(row["terms"]))
    vectors = store.read_vectors_of_texts(new["text_hash"].drop_nulls())  # a known text: only its other columns are new
    with_vector = new.filter(pl.col("text_hash").is_in(list(vectors)))
    flat = np.frombuffer(b"".join(vectors[text_hash] for text_hash in with_vector["text_hash"]), dtype=np.float16)
    stacked = flat.reshape(len(with_vector), -1 if len(with_vector) else 0)
    summary, vanished = join_summaries(summarise_part(documents), reading.rest), len(set(old) - set(new["number"]))
    moved_numbers = list(moved)
    return PartChange(
        part, fingerprint, summary, old, vanished, moved_numbers, new, with_vector, stacked, frequencies, reading.marks
    )


def write_changes(tables: LanceTables, store: RecordStore, changes: Sequence[PartChange]) -> None:
    """Write changes of parts that have no document in common."""
    if not changes:
        return
    state = IndexState(store.database)
    gone = [number for change in changes for number in (*change.old, *change.moved)]
    numbers = sorted(set().union(*(change.numbers for change in changes)))
    new = pl.concat([change.new for change in changes])
    filled = [change for change in changes if len(change.with_vector)]
    if numbers:
        with store.transaction():
            state.announce(numbers)
        delete_documents(tables, gone)
        add_documents(tables.recent_documents, new)
        if filled:
            vectors = np.concatenate([change.vectors for change in filled])
            add_vectors(tables, pl.concat([change.with_vector for change in filled]), vectors)
    with store.transaction():
        store.delete_documents(gone)
        save_documents(store, new)
        for change in changes:
            store.save_vectors(change.with_vector["number"].to_list(), change.vectors)
            store.add_document_frequencies(change.frequencies)
            without_vector = change.new.join(change.with_vector, on="number", how="anti").filter(
                pl.col("text_hash").is_not_null()
            )
            state.add_waiting(dict(without_vector.select("number", "text_hash").iter_rows()))
            state.save_part(change.part, change.fingerprint, change.summary)
            if change.marks is not None:
                state.save_read_files(change.part, change.marks)
        state.clear_announced()


def remove_interrupted(tables: LanceTables, store: RecordStore, numbers: list[int]) -> None:
    """Delete the documents that an interrupted run was about to change, so that they are made again."""
    state = IndexState(store.database)
    delete_documents(tables, numbers)
    frequencies: Counter[str] = Counter()
    for row in parse_ranking_records(list(store.read_ranking_records(numbers).values())):
        frequencies.subtract(set(row["terms"]))
    with store.transaction():
        state.invalidate_parts(numbers)
        store.delete_documents(numbers)
        store.add_document_frequencies(frequencies)
        state.clear_announced()


def save_documents(store: RecordStore, documents: pl.DataFrame) -> None:
    """Save the records of numbered documents, inside a transaction."""
    reader_columns = (documents[name].to_list() for name in READER_COLUMNS)
    encoded = (encode_reader_columns(values) for values in zip(*reader_columns, strict=True))
    columns = (documents[name].to_list() for name in ("number", "part", "row_hash", "text_hash", "ranking_json"))
    store.save_documents(zip(*columns, encoded, strict=True))


def summarise_part(documents: pl.DataFrame) -> PartSummary:
    """Return the summary of a part with these documents."""
    newest, newest_turn = documents["said_at"].max(), documents.filter(pl.col("source") == "turn")["said_at"].max()
    projects = tuple(sorted(documents["project"].drop_nulls().unique()))
    times = [moment.isoformat() if isinstance(moment, datetime) else None for moment in (newest, newest_turn)]
    return PartSummary(len(documents), int(documents["word_count"].sum()), times[0], times[1], projects)


def join_summaries(summary: PartSummary, rest: PartSummary) -> PartSummary:
    """Return the summary of two sets of documents together."""
    newest, newest_turn = (
        max(filter(None, times), default=None)
        for times in ((summary.newest, rest.newest), (summary.newest_turn, rest.newest_turn))
    )
    projects = tuple(sorted({*summary.projects, *rest.projects}))
    return PartSummary(summary.documents + rest.documents, summary.words + rest.words, newest, newest_turn, projects)


def count_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Return the document frequency of each word as rows (word, documents)."""
    words = documents.select(word=pl.col("words").str.split(" ").list.unique()).explode("word").drop_nulls()
    return words.group_by("word").agg(documents=pl.len().cast(pl.Int64)).sort("word")
