"""Ask the memory: hybrid search over everything that was kept and said, a short cited answer, and how fresh it is.

    recall = open_recall(run)                               once per process; loads nothing
    answer = ask(recall, "what did we decide about cache TTLs?", Filters(cwd=str(Path.cwd())))
    answers = ask_batch(recall, [{"id": …, "question": …, "project": …}], Filters(k=50))
    answer.row()                                            the JSON of CONTRACT.md

The index and the model are opened with the first question. When one of them is missing the search goes by words only
(`mode` "lexical") and `note` says why.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import polars as pl

from effects.embedder import Embedder, ModelMissing, open_embedder
from effects.errors import NotFoundError, UsageError
from effects.index_store import IndexMissing
from effects.run import Run
from effects.search import Found, Index, completed, find, find_without_index, open_index, where_of
from transforms.answer import hits_of, said_by
from transforms.query import Question, question_of
from transforms.rank import Ranked, folded, rank
from transforms.recall import SOURCES, Answer, Filters
from transforms.schema import KINDS, PRIORITIES

EVERYTHING = "all"


@dataclass(slots=True)
class Recall:
    """A lake opened for questions: index, model and documents are kept from one question to the next."""

    run: Run
    index: Index | None = None
    embedder: Embedder | None = None
    documents: pl.DataFrame | None = None
    projects: list[str] | None = None
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
    where = where_of(filters, _projects(recall, filters), recall.run.zone)
    found, ranked, shown = _ranked(recall, asked, where, filters.k)
    hits = hits_of(found.rows, shown, asked, filters.max_tokens)
    said, nearest = said_by(found.rows, ranked, hits, asked, found.corpus, filters.max_tokens)
    return Answer(
        question,
        "hybrid" if found.vectors is not None else "lexical",
        _fresh_as_of(recall),
        said,
        tuple(hits),
        round((time.perf_counter() - started) * 1000),
        note=recall.note,
        nearest=nearest,
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
    if recall.is_open:
        return
    notes = []
    try:
        recall.index = open_index(recall.run)
    except IndexMissing as missing:
        notes.append(f"{missing.message} ({missing.hint})")
    if recall.index is not None and recall.index.vectors is not None:
        try:
            recall.embedder = open_embedder(recall.run.settings.embedding.model)
        except ModelMissing as missing:
            notes.append(f"{missing.message} ({missing.hint})")
    elif recall.index is not None:
        notes.append("nothing is embedded yet (recollect nightly)")
    recall.note = "; ".join(notes)
    recall.is_open = True


def _ranked(
    recall: Recall, question: Question, where: str, limit: int
) -> tuple[Found, list[Ranked], list[tuple[Ranked, list[int]]]]:
    """The candidates, all of them in order, and the first `limit` with their near duplicates, complete."""
    if recall.index is not None:
        try:
            vector = recall.embedder.query(question.text) if recall.embedder else None
            found = find(recall.index, question, vector, where)
            ranked = rank(found.rows, question, found.corpus, found.vectors, recall.run.as_of)
            shown = folded(found.rows, ranked, limit)
            completed(recall.index, [found.rows[place] for hit, others in shown for place in (hit.index, *others)])
            return found, ranked, shown
        except IndexMissing as missing:
            recall.index, recall.note = None, f"{missing.message} ({missing.hint})"
    found = find_without_index(_documents(recall), question, where)
    ranked = rank(found.rows, question, found.corpus, found.vectors, recall.run.as_of)
    return found, ranked, folded(found.rows, ranked, limit)


def _documents(recall: Recall) -> pl.DataFrame:
    """All documents, made from the lake: what is searched while there is no index."""
    if recall.documents is None:
        from effects.index import part_documents, parts_of, projects_of
        from transforms.documents import SCHEMA

        projects = projects_of(recall.run)
        frames = [part_documents(recall.run, part, projects) for part in sorted(parts_of(recall.run))]
        recall.documents = pl.concat([SCHEMA.to_frame(), *frames])
    return recall.documents


def _projects(recall: Recall, filters: Filters) -> list[str] | None:
    """The full paths that the question is about; None for everything."""
    if filters.project == EVERYTHING or (filters.project is None and filters.cwd is None):
        return None
    known = _known_projects(recall)
    if filters.project is not None:
        return _named(filters.project, known)
    assert filters.cwd is not None
    inside = [path for path in known if filters.cwd == path or filters.cwd.startswith(path.rstrip("/") + "/")]
    return [max(inside, key=len)] if inside else None


def _named(name: str, known: Sequence[str]) -> list[str]:
    wanted = name.rstrip("/") or name
    found = [path for path in known if path == wanted] or [
        path for path in known if path.rstrip("/").rpartition("/")[2] == wanted
    ]
    if not found:
        near = ", ".join(sorted({path.rpartition("/")[2] for path in known})[:8])
        raise NotFoundError(f"no session belongs to a project `{name}`", f"known projects: {near or 'none yet'}")
    return found


def _known_projects(recall: Recall) -> list[str]:
    if recall.projects is None:
        rows = recall.run.lake.scan("sessions").select("project").drop_nulls().unique().collect()
        recall.projects = sorted({*rows["project"], *(recall.index.manifest.projects if recall.index else ())})
    return recall.projects


def _fresh_as_of(recall: Recall) -> datetime | None:
    if recall.index is not None and recall.index.manifest.fresh_as_of:
        return datetime.fromisoformat(recall.index.manifest.fresh_as_of)
    newest = recall.run.lake.scan("sessions").select(pl.col("ended_at").max()).collect().item()
    return newest if isinstance(newest, datetime) else None
