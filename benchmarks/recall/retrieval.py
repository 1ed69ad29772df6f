"""Shared by the recall benchmarks: a lake of session files, the candidates of each question, and their order by any weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from effects.config.settings import Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.recall import search
from effects.recall.ask import ask, open_recall
from effects.recall.index_search import Candidates, Index, load_reader_columns
from effects.store.run import Run, open_run
from transforms.recall import rank
from transforms.recall.question import Question
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Filters

QuestionRow = Mapping[str, Any]
"""A question of a set: JSON with at least `id` and `question`."""


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """A question with its candidates, which have all columns, in the order of the index."""

    row: QuestionRow
    question: Question
    candidates: Candidates


def make_lake(sessions: Path, folder: Path, as_of: datetime, is_distilled: bool) -> Run:
    """Ingest the sessions into a lake below `folder`, distilled when asked; nothing is embedded or indexed."""
    settings = Settings(sessions=(sessions,), lake=folder / "lake", workspace=folder / "workspace", timezone="UTC")
    run = open_run(settings, as_of)
    with run.lake.writing("benchmark"):
        ingest(run)
        if is_distilled:
            window(run)
            distil(run)
    return run


def search_questions(run: Run, questions: Sequence[QuestionRow]) -> list[SearchedQuestion]:
    """Ask each question once and keep its candidates; questions about a whole period search nothing and are left out."""
    searched: list[SearchedQuestion] = []
    recall, search_index = open_recall(run), search.search_index
    last: list[tuple[Question, Candidates]] = []

    def record_candidates(index: Index, question: Question, *arguments: Any) -> Candidates:
        candidates = search_index(index, question, *arguments)
        last[:] = [(question, candidates)]  # an event that bounds the period is searched first
        return candidates

    search.search_index = record_candidates  # type: ignore[assignment]
    try:
        for row in questions:
            last.clear()
            ask(recall, str(row["question"]), Filters(project=row.get("project"), k=1))
            for question, candidates in last:
                load_reader_columns(recall.index, candidates.rows)
                searched.append(SearchedQuestion(row, question, candidates))
    finally:
        search.search_index = search_index
    return searched


def rank_by_weights(searched: SearchedQuestion, as_of: datetime, limit: int) -> list[RankingRecord]:
    """Return the first rows by the present weights, near duplicates folded, without the closest sentences."""
    rows, vectors = searched.candidates.rows, searched.candidates.vectors
    ranked = rank.rank_candidates(rows, searched.question, searched.candidates.corpus, vectors, as_of)
    return [rows[candidate.index] for candidate, _ in rank.fold_duplicates(rows, ranked, limit)]


@contextmanager
def changed_weights(changes: Mapping[str, float], session_penalty: float | None = None) -> Iterator[None]:
    """Change weights of the ranking while the block runs."""
    weights, penalty = dict(rank.RANKING_WEIGHTS), rank.SESSION_PENALTY
    rank.RANKING_WEIGHTS.update(changes)
    rank.SESSION_PENALTY = penalty if session_penalty is None else session_penalty
    try:
        yield
    finally:
        rank.RANKING_WEIGHTS.update(weights)
        rank.SESSION_PENALTY = penalty


def list_variants() -> dict[str, tuple[dict[str, float], float | None]]:
    """Return changed weights and penalty by name: all features, words or vectors alone, and each feature left out."""
    alone = {name: dict.fromkeys(set(rank.RANKING_WEIGHTS) - {name}, 0.0) for name in ("lexical", "semantic")}
    variants: dict[str, tuple[dict[str, float], float | None]] = {"all features": ({}, None)}
    variants |= {f"{name} alone": (changes, 0.0) for name, changes in alone.items()}
    variants |= {f"without {name}": ({name: 0.0}, None) for name in rank.RANKING_WEIGHTS}
    return variants | {"without session penalty": ({}, 0.0)}


def format_table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return the figures of several variants as a table, in percent."""
    names = list(next(iter(rows.values())))
    width = max(map(len, rows))
    lines = [" " * width + "".join(f"{name:>9}" for name in names)]
    lines += [f"{name:<{width}}" + "".join(f"{100 * row[key]:9.1f}" for key in names) for name, row in rows.items()]
    return "\n".join(lines)


def new_year(year: int) -> datetime:
    """Return New Year of a year: a fixed `as_of`."""
    return datetime(year, 1, 1, tzinfo=UTC)
