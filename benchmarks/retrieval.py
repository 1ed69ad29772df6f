"""What the recall benchmarks share: a lake of session files, the candidates of each question, their order by any weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from effects.config.settings import Settings
from effects.ingest.ingest_step import ingest
from effects.recall import ask as asking
from effects.recall.ask import ask, open_recall
from effects.recall.index_search import Found, Index, completed
from effects.store.run import Run, open_run
from transforms.recall import rank as ranking
from transforms.recall.query import Question
from transforms.recall.types import Filters

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its candidates, complete, in the order by which the index gave them."""

    row: Row
    question: Question
    found: Found


def lake_of(sessions: Path, folder: Path, as_of: datetime, is_distilled: bool) -> Run:
    """The sessions in a lake below `folder`; with windows and observations when `is_distilled`. Not embedded, not indexed."""
    settings = Settings(sessions=(sessions,), lake=folder / "lake", workspace=folder / "workspace", timezone="UTC")
    run = open_run(settings, as_of)
    with run.lake.writing("benchmark"):
        ingest(run)
        if is_distilled:
            from effects.distil.distil_step import distil
            from effects.distil.window_step import window

            window(run)
            distil(run)
    return run


def ask_all(run: Run, questions: Sequence[Row]) -> list[Asked]:
    """Asks each question once and keeps what was found."""
    kept: list[Asked] = []
    recall, find = open_recall(run), asking.find

    def keeping(index: Index, question: Question, *given: Any) -> Found:
        found = find(index, question, *given)
        completed(index, found.rows)
        kept.append(Asked(questions[len(kept)], question, found))
        return found

    asking.find = keeping  # type: ignore[assignment]
    try:
        for row in questions:
            ask(recall, str(row["question"]), Filters(project=row.get("project"), k=1))
    finally:
        asking.find = find
    return kept


def best_of(asked: Asked, as_of: datetime, limit: int) -> list[Row]:
    """The first hits by the weights as they stand, near duplicates folded."""
    rows, vectors = asked.found.rows, asked.found.vectors
    ranked = ranking.rank(rows, asked.question, asked.found.corpus, vectors, as_of)
    return [rows[hit.index] for hit, _ in ranking.folded(rows, ranked, limit)]


@contextmanager
def weighing(changes: Mapping[str, float], spread: float | None = None) -> Iterator[None]:
    """Other weights for a while."""
    before, usual = dict(ranking.WEIGHTS), ranking.SPREAD
    ranking.WEIGHTS.update(changes)
    ranking.SPREAD = usual if spread is None else spread
    try:
        yield
    finally:
        ranking.WEIGHTS.update(before)
        ranking.SPREAD = usual


def variants() -> dict[str, tuple[dict[str, float], float | None]]:
    """Name, changed weights and changed spread of what is measured: everything, each sign alone left out, single signs alone."""
    alone = {name: dict.fromkeys(set(ranking.WEIGHTS) - {name}, 0.0) for name in ("words", "meaning")}
    found: dict[str, tuple[dict[str, float], float | None]] = {"all signs": ({}, None)}
    found |= {f"{name} alone": (changes, 0.0) for name, changes in alone.items()}
    found |= {f"without {name}": ({name: 0.0}, None) for name in ranking.WEIGHTS}
    return found | {"without spread": ({}, 0.0)}


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """The numbers of several variants below each other, in percent."""
    names = list(next(iter(rows.values())))
    wide = max(map(len, rows))
    lines = [" " * wide + "".join(f"{name:>9}" for name in names)]
    return "\n".join(
        lines + [f"{name:<{wide}}" + "".join(f"{100 * row[key]:9.1f}" for key in names) for name, row in rows.items()]
    )


def at(year: int) -> datetime:
    """New Year of a year: a fixed `as_of`."""
    return datetime(year, 1, 1, tzinfo=UTC)
