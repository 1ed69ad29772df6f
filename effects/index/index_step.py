"""Bring the search index in step with the lake: parts whose files changed are made again, and only changed rows are written."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl

from effects.embedding.embed_step import list_vector_files, list_vector_texts, read_vector_batches
from effects.embedding.embedder import find_obstacle, name_model
from effects.index.forgotten_documents import mark_forgotten_parts, save_tombstones
from effects.index.index_state import IndexState
from effects.index.lance_writer import (
    LanceTables,
    add_documents,
    add_vectors,
    create_tables,
    erase_deleted_rows,
    finish_documents,
    finish_vectors,
    gather_batches,
    is_move_interrupted,
    is_of_lance,
    open_tables,
    optimize_tables,
    read_filter_columns,
)
from effects.index.manifest import INDEX_VERSION, IndexMissing, Manifest, find_index_folder, read_manifest, write_manifest
from effects.index.part_changes import (
    PartChange,
    compare_part,
    count_documents,
    remove_interrupted,
    save_documents,
    summarise_part,
    write_changes,
)
from effects.index.part_pieces import make_documents
from effects.index.part_reading import mark_periods, read_part
from effects.index.record_store import RecordStore, create_record_store, finish_record_store, open_record_store
from effects.index.source_parts import PERIODS, fingerprint_parts, read_projects
from effects.index.waiting_documents import find_waiting, read_all_texts, read_new_waiting
from effects.store.run import Counts, Run
from effects.system.disk_errors import explaining_disk_errors
from effects.system.errors import ModelMissing
from effects.system.garbage import give_memory_back
from effects.system.process_pool import keep_warnings

DOCUMENTS_PER_WRITE = 20_000
"""Documents that are written at once while an index is built: so many take some 30 MB."""
CHANGES_PER_WRITE = 6_000
"""Changed documents that are written at once: with all of their columns, and what they replace, so many take some 50 MB."""


def index(run: Run, is_purge: bool = False) -> Counts:
    """Bring the index up to date with the lake; a purge leaves nothing of deleted documents in its files.

    Returns:
        `documents` in it, `written`, `deleted`, `vectors` added, `rebuilt` (whether it was built from the start); when worker
        processes failed, `worker_failures`: the reasons.
    """
    try:
        manifest = read_manifest(run.lake)
        is_kept = _keeps_vectors(run, manifest)
        if is_kept or manifest.model == _read_model_name(run):
            return _update(run, manifest, is_purge, is_kept)
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
    IndexState(store.database).save_read_files(PERIODS, mark_periods(run, parts[PERIODS]))
    save_tombstones(run.lake, store)
    frequencies = pl.DataFrame(schema={"word": pl.String, "documents": pl.Int64})
    failures: list[str] = []
    for batch in gather_batches(_make_documents(run, parts, store, failures), DOCUMENTS_PER_WRITE):
        add_documents(tables.documents, batch)
        save_documents(store, batch.sort("number"))
        frequencies = pl.concat([frequencies, count_documents(batch)]).group_by("word").agg(pl.col("documents").sum())
    store.add_document_frequencies(dict(frequencies.iter_rows()))
    del frequencies
    give_memory_back()  # also between parts of the work: what one leaves to its library's allocator is of no use to the next
    finish_documents(tables)
    give_memory_back()
    added = _add_all_vectors(run, tables, store)
    finish_record_store(store)
    manifest = _describe_index(run, store, generation)
    store.close()
    write_manifest(run.lake, manifest)
    _remove_other_generations(run, generation)
    written = manifest.document_count
    counts: Counts = {"documents": written, "written": written, "deleted": 0, "vectors": added, "rebuilt": True}
    return counts | ({"worker_failures": failures} if failures else {})


def _remove_other_generations(run: Run, generation: str) -> None:
    """Remove generations that nobody opens any more, also the incomplete one of a killed rebuild."""
    for folder in sorted(find_index_folder(run.lake).glob("g-*")):
        if folder.name != generation:
            shutil.rmtree(folder, ignore_errors=True)


def _make_documents(run: Run, parts: dict[str, str], store: RecordStore, failures: list[str]) -> Iterator[pl.DataFrame]:
    """Yield the numbered documents of each part, after the part is recorded as indexed; reasons of failed workers are added to
    `failures`."""
    warn = keep_warnings(run.progress, failures)
    state = IndexState(store.database)
    projects = state.read_projects()
    for done, (part, documents) in enumerate(make_documents(run, sorted(parts), projects, warn), 1):
        state.save_part(part, parts[part], summarise_part(documents))
        yield documents
        run.progress("parts", done, len(parts))


def _keeps_vectors(run: Run, manifest: Manifest) -> bool:
    """Whether the setting names a model that cannot be used here (a misspelt one), and the index has vectors of another: they
    stay, new documents have none, and once a model can be used the index follows it."""
    return (
        bool(manifest.model)
        and manifest.model != _read_model_name(run)
        and find_obstacle(run.settings.embedding.model) is not None
    )


def _update(run: Run, manifest: Manifest, is_purge: bool, keeps_vectors: bool) -> Counts:
    folder = find_index_folder(run.lake) / manifest.generation
    try:
        with explaining_disk_errors(folder):  # a full disk is not damage: building anew would need more room
            store = open_record_store(folder, is_writing=True)
            try:
                counts = _update_parts(run, folder, store, keeps_vectors)
                if is_purge:
                    erase_deleted_rows(open_tables(folder))
                    store.erase_deleted_rows()
                new_manifest = _describe_index(run, store, manifest.generation)
                new_manifest = replace(new_manifest, model=manifest.model) if keeps_vectors else new_manifest
            finally:
                store.close()
    except Exception as error:
        if not isinstance(error, sqlite3.Error) and not is_of_lance(error):
            raise
        raise IndexMissing(f"the search index is damaged: {str(error)[:200]}", "recollect rebuild index") from error
    if counts or new_manifest != manifest:
        write_manifest(run.lake, new_manifest)
        _remove_other_generations(run, manifest.generation)
    unchanged: Counts = {"written": 0, "deleted": 0, "vectors": 0}
    return {"documents": new_manifest.document_count} | (counts or unchanged) | {"rebuilt": False}


def _update_parts(run: Run, folder: Path, store: RecordStore, keeps_vectors: bool) -> Counts:
    """Index changed parts and new vectors; the counts are empty when nothing changed."""
    mark_forgotten_parts(run.lake, store)
    state, parts = IndexState(store.database), fingerprint_parts(run)
    interrupted, is_moving = state.read_announced(), is_move_interrupted(folder)
    has_new_vectors = not keeps_vectors and bool(
        _read_model_name(run) and state.find_unread_files("embeddings", list_vector_files(run.lake))
    )
    has_new_vectors |= (
        not keeps_vectors and not read_new_waiting(store).is_empty()
    )  # of a run that died before it looked for theirs
    if not interrupted and not is_moving and parts == state.read_fingerprints() and not has_new_vectors:
        return {}
    tables = open_tables(folder)
    if interrupted:
        remove_interrupted(tables, store, interrupted)
    _update_sessions(run, store)
    indexed, projects = state.read_fingerprints(), state.read_projects()
    changed = sorted(part for part in parts.keys() | indexed.keys() if parts.get(part) != indexed.get(part))
    written = deleted = vectors = 0
    for changes in _gather_changes(run, store, {part: parts.get(part) for part in changed}, projects):
        write_changes(tables, store, changes)
        give_memory_back()
        written += sum(len(change.new) for change in changes)
        deleted += sum(change.vanished for change in changes)
        vectors += sum(len(change.with_vector) for change in changes)
    if not keeps_vectors:  # else they wait
        vectors += _add_new_vectors(run, tables, store)
    give_memory_back()
    if written or deleted or vectors or interrupted or is_moving:
        optimize_tables(tables)
    return {"written": written, "deleted": deleted, "vectors": vectors}


def _gather_changes(
    run: Run, store: RecordStore, fingerprints: Mapping[str, str | None], projects: dict[str, str]
) -> Iterator[list[PartChange]]:
    """Yield the changes of parts in lists that may be written at once: none has a document of another one."""
    changes: list[PartChange] = []
    touched: set[int] = set()
    for done, (part, fingerprint) in enumerate(fingerprints.items(), 1):
        reading = read_part(run, store, part, fingerprint, projects)
        if not touched.isdisjoint([*reading.documents["number"], *reading.stored]):
            yield changes  # a document moves from one part into another: that is read from the store
            changes, touched, reading = [], set(), read_part(run, store, part, fingerprint, projects)
        changes.append(compare_part(store, part, fingerprint, reading))
        touched |= changes[-1].numbers
        if len(touched) >= CHANGES_PER_WRITE:
            yield changes
            changes, touched = [], set()
        run.progress("parts", done, len(fingerprints))
    if changes:
        yield changes


def _add_all_vectors(run: Run, tables: LanceTables, store: RecordStore) -> int:
    """Add the vectors of a new generation; return how many."""
    files = list_vector_files(run.lake)
    added = _add_vectors(run, tables, store, read_all_texts(store), files)
    finish_vectors(tables)
    if _read_model_name(run):
        IndexState(store.database).save_read_files("embeddings", files)
    return added


def _add_new_vectors(run: Run, tables: LanceTables, store: RecordStore) -> int:
    """Add the vectors of new files, and for new documents those of older files; return how many."""
    state, files = IndexState(store.database), list_vector_files(run.lake)
    unread, added = state.find_unread_files("embeddings", files), 0
    if _read_model_name(run):
        texts = list_vector_texts(run.lake, run.settings.embedding.model, unread)
        added = _add_vectors(run, tables, store, find_waiting(store, texts), unread)
        added += _add_vectors(run, tables, store, read_new_waiting(store), files.keys() - unread.keys())
    with store.transaction():
        state.clear_new_waiting()
        if _read_model_name(run):
            state.save_read_files("embeddings", files)
    return added


def _add_vectors(run: Run, tables: LanceTables, store: RecordStore, waiting: pl.DataFrame, files: Iterable[str]) -> int:
    """Add the vectors that these files have of the waiting documents, in batches; return how many."""
    names = sorted(files)
    if waiting.is_empty() or not names or not _read_model_name(run):
        return 0
    is_first, added = tables.vectors is None, 0
    for hashes, batch in read_vector_batches(run.lake, run.settings.embedding.model, waiting["text_hash"], names):
        own = pl.DataFrame({"text_hash": hashes}, schema={"text_hash": pl.String}).with_row_index("position")
        rows = read_filter_columns(tables, own.join(waiting, on="text_hash")).sort("number")
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
