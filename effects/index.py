"""The search index in step with the lake: parts whose Parquet files changed are made again, and their changed rows written."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from effects.embed import fingerprint
from effects.embedder import ModelMissing, model_name
from effects.index_rows import Rows, create_rows, finish_rows, open_rows
from effects.index_store import VERSION, IndexMissing, Manifest, index_folder, open_tables, read_manifest, write_manifest
from effects.index_tables import (
    KEPT,
    STORED,
    add_vectors,
    arrow,
    batches,
    create_documents,
    delete,
    finish_documents,
    scanned,
    write_documents,
)
from effects.memory_file import read_memory
from effects.run import Counts, Run
from transforms.cards import SHOWN, from_cards, number_of, shown_json
from transforms.documents import (
    SCHEMA,
    distillate_documents,
    last_keys,
    memory_documents,
    observation_documents,
    segment_documents,
    turn_documents,
)
from transforms.ids import digest
from transforms.memory_md import parse_memory

DAILY = ("entries", "observations", "segments")
PORTION = 20_000
"""Documents that are written at once while the index is built: 30 MB of them."""
TURN_COLUMNS = (
    "session_id", "ordinal", "entry_id", "line_no", "entry_type", "role", "turn_kind", "text", "is_error", "said_at", "flags",
    "raw_json",
)  # fmt: skip


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
    table, rows = create_documents(folder), create_rows(folder)
    words = pl.DataFrame(schema={"word": pl.String, "documents": pl.Int64})
    for portion in batches(_made(run, parts), PORTION):
        table.add(arrow(portion.select(STORED.names())))
        _put(rows, portion.sort("number"))
        words = pl.concat([words, _word_counts(portion)]).group_by("word").agg(pl.col("documents").sum())
    rows.count(dict(words.iter_rows()))
    finish_rows(rows)
    finish_documents(table)
    added = _add_vectors(run, folder, table, None, rows)
    rows.close()
    write_manifest(run.lake, _described(run, table, f"g-{number}", parts))
    for name in sorted(before):
        shutil.rmtree(home / name, ignore_errors=True)
    return {"documents": table.count_rows(), "written": table.count_rows(), "deleted": 0, "vectors": added, "rebuilt": True}


def _made(run: Run, parts: dict[str, str]) -> Iterator[pl.DataFrame]:
    """The documents of all parts, numbered."""
    projects = projects_of(run)
    for done, part in enumerate(sorted(parts), 1):
        yield _numbered(part_documents(run, part, projects))
        run.progress(f"index {done}/{len(parts)} parts")


def _update(run: Run, manifest: Manifest) -> Counts:
    parts = parts_of(run)
    stale = sorted(part for part in parts.keys() | manifest.parts.keys() if parts.get(part) != manifest.parts.get(part))
    is_embedded = manifest.embeddings == fingerprint(run.lake, "embeddings")
    if not stale and is_embedded:
        return {"documents": manifest.document_count, "written": 0, "deleted": 0, "vectors": 0, "rebuilt": False}
    folder = index_folder(run.lake) / manifest.generation
    table, vectors = open_tables(folder)
    written = deleted = 0
    projects = projects_of(run) if stale else {}
    try:
        rows = open_rows(folder, is_writing=True)
        for part in stale:
            now = _numbered(part_documents(run, part, projects) if part in parts else SCHEMA.to_frame())
            new, gone = _write_part(table, vectors, rows, part, now)
            written, deleted = written + new, deleted + gone
            run.progress(f"index {part}: {new} written")
        if written or deleted:
            table.optimize(cleanup_older_than=KEPT)
        added = _add_vectors(run, folder, table, vectors, rows)
        rows.close()
    except sqlite3.Error as error:
        raise IndexMissing(f"the search index is damaged: {error}", "recollect rebuild index") from error
    write_manifest(run.lake, _described(run, table, manifest.generation, parts))
    return {"documents": table.count_rows(), "written": written, "deleted": deleted, "vectors": added, "rebuilt": False}


def _write_part(table: Any, vectors: Any | None, rows: Rows, part: str, now: pl.DataFrame) -> tuple[int, int]:
    """Brings one part up to date; how many documents were written, and how many vanished.

    LanceDB first: what it does can be done twice. An interrupted run is seen in the rows, which still have the old hashes.
    """
    then = rows.of_part(part)
    known = pl.DataFrame(
        {"number": list(then), "row_hash": [row_hash for row_hash, _ in then.values()]},
        schema={"number": pl.Int64, "row_hash": pl.String},
    )
    new = now.join(known, on=["number", "row_hash"], how="anti").sort("number")
    old = known.join(now.select("number", "row_hash"), on=["number", "row_hash"], how="anti")["number"].sort().to_list()
    gone = sorted(set(old) - set(new["number"]))
    delete(table, gone)
    delete(vectors, old)
    if len(new):
        write_documents(table, new)
    if old or len(new):
        counts = Counter(dict(_word_counts(new).iter_rows()))
        moved = rows.cards(set(new["number"]) - then.keys())  # what another part gave up, or is about to
        for row in from_cards([*(then[number][1] for number in old), *moved.values()]):
            counts.subtract(set(row["found"]))
        with rows.changing():
            rows.drop([*old, *moved])
            _put(rows, new)
            rows.count(counts)
    return len(new), len(gone)


def parts_of(run: Run) -> dict[str, str]:
    """What the index is made of, with a fingerprint of where each part comes from; forgetting something touches them all."""
    forgotten = digest(*forgotten_of(run), size=4)
    found = {
        f"{table}/{day.isoformat()}": f"{forgotten} {fingerprint(run.lake, table, day)}"
        for table in DAILY
        for day in run.lake.days(table)
    }
    for day in run.lake.days("entries"):  # the day's first pieces name the last ones of the day before
        eve = f"entries/{day - timedelta(days=1)}"
        if eve in found:
            found[f"entries/{day}"] += f" {digest(fingerprint(run.lake, 'entries', day - timedelta(days=1)), size=4)}"
    found["distillates"] = f"{forgotten} {fingerprint(run.lake, 'distillates')}"
    found["memory"] = f"{forgotten} {digest(read_memory(run))}"
    return found


def part_documents(run: Run, part: str, projects: dict[str, str]) -> pl.DataFrame:
    """The documents of one part (`entries/2026-02-03`, `memory`, …), without what was forgotten."""
    table, _, day = part.partition("/")
    days = [date.fromisoformat(day)] if day else None
    if table == "memory":
        rows = memory_documents(parse_memory(read_memory(run)).bullets)
    elif table == "distillates":
        rows = distillate_documents(run.lake.read("distillates"))
    elif table == "entries":
        entries = run.lake.scan("entries", days).select(TURN_COLUMNS).collect()
        rows = turn_documents(entries, part, projects, _eve(run, day, entries["session_id"]))
    else:
        rows = (observation_documents if table == "observations" else segment_documents)(run.lake.read(table, days), part)
    return without(rows, forgotten_of(run))


def _eve(run: Run, day: str, sessions: pl.Series) -> dict[str, str]:
    """The last piece of the day before of each of these sessions that was already going on then."""
    before = date.fromisoformat(day) - timedelta(days=1)
    if before not in run.lake.days("entries"):
        return {}
    rows = run.lake.scan("entries", [before]).filter(pl.col("session_id").is_in(sessions.unique().to_list()))
    return last_keys(rows.select(TURN_COLUMNS).collect(), f"entries/{before.isoformat()}")


def projects_of(run: Run) -> dict[str, str]:
    """The project of each session."""
    return dict(run.lake.scan("sessions").select("session_id", "project").collect().iter_rows())


def forgotten_of(run: Run) -> list[str]:
    """What was forgotten and not taken back: ids, sessions, entries or hashes of texts."""
    rows = run.lake.scan("tombstones").filter(pl.col("is_undone").not_().fill_null(True)).select("target").collect()
    return sorted(rows["target"])


def without(rows: pl.DataFrame, targets: list[str]) -> pl.DataFrame:
    """The documents without what was forgotten: named by id, session, entry or hash of the text."""
    if not targets or rows.is_empty():
        return rows
    names = pl.concat_list(
        pl.col("id"),
        pl.col("key"),
        pl.col("session_id"),
        pl.col("text_hash"),
        pl.col("entry_ids").fill_null([]),
        pl.col("also").fill_null([]),
    )
    return rows.filter(names.list.eval(pl.element().is_in(targets)).list.any().not_())


def _add_vectors(run: Run, folder: Path, table: Any, vectors: Any | None, rows: Rows) -> int:
    try:
        return add_vectors(run, folder, table, vectors, rows)
    except ModelMissing:
        return 0


def _put(rows: Rows, new: pl.DataFrame) -> None:
    shown = (shown_json(values) for values in zip(*(new[name].to_list() for name in SHOWN), strict=True))
    own = (new[name].to_list() for name in ("number", "part", "row_hash", "text_hash", "card"))
    rows.put(zip(*own, shown, strict=True))


def _numbered(rows: pl.DataFrame) -> pl.DataFrame:
    numbers = pl.Series("number", [number_of(key) for key in rows["key"]], dtype=pl.Int64)
    return rows.with_columns(numbers).unique("number", keep="first", maintain_order=True)


def _described(run: Run, table: Any, generation: str, parts: dict[str, str]) -> Manifest:
    rows = scanned(table, ["word_count", "project", "said_at", "source"])
    newest = rows.filter(pl.col("source") == "turn")["said_at"].max() or rows["said_at"].max()
    return Manifest(
        VERSION,
        generation,
        _model(run),
        parts,
        fingerprint(run.lake, "embeddings"),
        len(rows),
        max(float(rows["word_count"].mean() or 1.0), 1.0),  # type: ignore[arg-type]
        sorted(rows["project"].drop_nulls().unique()),
        newest.isoformat() if newest is not None else None,  # type: ignore[union-attr]
    )


def _model(run: Run) -> str:
    try:
        return model_name(run.settings.embedding.model)
    except ModelMissing:  # indexed by words; becomes another model, and so a rebuild, once it is there
        return ""


def _word_counts(rows: pl.DataFrame) -> pl.DataFrame:
    found = rows.select(word=pl.col("words").str.split(" ").list.unique()).explode("word").drop_nulls()
    return found.group_by("word").agg(documents=pl.len().cast(pl.Int64)).sort("word")
