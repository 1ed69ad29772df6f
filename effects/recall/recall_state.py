"""A lake opened for questions: its index, its embedder and a thread that computes vectors meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from effects.embedding.embedder import Embedder, name_model, open_embedder
from effects.index.forgotten_documents import list_unindexed_ids
from effects.index.manifest import (
    INDEX_VERSION,
    IndexMissing,
    Manifest,
    convert_open_errors,
    find_index_folder,
    has_vectors,
    is_stale,
    read_answering_manifest,
)
from effects.recall.index_search import Index, VectorHits, VectorSearch, open_index
from effects.store.open_purges import describe_open_purges
from effects.store.run import AHEAD, Run, find_latest_time
from effects.system.errors import ModelMissing
from transforms.projects.project_names import Names

if TYPE_CHECKING:  # importing polars would take a third of a cold question's time
    import polars as pl

STALE_NOTE = "the search index is older than the lake: the newest rows are not found yet (recollect nightly)"
EARLIER_NOTE = "the search index was made by an earlier version, and answers until it is built anew (recollect nightly)"
UNEMBEDDED_NOTE = "nothing is embedded yet (recollect nightly)"
OTHER_MODEL_NOTE = "the vectors are of another model: only words are searched until they are computed anew (recollect nightly)"


@dataclass(slots=True)
class Recall:
    """A lake opened for questions: index, model and documents are kept from one question to the next.

    `executor` loads the model and computes vectors of questions while the caller's thread reads the index. `documents` are made
    only when there is no index. `forgotten` are the ids of all that was forgotten while the index still has it.
    """

    run: Run
    index: Index | None = None
    embedder: Future[Embedder] | None = None
    documents: pl.DataFrame | None = None
    projects: dict[str, str] | None = None
    project_names: Names | None = None
    executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "embedder"))
    forgotten: frozenset[str] = frozenset()
    note: str = ""
    is_open: bool = False


def open_recall(run: Run) -> Recall:
    """Return a lake to ask, which loads nothing yet; `run.as_of` is "today" for questions like "what did we do last week?"."""
    return Recall(run)


def open_index_and_model(recall: Recall) -> None:
    """Open the index and start loading the model, once; a note names anything missing."""
    if recall.is_open:
        return
    recall.is_open = True
    try:
        manifest = read_answering_manifest(recall.run.lake)
        folder = find_index_folder(recall.run.lake) / manifest.generation
        if not has_vectors(folder):
            add_note(recall, _describe_missing_vectors(recall.run.settings.embedding.model))
        elif _is_of_other_model(recall.run, manifest):
            add_note(recall, OTHER_MODEL_NOTE)
        else:
            recall.embedder = recall.executor.submit(open_embedder, recall.run.settings.embedding.model, "numpy")
        recall.index = open_index(recall.run.lake, manifest)
        with convert_open_errors(folder):
            recall.forgotten = list_unindexed_ids(recall.run.lake, recall.index.rows)
        _note_age(recall, manifest)
    except IndexMissing as missing:
        close_index(recall, missing)


def _note_age(recall: Recall, manifest: Manifest) -> None:
    """Add a note when the lake, or this version, has gone on since the index was made."""
    problem, command = describe_open_purges(recall.run.lake)
    if problem:
        add_note(recall, f"{problem} ({command})")
    elif manifest.version != INDEX_VERSION:
        add_note(recall, EARLIER_NOTE)
    elif is_stale(recall.run.lake):
        add_note(recall, STALE_NOTE)


def _is_of_other_model(run: Run, manifest: Manifest) -> bool:
    """Return whether the index has vectors of a model that is not the one of the settings; a missing one is told elsewhere."""
    try:
        return manifest.model != name_model(run.settings.embedding.model)
    except ModelMissing:
        return False


def _describe_missing_vectors(model: str) -> str:
    """Return why there are no vectors: a night computes them only where the model is there."""
    try:
        name_model(model)
    except ModelMissing as missing:
        return f"{missing.message}: only words are searched (recollect doctor)"
    return UNEMBEDDED_NOTE


def close_index(recall: Recall, missing: IndexMissing) -> None:
    """Do without an index that proved to be broken."""
    recall.index, recall.embedder, recall.note = None, None, f"{missing.message} ({missing.hint})"


def add_note(recall: Recall, note: str) -> None:
    """Add a note for the reader of every answer."""
    recall.note = "; ".join(part for part in (recall.note, note) if part)


def start_vector_search(recall: Recall, question: str, search: VectorSearch) -> Callable[[], VectorHits | None]:
    """Start computing the question's vector and searching with it in the second thread; the returned function waits for both.

    It returns None, and leaves a note, when the model is missing.
    """
    embedder = recall.embedder
    waiting = recall.executor.submit(lambda: search(embedder.result().embed_question(question))) if embedder else None

    def wait() -> VectorHits | None:
        """Return the hits of the search by vector; None without a model, which the answer's note then says."""
        try:
            return waiting.result() if waiting else None
        except ModelMissing as missing:
            recall.embedder, recall.note = None, f"{missing.message} ({missing.hint})"
            return None

    return wait


def find_freshness(recall: Recall) -> datetime | None:
    """Return when the newest session in the index, or in the lake without an index, ended; never a time that is yet to come."""
    if recall.index is not None and recall.index.manifest.fresh_as_of:
        newest = datetime.fromisoformat(recall.index.manifest.fresh_as_of)
    else:
        newest = recall.run.lake.scan("sessions").select("ended_at").max().collect().item()
    return min(newest, find_latest_time(recall.run) - AHEAD) if isinstance(newest, datetime) else None
