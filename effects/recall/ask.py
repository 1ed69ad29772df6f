"""Ask the memory: hybrid search over everything that was kept and said, a short cited answer, and how fresh it is.

    recall = open_recall(run)                               once per process; loads nothing
    answer = ask(recall, "what did we decide about cache TTLs?", Filters(cwd=str(Path.cwd())))
    answers = ask_batch(recall, [{"id": …, "question": …, "project": …}], Filters(k=50))
    answer.row()                                            the JSON of CONTRACT.md

The index and the model are opened with the first question. When one of them is missing the search goes by words only
(`mode` "lexical") and `note` says why.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from effects.embedding.embedder import Embedder, ModelMissing, open_embedder
from effects.index.generations import IndexMissing, has_vectors, index_folder, is_stale, read_manifest
from effects.recall.index_search import Found, Index, Near, completed, find, find_in_period, open_index, period_of, where_of
from effects.store.run import Run
from effects.system.errors import NotFoundError, UsageError
from transforms.recall.answer import Form, answer_budget, composed, hits_of, nearest_miss
from transforms.recall.answerability import DOUBTED, LOOKED_AT, doubt_of
from transforms.recall.period_answers import (
    Timely,
    counts_from_event,
    event_of,
    in_period_first,
    is_open,
    period_note,
    ranked_of_period,
)
from transforms.recall.query import Question, question_of
from transforms.recall.question_dates import around_event, asks_when, time_asked
from transforms.recall.rank import Ranked, Vectors, folded, rank
from transforms.recall.types import SOURCES, Answer, Filters
from transforms.tables.enums import KINDS, PRIORITIES

if TYPE_CHECKING:  # a cold question takes a third of a second less without it
    import polars as pl

EVERYTHING = "all"
STALE = "the search index is older than the lake: what came last is not found yet (recollect nightly)"
SWITCH_SECONDS = 0.0005
"""How long the thread that reads the index may keep the interpreter from the one that computes the question's vector. Python's
own 5 ms let the latter wait for as long at almost every step."""
EVENT_SOURCES = ("memory", "observation")
"""Where the event is looked for that a question counts its time from."""


@dataclass(slots=True)
class Recall:
    """A lake opened for questions: index, model and documents are kept from one question to the next."""

    run: Run
    index: Index | None = None
    embedder: Future[Embedder] | None = None
    documents: pl.DataFrame | None = None
    projects: list[str] | None = None
    second: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "embedder"))
    """Loads the model and computes vectors of questions while this thread reads the index."""
    note: str = ""
    is_open: bool = field(default=False)


def open_recall(run: Run) -> Recall:
    """A lake to ask; `run.as_of` is "today" for questions such as "what did we do last week?"."""
    return Recall(run)


def ask(recall: Recall, question: str, filters: Filters | None = None) -> Answer:
    """The best hits and an answer composed from them.

    Raises:
        UsageError: for an empty question or a filter value that does not exist.
        NotFoundError: for a project that no session has.
    """
    started = time.perf_counter()
    filters = filters or Filters()
    _check(question, filters)
    _open(recall)
    asked = question_of(question, recall.run.today)
    timely = _time_of(recall, asked, filters)
    if timely.matter:
        asked = question_of(timely.matter, recall.run.today)
    found, ranked, shown = _ranked(recall, asked, filters, timely)
    hits = hits_of(found.rows, shown, asked, filters.max_tokens)
    doubt = doubt_of(asked, found.rows, ranked, found.corpus, found.heard, found.best_cosine)
    weights = {word: found.corpus.weight(word) for word in asked.words}
    said = None
    if hits and (timely.is_whole or doubt.share < DOUBTED):
        today = recall.run.today if asks_when(question) else None
        form = Form(answer_budget(filters.max_tokens), recall.run.zone, today)
        said = composed(found.rows, hits, weights, form)
    return Answer(
        question,
        "hybrid" if found.vectors is not None or (timely.is_whole and recall.embedder is not None) else "lexical",
        _fresh_as_of(recall),
        said,
        tuple(hits),
        round((time.perf_counter() - started) * 1000),
        note="; ".join(note for note in (recall.note, timely.note) if note),
        nearest=nearest_miss(hits, weights, recall.run.zone) if said is None else "",
        doubt=doubt,
    )


def ask_batch(recall: Recall, questions: Iterable[Mapping[str, Any]], filters: Filters | None = None) -> Iterator[Answer]:
    """An answer for each row `{id, question, project?}`, in their order; an unknown project gives no hits and a note.

    Raises:
        UsageError: for a row without a question.
    """
    filters = filters or Filters()
    for number, row in enumerate(questions, 1):
        if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
            raise UsageError(
                f"row {number} of the batch has no `question`", 'write one object per line: {"id": "1", "question": "…"}'
            )
        project = str(row["project"]) if row.get("project") else filters.project
        try:
            answer = ask(recall, row["question"], replace(filters, project=project))
        except NotFoundError as unknown:
            answer = Answer(
                row["question"], "lexical", _fresh_as_of(recall), None, (), note=f"{unknown.message} ({unknown.hint})"
            )
        yield replace(answer, id=str(row.get("id") if row.get("id") is not None else number))


def _check(question: str, filters: Filters) -> None:
    if not question.strip():
        raise UsageError("the question is empty", 'recollect ask "what did we decide about …?"')
    for name, values, known in (
        ("--in", filters.sources, SOURCES),
        ("--kind", filters.kinds, KINDS),
        ("--priority", filters.priorities, PRIORITIES),
    ):
        if unknown := sorted(set(values) - {*known, *(f"{value}s" for value in known)}):
            raise UsageError(f"{name} does not know `{unknown[0]}`", f"one or more of: {', '.join(known)}")
    if filters.k < 1 or (filters.max_tokens is not None and filters.max_tokens < 1):
        raise UsageError("-k and --max-tokens are numbers from 1", "recollect ask --help")


def _open(recall: Recall) -> None:
    """Opens what is not open yet; the model is loaded while this thread goes on."""
    if recall.is_open:
        return
    recall.is_open = True
    try:
        manifest = read_manifest(recall.run.lake)
        if has_vectors(index_folder(recall.run.lake) / manifest.generation):
            sys.setswitchinterval(SWITCH_SECONDS)
            recall.embedder = recall.second.submit(open_embedder, recall.run.settings.embedding.model)
        else:
            recall.note = "nothing is embedded yet (recollect nightly)"
        recall.index = open_index(recall.run.lake, manifest)
        if is_stale(recall.run.lake):
            recall.note = "; ".join(note for note in (recall.note, STALE) if note)
    except IndexMissing as missing:
        recall.note = f"{missing.message} ({missing.hint})"


def _begin(recall: Recall, question: str, then: Callable[[Vectors], Near]) -> Callable[[], Near | None]:
    """Computes the question's vector in the second thread, and what follows of it; what is returned waits for it, and notes when
    there is no model."""
    embedder = recall.embedder
    waiting = recall.second.submit(lambda: then(embedder.result().query(question))) if embedder else None

    def wait() -> Near | None:
        try:
            return waiting.result() if waiting else None
        except ModelMissing as missing:
            recall.embedder, recall.note = None, f"{missing.message} ({missing.hint})"
            return None

    return wait


def _time_of(recall: Recall, question: Question, filters: Filters) -> Timely:
    """What the question says of time; a period that the caller gave counts alone."""
    asked = time_asked(question.text, recall.run.today)
    if asked is None or filters.since or filters.until:
        return Timely()
    days, event, matter = asked.days, "", ""
    if days is None and not counts_from_event(question, asked):
        return Timely()
    if days is None:
        happened = question_of(asked.event, recall.run.today)
        within = replace(filters, sources=EVENT_SOURCES, k=1)
        found, ranked, _ = _ranked(recall, happened, within, Timely())
        at = event_of(found.rows, ranked, happened, found.corpus)
        if at is None:
            return Timely()
        days, event = around_event(asked.relation, at.astimezone(recall.run.zone).date()), asked.event
        matter = question.text.replace(asked.phrase, "").strip()
    return Timely(days, is_open(question, asked.phrase), period_note(days, event), matter)


def _ranked(
    recall: Recall, question: Question, filters: Filters, timely: Timely
) -> tuple[Found, list[Ranked], list[tuple[Ranked, list[int]]]]:
    """The candidates, all of them in order, and the first `filters.k` with their near duplicates. Complete are these and the hits
    in which evidence is looked for."""
    if timely.days and timely.is_whole:
        filters = replace(filters, since=timely.days[0], until=min(timely.days[1], recall.run.today))
    where, period = where_of(filters, _projects(recall, filters), recall.run.zone), period_of(filters, recall.run.zone)

    def ranked(found: Found) -> list[Ranked]:
        if timely.days and timely.is_whole:
            return ranked_of_period(found.rows, question, timely.days)
        best = rank(found.rows, question, found.corpus, found.vectors, recall.run.as_of)
        return in_period_first(found.rows, best, timely.days, recall.run.zone) if timely.days else best

    if recall.index is not None:
        try:
            if timely.is_whole:
                found = find_in_period(recall.index, question, where)
            else:
                found = find(recall.index, question, partial(_begin, recall, question.text), where, period)
            best = ranked(found)
            shown = folded(found.rows, best, filters.k)
            read = {place for hit, others in shown for place in (hit.index, *others)} | {one.index for one in best[:LOOKED_AT]}
            completed(recall.index, [found.rows[place] for place in sorted(read)])
            return found, best, shown
        except IndexMissing as missing:
            recall.index, recall.embedder, recall.note = None, None, f"{missing.message} ({missing.hint})"
    from effects.recall.lake_search import find_period_without_index, find_without_index, lake_documents

    if recall.documents is None:
        recall.documents, left_out = lake_documents(recall.run)
        recall.note = "; ".join(note for note in (recall.note, left_out) if note)
    search = find_period_without_index if timely.is_whole else find_without_index
    found = search(recall.documents, question, where)
    best = ranked(found)
    return found, best, folded(found.rows, best, filters.k)


def _projects(recall: Recall, filters: Filters) -> list[str] | None:
    """The full paths that the question is about; None for everything."""
    if filters.project == EVERYTHING or (filters.project is None and filters.cwd is None):
        return None
    known = recall.index.manifest.projects if recall.index is not None else []
    if filters.project is not None:
        return _called(filters.project, known) or _named(filters.project, _known_projects(recall))
    assert filters.cwd is not None
    inside = _inside(filters.cwd, known) or _inside(filters.cwd, _known_projects(recall))
    return [max(inside, key=len)] if inside else None


def _inside(folder: str, projects: Sequence[str]) -> list[str]:
    return [path for path in projects if folder == path or folder.startswith(path.rstrip("/") + "/")]


def _called(name: str, projects: Sequence[str]) -> list[str]:
    wanted = name.rstrip("/") or name
    return [path for path in projects if path == wanted] or [
        path for path in projects if path.rstrip("/").rpartition("/")[2] == wanted
    ]


def _named(name: str, known: Sequence[str]) -> list[str]:
    found = _called(name, known)
    if not found:
        near = ", ".join(sorted({path.rpartition("/")[2] for path in known})[:8])
        raise NotFoundError(f"no session belongs to a project `{name}`", f"known projects: {near or 'none yet'}")
    return found


def _known_projects(recall: Recall) -> list[str]:
    """Those of the index and those of sessions that it does not have yet: reading these takes longer."""
    if recall.projects is None:
        rows = recall.run.lake.scan("sessions").select("project").drop_nulls().unique().collect()
        recall.projects = sorted({*rows["project"], *(recall.index.manifest.projects if recall.index else ())})
    return recall.projects


def _fresh_as_of(recall: Recall) -> datetime | None:
    if recall.index is not None and recall.index.manifest.fresh_as_of:
        return datetime.fromisoformat(recall.index.manifest.fresh_as_of)
    newest = recall.run.lake.scan("sessions").select("ended_at").max().collect().item()
    return newest if isinstance(newest, datetime) else None
