"""What may answer a question: candidates from the index, by words and by vector, with what was said around them.

The index only proposes; `transforms/recall/rank.py` orders. Without an index, `effects/recall/lake_search.py` reads the lake itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from effects.index.generations import IndexMissing, Manifest, index_folder, open_readers, quoted
from effects.index.lance_reader import Reader
from effects.index.record_store import Rows, matrix_of, nearest
from effects.store.lake import Lake
from transforms.recall.answerability import Heard, looked_up
from transforms.recall.query import Question
from transforms.recall.rank import NEIGHBOURS, Corpus, Vectors
from transforms.recall.ranking_features import counts_of
from transforms.recall.ranking_record import across_midnight, around, from_cards, from_shown
from transforms.recall.types import Filters

BY_WORDS, BY_VECTOR, EXPANDED = 200, 100, 120
"""Candidates from full text, from vectors, and how many of them get their neighbours read as well. 300, 150 and 250 took twice
the time and moved no recall@k of 495 questions by half a point. 120 by words moved none either, but the order of hits in some
(5 % of first fives), for 1 ms of 33; fewer by vector or with neighbours cost 0.1 to 0.4 points of recall@5."""
OF_PERIOD = 1_000
"""What is kept of a period that is asked for as a whole: two months of a busy owner."""
ROUGHLY = 150
"""Vectors that the approximate index proposes, of which the nearest `BY_VECTOR` are found exactly."""

Period = tuple[datetime | None, datetime | None]
Near = tuple[Vectors, list[int]]
"""A question's vector, and the numbers of the documents that are near to it."""
Beginning = Callable[[Callable[[Vectors], Near]], Callable[[], Near | None]]


@dataclass(frozen=True, slots=True)
class Index:
    """An opened index; it can answer any number of questions."""

    manifest: Manifest
    documents: Reader
    vectors: Reader | None
    rows: Rows


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates as rows with their words as the list `found`, what BM25 needs to know, and vectors where there are any.

    Rows of an index have the columns `SHOWN` after `completed`. `heard` is what memory as a whole has of the question's words,
    whatever the filters.
    """

    rows: list[dict[str, Any]]
    corpus: Corpus
    vectors: tuple[Vectors, Vectors] | None
    heard: Heard

    @property
    def best_cosine(self) -> float | None:
        """Of any candidate with the question; None without vectors."""
        return float((self.vectors[0] @ self.vectors[1]).max(initial=0.0)) if self.vectors is not None else None


def open_index(lake: Lake, manifest: Manifest) -> Index:
    """The lake's search index.

    Raises:
        IndexMissing: when it cannot be used.
    """
    documents, vectors, rows = open_readers(index_folder(lake) / manifest.generation)
    return Index(manifest, documents, vectors, rows)


def find(index: Index, question: Question, begin: Beginning, where: str, period: Period) -> Found:
    """Candidates by words and by vector, with the turns around them.

    `begin` begins to compute the question's vector on another core, and what is to be done with it; what it returns waits for
    that, and gives None without a vector. `where` and `period` are the same filters (`where_of`, `period_of`).

    Raises:
        IndexMissing: when the index turns out to be broken while it is read.
    """

    def nearing(vector: Vectors) -> Near:
        with _reading():
            return vector, index.vectors.by_vector(vector, where, ROUGHLY) if index.vectors is not None else []

    wait = begin(nearing)
    with _reading():
        frequency = index.rows.frequency(question.words)
        known = [word for word in question.words if frequency.get(word)]
        numbers = index.documents.by_words(" ".join(known), where, BY_WORDS) if known else []
        rows = _rows(index, numbers, numbers[:EXPANDED], period)
        heard = _heard(index, question)
        stored = index.rows.vectors(rows)
        for row, counts in zip(rows.values(), counts_of(list(rows.values()), question).tolist(), strict=True):
            row["counts"] = counts  # while the other thread is at work
    found, vectors = wait(), None
    with _reading():
        if found is not None:
            vector, rough = found
            stored |= index.rows.vectors(set(rough) - rows.keys())
            near = nearest(stored, rough, vector, BY_VECTOR)
            both = list(dict.fromkeys(numbers + near))[:EXPANDED]
            more = _rows(index, [number for number in near if number not in rows], both[len(numbers) :], period)
            stored |= index.rows.vectors(more.keys() - rows.keys() - set(rough))
            rows |= more
        ordered = sorted(rows.values(), key=lambda row: str(row["key"]))
        if found is not None:
            vectors = matrix_of(stored, [row["number"] for row in ordered], len(vector)), vector
    return Found(ordered, Corpus(index.manifest.document_count, index.manifest.mean_words, frequency), vectors, heard)


def completed(index: Index | None, rows: Sequence[dict[str, Any]]) -> None:
    """Reads what a reader sees of these candidates into them.

    Raises:
        IndexMissing: when the index turns out to be broken while it is read.
    """
    missing = {row["number"]: row for row in rows if "text" not in row}
    if index is None or not missing:
        return
    with _reading():
        for number, shown in index.rows.shown(missing).items():
            missing[number] |= from_shown(shown)
        if any("text" not in row for row in missing.values()):
            raise LookupError("it was changed meanwhile")


def find_in_period(index: Index, question: Question, where: str) -> Found:
    """What was kept of a period, without looking for words; the raw turns only when nothing was kept.

    Raises:
        IndexMissing: when the index turns out to be broken while it is read.
    """
    with _reading():
        kept = index.documents.all_where(f"({where}) AND source <> 'turn'", OF_PERIOD)
        numbers = kept or index.documents.all_where(f"({where}) AND source = 'turn'", OF_PERIOD)
        rows, heard = _rows(index, numbers, (), (None, None)), _heard(index, question)
    ordered = sorted(rows.values(), key=lambda row: str(row["key"]))
    return Found(ordered, Corpus(index.manifest.document_count, index.manifest.mean_words, {}), None, heard)


def _heard(index: Index, question: Question) -> Heard:
    wanted, beginnings = looked_up(question)
    return Heard(index.rows.frequency(sorted(wanted)), frozenset(index.rows.beginnings(sorted(beginnings))))


def _rows(index: Index, numbers: Sequence[int], expanded: Sequence[int], period: Period) -> dict[int, dict[str, Any]]:
    """These documents, and the spoken pieces around those of `expanded` that lie in the period."""
    wanted = set(numbers)
    cards = index.rows.cards(wanted.union(around(expanded, NEIGHBOURS)))
    rows = dict(zip(cards, from_cards(list(cards.values())), strict=True))
    rows |= _over_midnight(index, rows, expanded)
    for number in [number for number, row in rows.items() if number not in wanted and not _is_in(row["said_at"], period)]:
        del rows[number]
    for number, row in rows.items():
        row["number"] = number
    return rows


def _over_midnight(index: Index, rows: dict[int, dict[str, Any]], expanded: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The pieces around those of `expanded` that were said on the day before or after; mostly there are none."""
    ends = [rows[number] for number in expanded if number in rows and (rows[number]["follows"] or number + 1 not in rows)]
    numbers = {number for row in ends for number in across_midnight(row, NEIGHBOURS)} - rows.keys()
    if not numbers:
        return {}
    cards, keys = index.rows.cards(numbers), {row["key"] for row in ends}
    found = dict(zip(cards, from_cards(list(cards.values())), strict=True))
    followed = {row["follows"] for row in ends}.union(row["follows"] for row in found.values()) - {None}
    firsts = {number for number, row in found.items() if row["follows"] in keys}
    return {number: row for number, row in found.items() if number in firsts or _leads_to(row, followed)}


