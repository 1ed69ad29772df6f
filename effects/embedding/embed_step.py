"""Vectors of everything that recall and dedupe compare, stored once per text and model, so that nothing is embedded twice.

Segments, observations, distillates and the lines of MEMORY.md are embedded at once; raw turns newest first, as long as the
night's `embedding.turn_minutes` last. That budget is the one place where a step looks at a clock: how many turns have
vectors yet may differ from run to run, what a vector is may not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from effects.embedding.embedder import Embedder, model_name, open_embedder
from effects.store.lake import Lake
from effects.store.memory_file import read_memory_bullets
from effects.store.run import Counts, Run
from effects.system.errors import ModelMissing
from effects.system.files import replace_file
from transforms.recall.documents import format_segment, split_pieces, split_spoken_text
from transforms.tables.ids import hash_text

Floats16 = npt.NDArray[np.float16]

AT_ONCE = 1024
"""Texts per commit and per look at the clock: about 15 s on 2 cores."""
SHARE = 8
"""Part files are merged into the large one when they make up an eighth of it: a vector is so written nine times at most, however
many nights there are, and there are never more files than the nights of an eighth of all."""

PORTION = 16_384
"""Vectors that are read at once while an index is built: 12 MB of them."""

TURN_COLUMNS = ("session_id", "ordinal", "entry_type", "role", "turn_kind", "text", "flags")


def embed_kept(run: Run) -> Counts:
    """`embed` without raw turns: what dedupe compares, before a night spends time on what was merely said."""
    return embed(run, turns=False)


def embed(run: Run, turns: bool = True) -> Counts:
    """Embeds what has no vector yet, raw turns only with `turns`; without a model it says so and changes nothing.

    Returns:
        `embedded` texts, `turns` among them, `turns_left` (whether some days still lack vectors), `note`.
    """
    try:
        name = model_name(run.settings.embedding.model)
        known = _known(run.lake, name)
        curated = _missing(_curated(run), known)
        embedded = _embed(run, curated, known, None)[0] if curated else 0
        spoken_turns, left = _embed_turns(run, name, known) if turns else (0, False)
    except ModelMissing as error:
        return {"embedded": 0, "turns": 0, "turns_left": True, "note": error.message}
    compact_vectors(run.lake)
    return {"embedded": embedded + spoken_turns, "turns": spoken_turns, "turns_left": left, "note": ""}


def vectors_of(lake: Lake, model: str, hashes: Iterable[str] | None = None) -> pl.DataFrame:
    """Rows (text_hash, model, vector) of the model that the setting names, of these texts or of all."""
    rows = lake.scan("embeddings").filter(pl.col("model").str.starts_with(model_name(model) + "/"))
    if hashes is not None:
        rows = rows.filter(pl.col("text_hash").is_in(sorted(set(hashes))))
    return (
        rows.select("text_hash", "model", "vector")
        .sort("text_hash")
        .unique("text_hash", keep="first", maintain_order=True)
        .collect()
    )


def vector_files(lake: Lake) -> dict[str, str]:
    """The files that vectors are stored in, by name, with what changes when they do."""
    marks = lake.fingerprints("embeddings").get(None, "").split(";")
    return {mark.partition(":")[0]: mark for mark in marks if mark}


def vector_batches(lake: Lake, model: str, hashes: Iterable[str], files: Sequence[str]) -> Iterator[tuple[list[str], Floats16]]:
    """The vectors of these texts in these files as (hashes, rows), each text once; portion by portion, never all in memory.

    Raises:
        ModelMissing: when the setting names no model that is there.
    """
    from pyarrow import compute, parquet

    name, wanted = model_name(model) + "/", set(hashes)
    texts: list[str] = []
    rows: list[Floats16] = []
    for path in (lake.root / "embeddings" / file for file in files):
        with parquet.ParquetFile(path) as file:
            keys = file.read(["text_hash", "model"])
            is_named = compute.starts_with(keys["model"], name).to_numpy()
            ours: dict[str, int] = {}
            for place, text in enumerate(keys["text_hash"].to_pylist()):
                if text in wanted and is_named[place]:
                    ours.setdefault(text, place)
            del keys
            wanted.difference_update(ours)
            places, names = np.array([*ours.values()], dtype=np.int64), list(ours)
            first = 0
            for batch in file.iter_batches(PORTION, columns=["vector"]) if ours else ():
                here = slice(*np.searchsorted(places, [first, first + len(batch)]))
                if here.start < here.stop:
                    texts += names[here]
                    rows.append(batch["vector"].flatten().to_numpy().reshape(len(batch), -1)[places[here] - first])
                first += len(batch)
                if len(texts) >= PORTION:
                    yield texts, np.concatenate(rows)
                    texts, rows = [], []
    if texts:
        yield texts, np.concatenate(rows)


def fingerprint(lake: Lake, table: str, day: date | None = None) -> str:
    """What changes when a table, or a day of it, changes: names, sizes and times of its files."""
    files = lake.files(table, None if day is None else [day])
    return ";".join(f"{path.name}:{(stat := path.stat()).st_size}:{stat.st_mtime_ns}" for path in files)


def _known(lake: Lake, name: str) -> set[str]:
    rows = lake.scan("embeddings").filter(pl.col("model").str.starts_with(name + "/")).select("text_hash").collect()
    return set(rows["text_hash"])


def _curated(run: Run) -> Iterator[str]:
    lake = run.lake
    for title, narrative in lake.scan("segments").sort("segment_id").select("title", "narrative").collect().iter_rows():
        yield format_segment(title, narrative)
    allowed = lake.scan("observations").filter(pl.col("verdict") == "allow").sort("observation_id")
    yield from allowed.select("text").collect()["text"]
    for text in lake.scan("distillates").sort("distillate_id").select("text").collect()["text"]:
        yield from split_pieces(text or "")
    yield from read_memory_bullets(run)


def _missing(texts: Iterable[str], known: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        if text and (key := hash_text(text)) not in known:
            found[key] = text
    return found


def _embed_turns(run: Run, name: str, known: set[str]) -> tuple[int, bool]:
    """Fills days newest first; remembers the days that are complete, so that a quiet night does not read them again."""
    minutes = run.settings.embedding.turn_minutes
    deadline = None if minutes == "all" else time.monotonic() + float(minutes) * 60
    done_file = run.lake.root / "_index" / "embedded.json"
    done = _read(done_file)
    total, left = 0, False
    for day in reversed(run.lake.days("entries")):
        mark = f"{name} {fingerprint(run.lake, 'entries', day)}"
        if done.get(day.isoformat()) == mark:
            continue
        if deadline is not None and time.monotonic() >= deadline:
            left = True
            break
        count, complete = _embed(run, _missing(_turns(run.lake, day), known), known, deadline)
        total += count
        left = left or not complete
        if complete:
            done[day.isoformat()] = mark
            replace_file(done_file, json.dumps(done, sort_keys=True).encode())
    return total, left


def _turns(lake: Lake, day: date) -> Iterator[str]:
    rows = lake.scan("entries", [day]).select(TURN_COLUMNS).sort("session_id", "ordinal", descending=True).collect()
    for entry in rows.iter_rows(named=True):
        if "copied" not in (entry["flags"] or ()):
            yield from split_spoken_text(entry)


def _embed(run: Run, texts: dict[str, str], known: set[str], deadline: float | None) -> tuple[int, bool]:
    """Embeds the texts chunk by chunk until the deadline; how many, and whether all."""
    if not texts:
        return 0, True
    embedder = open_embedder(run.settings.embedding.model)
    keys = list(texts)
    for start in range(0, len(keys), AT_ONCE):
        if deadline is not None and time.monotonic() >= deadline:
            return start, False
        chunk = keys[start : start + AT_ONCE]
        _store(run.lake, embedder, {key: texts[key] for key in chunk})
        known.update(chunk)
        run.progress(f"embed {start + len(chunk)}/{len(keys)} texts")
    return len(keys), True


def _store(lake: Lake, embedder: Embedder, texts: dict[str, str]) -> None:
    vectors = embedder.documents(list(texts.values())).astype(np.float16)
    frame = pl.DataFrame(
        {"text_hash": list(texts), "vector": pl.Series("vector", vectors).cast(pl.List(pl.Float16))},
        schema={"text_hash": pl.String, "vector": pl.List(pl.Float16)},
    )
    with lake.commit() as change:
        change.append("embeddings", frame.with_columns(model=pl.lit(embedder.key)))


def compact_vectors(lake: Lake) -> None:
    """Makes one file of the vectors once the small ones are many or large: each is then written again a few times in all."""
    sizes = {path.name: path.stat().st_size for path in lake.files("embeddings")}
    main = sizes.pop("data.parquet", 0)
    if sizes and sum(sizes.values()) * SHARE >= main:
        lake.compact("embeddings")


def _read(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):  # a lost or broken note costs one more look at the entries, nothing else
        return {}
    return found if isinstance(found, dict) else {}
