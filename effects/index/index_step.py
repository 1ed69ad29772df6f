"""The search index in step with the lake: parts whose Parquet files changed are made again, and their changed rows written."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl

from effects.embedding.embed_step import vector_batches, vector_files
from effects.embedding.embedder import model_name
from effects.index.generations import VERSION, IndexMissing, Manifest, index_folder, read_manifest, write_manifest
from effects.index.index_state import Ledger, Part
from effects.index.lance_tables import (
    Tables,
    about,
    add_documents,
    add_vectors,
    batches,
    create_tables,
    delete,
    finish_documents,
    finish_vectors,
    open_tables,
    settle,
)
from effects.index.parts import part_documents, parts_of, projects_of
from effects.index.record_store import Rows, create_rows, finish_rows, open_rows
from effects.store.run import Counts, Run
from effects.system.errors import ModelMissing
from transforms.recall.documents import DOCUMENT_SCHEMA
from transforms.recall.ranking_record import READER_COLUMNS, encode_reader_columns, number_document, parse_ranking_records

PORTION = 20_000
"""Documents that are written at once while the index is built: 30 MB of them."""


def index(run: Run) -> Counts:
    """Brings the index up to date with the lake.

    Returns:
        `documents` in it, `written`, `deleted`, `vectors` added, `rebuilt` (whether it was built anew).
    """
    try:
        manifest = read_manifest(run.lake)
        if manifest.model == _model(run):
            return _update(run, manifest)
    except IndexMissing as missing:  # not built yet, or broken: it is a projection, so build it
        run.progress(f"index: building ({missing.message})")
    return rebuild(run)


def rebuild(run: Run) -> Counts:
    """Builds the index anew beside the old one, then swaps."""
    home = index_folder(run.lake)
    before = {path.name for path in home.glob("g-*")} if home.is_dir() else set()
    number = max((int(name.removeprefix("g-")) for name in before if name.removeprefix("g-").isdigit()), default=0) + 1
    folder = home / f"g-{number}"
    folder.mkdir(parents=True)
    parts = parts_of(run)
    tables, rows = create_tables(folder), create_rows(folder)
    _note_sessions(run, rows)
    words = pl.DataFrame(schema={"word": pl.String, "documents": pl.Int64})
    for portion in batches(_made(run, parts, rows), PORTION):
        add_documents(tables.documents, portion)
        _put(rows, portion.sort("number"))
        words = pl.concat([words, _word_counts(portion)]).group_by("word").agg(pl.col("documents").sum())
    rows.count(dict(words.iter_rows()))
    finish_documents(tables)
    added = _add_all_vectors(run, tables, rows)
    finish_rows(rows)
    manifest = _described(run, rows, f"g-{number}")
    rows.close()
    write_manifest(run.lake, manifest)
    _remove_others(run, manifest.generation)
    written = manifest.document_count
    return {"documents": written, "written": written, "deleted": 0, "vectors": added, "rebuilt": True}


def _remove_others(run: Run, generation: str) -> None:
    """Removes generations that nobody reads any more, also one that a killed rebuild left half made."""
    for folder in sorted(index_folder(run.lake).glob("g-*")):
        if folder.name != generation:
            shutil.rmtree(folder, ignore_errors=True)


def _made(run: Run, parts: dict[str, str], rows: Rows) -> Iterator[pl.DataFrame]:
    """The documents of all parts, numbered; the ledger has taken them in."""
    ledger = Ledger(rows.base)
    projects = ledger.projects()
    for done, part in enumerate(sorted(parts), 1):
        now = _numbered(part_documents(run, part, projects))
        ledger.took(part, parts[part], _summed(now))
        yield now
        run.progress(f"index {done}/{len(parts)} parts")


def _update(run: Run, manifest: Manifest) -> Counts:
    folder = index_folder(run.lake) / manifest.generation
    try:
        rows = open_rows(folder, is_writing=True)
        try:
            counts = _caught_up(run, folder, rows)
            now = _described(run, rows, manifest.generation)
        finally:
            rows.close()
    except sqlite3.Error as error:
        raise IndexMissing(f"the search index is damaged: {error}", "recollect rebuild index") from error
    if counts or now != manifest:
        write_manifest(run.lake, now)
        _remove_others(run, manifest.generation)
    none = {"written": 0, "deleted": 0, "vectors": 0}
    return {"documents": now.document_count} | (counts or none) | {"rebuilt": False}


def _caught_up(run: Run, folder: Path, rows: Rows) -> Counts:
    """Makes what changed again; empty when nothing did."""
    ledger, parts = Ledger(rows.base), parts_of(run)
    interrupted = ledger.announced()
    if not interrupted and parts == ledger.marks() and not ledger.unread("embeddings", vector_files(run.lake)):
        return {}
    tables = open_tables(folder)
    if interrupted:
        _forget(tables, rows, interrupted)
    _note_sessions(run, rows)
    marks, projects = ledger.marks(), ledger.projects()
    written = deleted = vectors = 0
    for part in sorted(part for part in parts.keys() | marks.keys() if parts.get(part) != marks.get(part)):
        now = _numbered(part_documents(run, part, projects) if part in parts else DOCUMENT_SCHEMA.to_frame())
        new, gone, known = _write_part(tables, rows, part, parts.get(part), now)
        written, deleted, vectors = written + new, deleted + gone, vectors + known
        run.progress(f"index {part}: {new} written")
    vectors += _add_new_vectors(run, tables, rows)
    if written or deleted or vectors or interrupted:
        settle(tables)
    return {"written": written, "deleted": deleted, "vectors": vectors}


def _write_part(tables: Tables, rows: Rows, part: str, mark: str | None, now: pl.DataFrame) -> tuple[int, int, int]:
    """Brings one part up to date; how many documents were written, how many vanished, how many had a vector already.

    What is about to change is announced, then LanceDB is changed, then the rows with everything else in one transaction.
    """
    ledger = Ledger(rows.base)
    then = rows.of_part(part)
    known = pl.DataFrame(
        {"number": list(then), "row_hash": [row_hash for row_hash, _ in then.values()]},
        schema={"number": pl.Int64, "row_hash": pl.String},
    )
    new = now.join(known, on=["number", "row_hash"], how="anti").sort("number")
    old = known.join(now.select("number", "row_hash"), on=["number", "row_hash"], how="anti")["number"].sort().to_list()
    gone = set(old) - set(new["number"])
    moved = rows.cards(set(new["number"]) - then.keys())  # what another part gave up, or is about to
    counts = Counter(dict(_word_counts(new).iter_rows()))
    for row in parse_ranking_records([*(then[number][1] for number in old), *moved.values()]):
        counts.subtract(set(row["terms"]))
    vectors = rows.vectors_of(new["text_hash"].drop_nulls())  # said before, or only something else about it changed
    has = new.filter(pl.col("text_hash").is_in(list(vectors)))
    flat = np.frombuffer(b"".join(vectors[key] for key in has["text_hash"]), dtype=np.float16)
    flat = flat.reshape(len(has), -1 if len(has) else 0)
    lacks = new.filter(pl.col("text_hash").is_in(list(vectors)).not_())
    if old or len(new):
        with rows.changing():
            ledger.announce([*old, *new["number"]])
        delete(tables, [*old, *moved])
        add_documents(tables.new_documents, new)
        add_vectors(tables, has, flat)
    with rows.changing():
        rows.drop([*old, *moved])
        _put(rows, new)
        rows.put_vectors(has["number"].to_list(), flat)
        rows.count(counts)
        ledger.wait(dict(lacks.select("number", "text_hash").iter_rows()))
        ledger.took(part, mark, _summed(now))
        ledger.done()
    return len(new), len(gone), len(has)


def _forget(tables: Tables, rows: Rows, numbers: list[int]) -> None:
    """Takes out what an interrupted run was about to change, so that it is made again."""
    ledger = Ledger(rows.base)
    delete(tables, numbers)
    counts: Counter[str] = Counter()
    for row in parse_ranking_records(list(rows.cards(numbers).values())):
        counts.subtract(set(row["terms"]))
    with rows.changing():
        ledger.forget_parts_of(numbers)
        rows.drop(numbers)
        rows.count(counts)
        ledger.done()


def _add_all_vectors(run: Run, tables: Tables, rows: Rows) -> int:
    """The vectors of a new generation."""
    files = vector_files(run.lake)
    added = _add_vectors(run, tables, rows, rows.text_hashes(), files)
    finish_vectors(tables)
    if _model(run):
        Ledger(rows.base).read("embeddings", files)
    return added


def _add_new_vectors(run: Run, tables: Tables, rows: Rows) -> int:
    """The vectors that came since the last time, and for new documents those of texts that had one before."""
    ledger, files = Ledger(rows.base), vector_files(run.lake)
    unread = ledger.unread("embeddings", files)
    added = _add_vectors(run, tables, rows, ledger.waiting(), unread)
    added += _add_vectors(run, tables, rows, ledger.waiting(only_new=True), files.keys() - unread.keys())
    with rows.changing():
        ledger.searched()
        if _model(run):
            ledger.read("embeddings", files)
    return added


def _add_vectors(run: Run, tables: Tables, rows: Rows, waiting: dict[int, str], files: Iterable[str]) -> int:
    """Adds the vectors of these documents that these files have, batch by batch; how many."""
    names = sorted(files)
    if not waiting or not names or not _model(run):
        return 0
    is_first, added = tables.vectors is None, 0
    numbers = pl.DataFrame(list(waiting.items()), schema={"number": pl.Int64, "text_hash": pl.String}, orient="row")
    known: pl.DataFrame | None = None
    for hashes, batch in vector_batches(run.lake, run.settings.embedding.model, numbers["text_hash"], names):
        known = about(tables, numbers) if known is None else known
        found = (
            pl.DataFrame({"text_hash": hashes}, schema={"text_hash": pl.String})
            .with_row_index("place")
            .join(known, on="text_hash")
            .sort("number")
        )
        kept = batch[found["place"].to_numpy()]
        add_vectors(tables, found, kept, is_first)
        with rows.changing():
            rows.put_vectors(found["number"].to_list(), kept)
            Ledger(rows.base).arrived(found["number"])
        added += len(found)
    return added


def _note_sessions(run: Run, rows: Rows) -> None:
    """Reads the projects of sessions, of those days whose files changed."""
    ledger = Ledger(rows.base)
    marks = {day.isoformat(): mark for day, mark in run.lake.fingerprints("sessions").items() if day is not None}
    unread, gone = ledger.unread("sessions", marks), ledger.vanished("sessions", marks)
    if unread or gone:
        with rows.changing():
            for day in sorted({*unread, *gone}):
                ledger.began(day, {})
            for day in sorted(unread):
                ledger.began(day, projects_of(run, [date.fromisoformat(day)]))
            ledger.read("sessions", marks)


def _put(rows: Rows, new: pl.DataFrame) -> None:
    shown = (encode_reader_columns(values) for values in zip(*(new[name].to_list() for name in READER_COLUMNS), strict=True))
    own = (new[name].to_list() for name in ("number", "part", "row_hash", "text_hash", "ranking_json"))
    rows.put(zip(*own, shown, strict=True))


def _numbered(rows: pl.DataFrame) -> pl.DataFrame:
    numbers = pl.Series("number", [number_document(key) for key in rows["key"]], dtype=pl.Int64)
    return rows.with_columns(numbers).unique("number", keep="first", maintain_order=True)


def _summed(now: pl.DataFrame) -> Part:
    newest, turn = now["said_at"].max(), now.filter(pl.col("source") == "turn")["said_at"].max()
    projects = tuple(sorted(now["project"].drop_nulls().unique()))
    times = [at.isoformat() if isinstance(at, datetime) else None for at in (newest, turn)]
    return Part(len(now), int(now["word_count"].sum()), times[0], times[1], projects)


def _described(run: Run, rows: Rows, generation: str) -> Manifest:
    whole = Ledger(rows.base).whole()
    mean = max(whole.words / max(whole.documents, 1), 1.0)
    fresh = whole.newest_turn or whole.newest
    return Manifest(VERSION, generation, _model(run), whole.documents, mean, list(whole.projects), fresh)


def _model(run: Run) -> str:
    try:
        return model_name(run.settings.embedding.model)
    except ModelMissing:  # indexed by words; becomes another model, and so a rebuild, once it is there
        return ""


def _word_counts(rows: pl.DataFrame) -> pl.DataFrame:
    found = rows.select(word=pl.col("words").str.split(" ").list.unique()).explode("word").drop_nulls()
    return found.group_by("word").agg(documents=pl.len().cast(pl.Int64)).sort("word")