def _leads_to(row: dict[str, Any], followed: set[str]) -> bool:
    """Whether one of the last pieces of a day, within reach, is followed on the next."""
    head, _, position = row["key"].rpartition(":")
    return any(f"{head}:{int(position) + step}" in followed for step in range(NEIGHBOURS))


def _is_in(at: datetime | None, period: Period) -> bool:
    first, end = period
    return (first is None or (at is not None and at >= first)) and (end is None or (at is not None and at < end))


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # LanceDB and SQLite each raise many classes for broken files
        raise IndexMissing(f"the search index cannot be read: {str(error)[:200]}", "recollect rebuild index") from error


def where_of(filters: Filters, projects: Sequence[str] | None, zone: ZoneInfo) -> str:
    """The filters as SQL over the index; empty when everything may be found. `projects` are full paths, or None for all."""
    parts = []
    if len(filters.sources) < 5:
        parts.append(f"source IN {quoted(list(filters.sources))}")
    if projects is not None:
        everywhere = "source = 'memory' OR kind IN ('preference','rule')"
        parts.append(f"(project IN {quoted(list(projects))} OR {everywhere})" if projects else f"({everywhere})")
    first, end = period_of(filters, zone)
    if first:
        parts.append(f"said_at >= {_instant(first)}")
    if end:
        parts.append(f"said_at < {_instant(end)}")
    if filters.kinds:
        parts.append(f"kind IN {quoted(list(filters.kinds))}")
    if filters.priorities:
        parts.append(f"priority IN {quoted(list(filters.priorities))}")
    return " AND ".join(parts)


def period_of(filters: Filters, zone: ZoneInfo) -> Period:
    """The moment from which on, and the moment before which, something must have been said."""
    first = datetime.combine(filters.since, time(), zone) if filters.since else None
    return first, datetime.combine(filters.until + timedelta(days=1), time(), zone) if filters.until else None


def _instant(at: datetime) -> str:
    return f"timestamp '{at.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S')}'"
