"""Bring the search index in step with the lake: parts whose files changed are made again, and only changed rows are written."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl

from effects.embedding.embed_step import list_vector_files, read_vector_batches
from effects.embedding.embedder import name_model
from effects.index.index_state import IndexState, PartSummary
from effects.index.lance_writer import (
    LanceTables,
    add_documents,
    add_vectors,
    create_tables,
    delete_documents,
    finish_documents,
    finish_vectors,
    gather_batches,
    open_tables,
    optimize_tables,
    read_filter_columns,
)
from effects.index.manifest import INDEX_VERSION, IndexMissing, Manifest, find_index_folder, read_manifest, write_manifest
from effects.index.record_store import RecordStore, create_record_store, finish_record_store, open_record_store
from effects.index.source_parts import fingerprint_parts, read_part_documents, read_projects
from effects.store.run import Counts, Run
from effects.system.disk_errors import explaining_disk_errors
from effects.system.errors import ModelMissing
from transforms.recall.documents import DOCUMENT_SCHEMA, list_known_documents
from transforms.recall.ranking_record import READER_COLUMNS, encode_reader_columns, number_document, parse_ranking_records

DOCUMENTS_PER_WRITE = 20_000
"""Documents that are written at once while an index is built: so many take some 30 MB."""


def index(run: Run) -> Counts:
    """Bring the index up to date with the lake.

    Returns:
        `documents` in it, `written`, `deleted`, `vectors` added, `rebuilt` (whether it was built from the start).
    """
    try:
        manifest = read_manifest(run.lake)
        if manifest.model == _read_model_name(run):
            return _update(run, manifest)
    except IndexMissing as missing:  # not built yet, or broken: it follows from the lake, so build it
        run.progress(f"building ({missing.message})")
    return rebuild(run)


def rebuild(run: Run) -> Counts:
    """Build a new generation of the index next to the old one, then make it the one that readers open."""
    home = find_index_folder(run.lake)
    generations = {path.name for path in home.glob("g-*")} if home.is_dir() else set()
    numbers = [int(name.removeprefix("g-")) for name in generations if name.removeprefix("g-").isdigit()]
    generation = f"g-{max(numbers, default=0) + 1}"
    folder = home / generation
    folder.mkdir(parents=True)
    parts = fingerprint_parts(run)
    tables, store = create_tables(folder), create_record_store(folder)
    _update_sessions(run, store)
    frequencies = pl.DataFrame(schema={"word": pl.String, "documents": pl.Int64})
    for batch in gather_batches(_make_documents(run, parts, store), DOCUMENTS_PER_WRITE):
        add_documents(tables.documents, batch)
        _save_documents(store, batch.sort("number"))
        frequencies = pl.concat([frequencies, _count_documents(batch)]).group_by("word").agg(pl.col("documents").sum())
    store.add_document_frequencies(dict(frequencies.iter_rows()))
    finish_documents(tables)
    added = _add_all_vectors(run, tables, store)
    finish_record_store(store)
    manifest = _describe_index(run, store, generation)
    store.close()
    write_manifest(run.lake, manifest)
    _remove_other_generations(run, generation)
    written = manifest.document_count
    return {"documents": written, "written": written, "deleted": 0, "vectors": added, "rebuilt": True}


def _remove_other_generations(run: Run, generation: str) -> None:
    """Remove generations that nobody opens any more, also the incomplete one of a killed rebuild."""
    for folder in sorted(find_index_folder(run.lake).glob("g-*")):
        if folder.name != generation:
            shutil.rmtree(folder, ignore_errors=True)


def _make_documents(run: Run, parts: dict[str, str], store: RecordStore) -> Iterator[pl.DataFrame]:
    """Yield the numbered documents of each part, after the part is recorded as indexed."""
    state = IndexState(store.database)
    projects = state.read_projects()
    for done, part in enumerate(sorted(parts), 1):
        documents = _number_documents(read_part_documents(run, part, projects))
        state.save_part(part, parts[part], _summarise_part(documents))
        yield documents
        run.progress("parts", done, len(parts))


def _update(run: Run, manifest: Manifest) -> Counts:
    folder = find_index_folder(run.lake) / manifest.generation
    try:
        with explaining_disk_errors(folder):  # a full disk is not damage: building anew would need more room
            store = open_record_store(folder, is_writing=True)
            try:
                counts = _update_parts(run, folder, store)
                new_manifest = _describe_index(run, store, manifest.generation)
            finally:
                store.close()
    except sqlite3.Error as error:
        raise IndexMissing(f"the search index is damaged: {error}", "recollect rebuild index") from error
    if counts or new_manifest != manifest:
        write_manifest(run.lake, new_manifest)
        _remove_other_generations(run, manifest.generation)
    unchanged: Counts = {"written": 0, "deleted": 0, "vectors": 0}
    return {"documents": new_manifest.document_count} | (counts or unchanged) | {"rebuilt": False}


def _update_parts(run: Run, folder: Path, store: RecordStore) -> Counts:
    """Index changed parts and new vectors; the counts are empty when nothing changed."""
    state, parts = IndexState(store.database), fingerprint_parts(run)
    interrupted = state.read_announced()
    has_new_vectors = bool(_read_model_name(run) and state.find_unread_files("embeddings", list_vector_files(run.lake)))
    if not interrupted and parts == state.read_fingerprints() and not has_new_vectors:
        return {}
    tables = open_tables(folder)
    if interrupted:
        _remove_interrupted(tables, store, interrupted)
    _update_sessions(run, store)
    indexed, projects = state.read_fingerprints(), state.read_projects()
    written = deleted = vectors = 0
    changed = sorted(part for part in parts.keys() | indexed.keys() if parts.get(part) != indexed.get(part))
    for done, part in enumerate(changed, 1):
        stored = store.read_part(part)
        known = list_known_documents(stored.values())
        documents = read_part_documents(run, part, projects, known) if part in parts else DOCUMENT_SCHEMA.to_frame()
        new, vanished, with_vector = _write_part(tables, store, part, parts.get(part), _number_documents(documents), stored)
        written, deleted, vectors = written + new, deleted + vanished, vectors + with_vector
        run.progress("parts", done, len(changed))
    vectors += _add_new_vectors(run, tables, store)
    if written or deleted or vectors or interrupted:
        optimize_tables(tables)
    return {"written": written, "deleted": deleted, "vectors": vectors}


def _write_part(
    tables: LanceTables,
    store: RecordStore,
    part: str,
    fingerprint: str | None,
    documents: pl.DataFrame,
    stored: Mapping[int, tuple[str, str]],
) -> tuple[int, int, int]:
    """Bring one part, `stored` so far, up to date; return how many documents were written, vanished, and had a vector already.

    The changes are announced, then LanceDB is changed, then the records with everything else in one transaction.
    """
    state = IndexState(store.database)
    known = pl.DataFrame(
        {"number": list(stored), "row_hash": [row_hash for row_hash, _ in stored.values()]},
        schema={"number": pl.Int64, "row_hash": pl.String},
    )
    new = documents.join(known, on=["number", "row_hash"], how="anti").sort("number")
    unchanged = documents.select("number", "row_hash")
    old = known.join(unchanged, on=["number", "row_hash"], how="anti")["number"].sort().to_list()
    vanished = set(old) - set(new["number"])
    moved = store.read_ranking_records(set(new["number"]) - stored.keys())  # documents that another part had, or still has
    frequencies = Counter(dict(_count_documents(new).iter_rows()))
    for row in parse_ranking_records([*(stored[number][1] for number in old), *moved.values()]):
        frequencies.subtract(set(row["terms"]))
    vectors = store.read_vectors_of_texts(new["text_hash"].drop_nulls())  # a known text: only its other columns are new
    with_vector = new.filter(pl.col("text_hash").is_in(list(vectors)))
    flat = np.frombuffer(b"".join(vectors[text_hash] for text_hash in with_vector["text_hash"]), dtype=np.float16)
    stacked = flat.reshape(len(with_vector), -1 if len(with_vector) else 0)
    without_vector = new.filter(pl.col("text_hash").is_in(list(vectors)).not_())
    if old or len(new):
        with store.transaction():
            state.announce([*old, *new["number"]])
        delete_documents(tables, [*old, *moved])
        add_documents(tables.recent_documents, new)
        add_vectors(tables, with_vector, stacked)
    with store.transaction():
        store.delete_documents([*old, *moved])
        _save_documents(store, new)
        store.save_vectors(with_vector["number"].to_list(), stacked)
        store.add_document_frequencies(frequencies)
        state.add_waiting(dict(without_vector.select("number", "text_hash").iter_rows()))
        state.save_part(part, fingerprint, _summarise_part(documents))
        state.clear_announced()
    return len(new), len(vanished), len(with_vector)


def _remove_interrupted(tables: LanceTables, store: RecordStore, numbers: list[int]) -> None:
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


def _add_all_vectors(run: Run, tables: LanceTables, store: RecordStore) -> int:
    """Add the vectors of a new generation; return how many."""
    files = list_vector_files(run.lake)
    added = _add_vectors(run, tables, store, store.read_text_hashes(), files)
    finish_vectors(tables)
    if _read_model_name(run):
        IndexState(store.database).save_read_files("embeddings", files)
    return added


def _add_new_vectors(run: Run, tables: LanceTables, store: RecordStore) -> int:
    """Add the vectors of new files, and for new documents those of older files; return how many."""
    state, files = IndexState(store.database), list_vector_files(run.lake)
    unread = state.find_unread_files("embeddings", files)
    added = _add_vectors(run, tables, store, state.read_waiting(), unread)
    added += _add_vectors(run, tables, store, state.read_waiting(only_new=True), files.keys() - unread.keys())
    with store.transaction():
        state.clear_new_waiting()
        if _read_model_name(run):
            state.save_read_files("embeddings", files)
    return added


def _add_vectors(run: Run, tables: LanceTables, store: RecordStore, waiting: dict[int, str], files: Iterable[str]) -> int:
    """Add the vectors that these files have of the waiting documents, in batches; return how many."""
    names = sorted(files)
    if not waiting or not names or not _read_model_name(run):
        return 0
    is_first, added = tables.vectors is None, 0
    numbers = pl.DataFrame(list(waiting.items()), schema={"number": pl.Int64, "text_hash": pl.String}, orient="row")
    documents: pl.DataFrame | None = None
    for hashes, batch in read_vector_batches(run.lake, run.settings.embedding.model, numbers["text_hash"], names):
        documents = read_filter_columns(tables, numbers) if documents is None else documents
        rows = (
            pl.DataFrame({"text_hash": hashes}, schema={"text_hash": pl.String})
            .with_row_index("position")
            .join(documents, on="text_hash")
            .sort("number")
        )
        vectors = batch[rows["position"].to_numpy()]
        add_vectors(tables, rows, vectors, is_first)
        with store.transaction():
            store.save_vectors(rows["number"].to_list(), vectors)
            IndexState(store.database).remove_waiting(rows["number"])
        added += len(rows)
    return added


def _update_sessions(run: Run, store: RecordStore) -> None:
    """Read the projects of the sessions of those days whose files changed."""
    state = IndexState(store.database)
    fingerprints = {day.isoformat(): value for day, value in run.lake.list_fingerprints("sessions").items() if day is not None}
    unread, vanished = state.find_unread_files("sessions", fingerprints), state.find_vanished_files("sessions", fingerprints)
    if unread or vanished:
        with store.transaction():
            for day in sorted({*unread, *vanished}):
                state.replace_sessions(day, {})
            for day in sorted(unread):
                state.replace_sessions(day, read_projects(run, [date.fromisoformat(day)]))
            state.save_read_files("sessions", fingerprints)


def _save_documents(store: RecordStore, documents: pl.DataFrame) -> None:
    reader_columns = (documents[name].to_list() for name in READER_COLUMNS)
    encoded = (encode_reader_columns(values) for values in zip(*reader_columns, strict=True))
    columns = (documents[name].to_list() for name in ("number", "part", "row_hash", "text_hash", "ranking_json"))
    store.save_documents(zip(*columns, encoded, strict=True))


def _number_documents(documents: pl.DataFrame) -> pl.DataFrame:
    numbers = pl.Series("number", [number_document(key) for key in documents["key"]], dtype=pl.Int64)
    return documents.with_columns(numbers).unique("number", keep="first", maintain_order=True)


def _summarise_part(documents: pl.DataFrame) -> PartSummary:
    newest, newest_turn = documents["said_at"].max(), documents.filter(pl.col("source") == "turn")["said_at"].max()
    projects = tuple(sorted(documents["project"].drop_nulls().unique()))
    times = [moment.isoformat() if isinstance(moment, datetime) else None for moment in (newest, newest_turn)]
    return PartSummary(len(documents), int(documents["word_count"].sum()), times[0], times[1], projects)


def _describe_index(run: Run, store: RecordStore, generation: str) -> Manifest:
    total = IndexState(store.database).summarise_parts()
    mean_words = max(total.words / max(total.documents, 1), 1.0)
    fresh_as_of = total.newest_turn or total.newest
    model = _read_model_name(run)
    return Manifest(INDEX_VERSION, generation, model, total.documents, mean_words, list(total.projects), fresh_as_of)


def _read_model_name(run: Run) -> str:
    try:
        return name_model(run.settings.embedding.model)
    except ModelMissing:  # an index of words only; once the model exists its name differs, and the index is rebuilt
        return ""


def _count_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Return the document frequency of each word as rows (word, documents)."""
    words = documents.select(word=pl.col("words").str.split(" ").list.unique()).explode("word").drop_nulls()
    return words.group_by("word").agg(documents=pl.len().cast(pl.Int64)).sort("word")
