"""Embed the texts that recall and dedupe compare; a vector is stored once per text and model.

Observations and the lines of MEMORY.md, which steps compare, get exact vectors first (commands that ran get none); segments and
distillates, which are only searched, follow with quantised ones, and then raw turns, newest first, until `embedding.turn_minutes`
are over. This budget is the one place where a step reads a clock: the number of turns with vectors may differ from run to run, a
vector may not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl

from effects.embedding.embedder import QUANTISED, Embedder, name_model, open_embedder
from effects.store.lake import Lake
from effects.store.memory_file import read_memory_bullets
from effects.store.run import Counts, Run
from effects.system.errors import ModelMissing
from effects.system.files import replace_file
from transforms.embedding.bert_encoder import HalfMatrix, Matrix
from transforms.quoting.segment_text import format_segment
from transforms.recall.documents import UNSPOKEN_KINDS, split_pieces, split_spoken_text
from transforms.tables.enums import APART_KINDS
from transforms.tables.ids import hash_text

OpenEmbedder = Callable[[], Embedder]
"""Returns the model of the settings, loaded when it is needed first."""

TEXTS_PER_COMMIT, TEXTS_PER_LOOK = 1024, 64
"""Texts that are embedded between two commits, and between two looks at the clock, each with a report."""
COMPACTION_SHARE = 8
"""Part files are merged into the large one when they make up an eighth of it: so a vector is written nine times at most, however
many nights there are, and the number of files stays small."""

VECTORS_PER_READ = 16_384
"""Vectors that are read at once while an index is built: 12 MB of them."""
VECTORS_PER_DECODING = 2_048
"""Vectors that Arrow decodes at once: it holds a pointer for each of their numbers, four times what these take."""

EMBEDDED_TURN_COLUMNS = ("session_id", "ordinal", "entry_type", "role", "turn_kind", "text", "flags")


def embed_kept(run: Run) -> Counts:
    """Embed all but raw turns: the texts that dedupe compares."""
    return embed(run, turns=False)


def embed(run: Run, turns: bool = True, *, is_complete: bool = False) -> Counts:
    """Embed the texts that have no vector yet, raw turns only with `turns`; without a model nothing changes.

    `is_complete` embeds all turns, however long it takes; otherwise those that the minutes of the settings allow.

    Returns:
        `embedded` texts, `turns` among them, `turns_left` (some days still lack vectors), `note` (why nothing was embedded).
    """
    try:
        name = name_model(run.settings.embedding.model)
        known, exact = _read_known_hashes(run.lake, name)
        open_once = cache(partial(open_embedder, run.settings.embedding.model))
        compared = _select_missing(_iterate_compared_texts(run), exact)
        searched = _select_missing(_iterate_searched_texts(run.lake), known | compared.keys())
        waiting = _find_waiting_days(run.lake, name) if turns else {}
        meter = _TextMeter(
            run, len(compared) + len(searched), sum(waiting.values()), _read_limit(run, is_complete), time.monotonic()
        )
        embedded = _embed_texts(run, open_once, compared, known, meter)[0]
        embedded += _embed_texts(run, open_once, searched, known, meter, is_quantised=True)[0]
        spoken_turns, has_turns_left = _embed_turns(run, open_once, name, known, waiting, meter) if turns else (0, False)
    except ModelMissing as error:
        return {"embedded": 0, "turns": 0, "turns_left": True, "note": f"{error.message} (recollect doctor)"}
    compact_vectors(run.lake)
    return {"embedded": embedded + spoken_turns, "turns": spoken_turns, "turns_left": has_turns_left, "note": ""}


def count_spoken_turns(lake: Lake, sessions: Sequence[str]) -> tuple[int, int]:
    """Return how many entries of these sessions a person or an agent spoke, and their characters."""
    spoken = _scan_spoken(lake).filter(pl.col("session_id").is_in(sessions))
    turns, characters = spoken.select(pl.len(), pl.col("text").str.len_chars().sum()).collect().row(0)
    return int(turns), int(characters or 0)


def _scan_spoken(lake: Lake, days: Sequence[date] | None = None) -> pl.LazyFrame:
    is_spoken = pl.col("role").is_in(["user", "assistant"]) & ~pl.col("turn_kind").fill_null("").is_in(sorted(UNSPOKEN_KINDS))
    return lake.scan("entries", days).filter(is_spoken & (pl.col("text").fill_null("") != ""))


def read_vectors(lake: Lake, model: str, hashes: Iterable[str] | None = None) -> pl.DataFrame:
    """Return rows (text_hash, model, vector) of the model that the setting names, of these texts or of all."""
    rows = lake.scan("embeddings").filter(pl.col("model").str.starts_with(name_model(model) + "/"))
    if hashes is not None:
        rows = rows.filter(pl.col("text_hash").is_in(sorted(set(hashes))))
    return (
        rows.select("text_hash", "model", "vector")
        .sort("text_hash", "model")  # the exact one of two first
        .unique("text_hash", keep="first", maintain_order=True)
        .collect()
    )


def list_vector_files(lake: Lake) -> dict[str, str]:
    """Return the names of the files that have vectors, with a fingerprint of each."""
    fingerprints = lake.list_fingerprints("embeddings").get(None, "").split(";")
    return {fingerprint.partition(":")[0]: fingerprint for fingerprint in fingerprints if fingerprint}


def list_vector_texts(lake: Lake, model: str, files: Iterable[str]) -> pl.Series:
    """Return the hashes of the texts that have a vector in these files, each once.

    Raises:
        ModelMissing: when the setting names a model that does not exist.
    """
    name, paths = name_model(model) + "/", [lake.root / "embeddings" / file for file in sorted(files)]
    if not paths:
        return pl.Series("text_hash", [], dtype=pl.String)
    is_named = pl.col("model").str.starts_with(name)
    return pl.scan_parquet(paths, glob=False).filter(is_named).select("text_hash").unique().collect()["text_hash"]


def read_vector_batches(
    lake: Lake, model: str, hashes: Iterable[str], files: Sequence[str]
) -> Iterator[tuple[list[str], HalfMatrix]]:
    """Yield the vectors of these texts in these files in batches of (hashes, vectors), each text once.

    Hashes stay in frames: a set of Python's strings takes three times as much, and a long history has a million.

    Raises:
        ModelMissing: when the setting names a model that does not exist.
    """
    from pyarrow import array, parquet

    name = name_model(model) + "/"
    wanted = pl.Series("text_hash", hashes, dtype=pl.String).unique().to_frame()
    texts: list[str] = []
    rows: list[HalfMatrix] = []
    for path in (lake.root / "embeddings" / file for file in files):
        with parquet.ParquetFile(path) as file:
            is_named = pl.col("model").str.starts_with(name)
            stored = (
                pl.read_parquet(path, columns=["text_hash", "model"], glob=False)
                .with_row_index("position")
                .filter(is_named)
                .join(wanted, on="text_hash", how="semi")
                .unique("text_hash", keep="first")
                .sort("position")
            )
            wanted = wanted.join(stored, on="text_hash", how="anti")
            rows_of_texts, names = stored["position"].cast(pl.Int64).to_numpy(), stored["text_hash"]
            first = 0
            for batch in file.iter_batches(VECTORS_PER_DECODING, columns=["vector"]) if len(stored) else ():
                selected = slice(*np.searchsorted(rows_of_texts, [first, first + len(batch)]))
                if selected.start < selected.stop:
                    texts += names[selected].to_list()
                    vectors = batch["vector"].take(array(rows_of_texts[selected] - first))  # those of another model are longer
                    rows.append(vectors.flatten().to_numpy().reshape(len(vectors), -1))
                first += len(batch)
                if len(texts) >= VECTORS_PER_READ:
                    yield texts, np.concatenate(rows)
                    texts, rows = [], []
    if texts:
        yield texts, np.concatenate(rows)


def fingerprint_files(lake: Lake, table: str, day: date | None = None) -> str:
    """Return a string that changes when a table, or a day of it, does: names, sizes and times of its files."""
    files = lake.list_files(table, None if day is None else [day])
    return ";".join(f"{path.name}:{(stat := path.stat()).st_size}:{stat.st_mtime_ns}" for path in files)


def _read_known_hashes(lake: Lake, name: str) -> tuple[set[str], set[str]]:
    """Return the hashes of the texts that have a vector, and of those that have an exact one."""
    rows = lake.scan("embeddings").filter(pl.col("model").str.starts_with(name + "/")).select("text_hash", "model").collect()
    return set(rows["text_hash"]), set(rows.filter(~pl.col("model").str.ends_with(QUANTISED))["text_hash"])


def _iterate_compared_texts(run: Run) -> Iterator[str]:
    is_compared = (pl.col("verdict") == "allow") & ~pl.col("kind").is_in(sorted(APART_KINDS))
    compared = run.lake.scan("observations").filter(is_compared).sort("observation_id")
    yield from compared.select("text").collect()["text"]
    yield from read_memory_bullets(run)


def _iterate_searched_texts(lake: Lake) -> Iterator[str]:
    for title, narrative in lake.scan("segments").sort("segment_id").select("title", "narrative").collect().iter_rows():
        yield format_segment(title, narrative)
    for text in lake.scan("distillates").sort("distillate_id").select("text").collect()["text"]:
        yield from split_pieces(text or "")


def _select_missing(texts: Iterable[str], known: set[str]) -> dict[str, str]:
    missing: dict[str, str] = {}
    for text in texts:
        if text and (key := hash_text(text)) not in known:
            missing[key] = text
    return missing


@dataclass(slots=True)
class _TextMeter:
    """Reports the texts of the whole step. Turns count by their entries until they are read; `limit` bounds their seconds."""

    run: Run
    kept: int
    turns: int
    limit: float | None
    start: float
    done: int = 0

    def advance(self, texts: int, deadline: float | None) -> None:
        """Report texts that are done now; before the turns, for which there is a deadline, come those that are kept."""
        self.done += texts
        now, at_most = time.monotonic(), None
        if deadline is not None:
            at_most = max(deadline - now, 0.0)
        elif self.limit is not None and self.done:
            at_most = max(self.kept - self.done, 0) * (now - self.start) / self.done + self.limit
        self.run.progress("texts", self.done, self.kept + self.turns, at_most=at_most)


def _read_limit(run: Run, is_complete: bool) -> float | None:
    """Return the seconds that vectors of turns may take; None when all are computed."""
    minutes = "all" if is_complete else run.settings.embedding.turn_minutes
    return None if minutes == "all" else float(minutes) * 60


def _find_waiting_days(lake: Lake, name: str) -> dict[date, int]:
    """Return the days, newest first, of which turns may lack vectors, and how many entries of each were spoken."""
    done = _read_done_days(_find_done_file(lake))
    days = [day for day in reversed(lake.list_days("entries")) if done.get(day.isoformat()) != _name_day(lake, name, day)]
    spoken = _scan_spoken(lake, days).group_by("day").len().collect() if days else None
    counts = dict(spoken.iter_rows()) if spoken is not None else {}
    return {day: counts.get(day, 0) for day in days}


def _name_day(lake: Lake, name: str, day: date) -> str:
    return f"{name} {fingerprint_files(lake, 'entries', day)}"


def _find_done_file(lake: Lake) -> Path:
    return lake.root / "_index" / "embedded.json"


def _embed_turns(
    run: Run, open_once: OpenEmbedder, name: str, known: set[str], days: Mapping[date, int], meter: _TextMeter
) -> tuple[int, bool]:
    """Embed the turns of each day, newest first; complete days are stored, so that a quiet night does not read them again."""
    deadline = None if meter.limit is None else time.monotonic() + meter.limit
    done_file = _find_done_file(run.lake)
    done = _read_done_days(done_file)
    texts: dict[str, str] = {}
    waiting: dict[str, str] = {}
    total, complete = 0, True
    for day in [*days, None]:
        if day is not None:
            if _is_over(deadline):
                return total, True
            before = len(texts)
            texts |= _select_missing(_iterate_turn_texts(run.lake, day), known)
            meter.turns += len(texts) - before - days[day]
            waiting[day.isoformat()] = _name_day(run.lake, name, day)
        if len(texts) >= TEXTS_PER_COMMIT or (day is None and waiting):
            count, complete = _embed_texts(run, open_once, texts, known, meter, deadline, is_quantised=True)
            total += count
            if not complete:
                return total, True
            done |= waiting
            replace_file(done_file, json.dumps(done, sort_keys=True).encode())
            texts, waiting = {}, {}
    return total, False


def _iterate_turn_texts(lake: Lake, day: date) -> Iterator[str]:
    rows = lake.scan("entries", [day]).select(EMBEDDED_TURN_COLUMNS).sort("session_id", "ordinal", descending=True).collect()
    for entry in rows.iter_rows(named=True):
        if "copied" not in (entry["flags"] or ()):
            yield from split_spoken_text(entry)


def _embed_texts(
    run: Run,
    open_once: OpenEmbedder,
    texts: dict[str, str],
    known: set[str],
    meter: _TextMeter,
    deadline: float | None = None,
    is_quantised: bool = False,
) -> tuple[int, bool]:
    """Embed texts until the deadline; return how many, and whether all."""
    if not texts:
        return 0, True
    embedder, keys = open_once(), list(texts)
    meter.advance(0, deadline)
    for start in range(0, len(keys), TEXTS_PER_COMMIT):
        chunk = keys[start : start + TEXTS_PER_COMMIT]
        vectors: list[Matrix] = []
        for first in range(0, len(chunk), TEXTS_PER_LOOK):
            if _is_over(deadline):
                break
            looked = [texts[key] for key in chunk[first : first + TEXTS_PER_LOOK]]
            vectors.append(embedder.embed_documents(looked, is_quantised))
            meter.advance(len(looked), deadline)
        stored = chunk[: sum(map(len, vectors))]
        if stored:
            _store_vectors(run.lake, embedder.name_vectors(is_quantised), stored, np.concatenate(vectors))
        known.update(stored)
        if len(stored) < len(chunk):
            return start + len(stored), False
    return len(keys), True


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _store_vectors(lake: Lake, model: str, hashes: list[str], vectors: Matrix) -> None:
    frame = pl.DataFrame(
        {"text_hash": hashes, "vector": pl.Series("vector", vectors.astype(np.float16)).cast(pl.List(pl.Float16))},
        schema={"text_hash": pl.String, "vector": pl.List(pl.Float16)},
    )
    with lake.commit() as change:
        change.append("embeddings", frame.with_columns(model=pl.lit(model)))


def compact_vectors(lake: Lake) -> None:
    """Merge the small files of vectors into the large one once they make up `COMPACTION_SHARE` of it."""
    sizes = {path.name: path.stat().st_size for path in lake.list_files("embeddings")}
    main = sizes.pop("data.parquet", 0)
    if sizes and sum(sizes.values()) * COMPACTION_SHARE >= main:
        lake.compact("embeddings")


def _read_done_days(path: Path) -> dict[str, str]:
    try:
        days = json.loads(path.read_bytes())
    except (OSError, ValueError):  # without it the entries are read once more
        return {}
    return days if isinstance(days, dict) else {}
