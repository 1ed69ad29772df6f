"""Finds candidates in the search index, by words and by vector, with their neighbours in the conversation.

The index only proposes; `transforms/recall/rank.py` orders. Without an index `effects/recall/lake_search.py` reads the lake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from effects.index.lance_reader import LanceReader
from effects.index.manifest import IndexMissing, Manifest, find_index_folder, open_readers, quote_sql_list
from effects.index.record_store import RecordStore, find_nearest, stack_vectors
from effects.store.lake import Lake
from transforms.recall.answerability import collect_lookup_terms
from transforms.recall.question import Question
from transforms.recall.question_language import Vocabulary
from transforms.recall.rank import NEIGHBOUR_REACH, CorpusStatistics, Vectors
from transforms.recall.ranking_features import count_question_words, find_best_cosine
from transforms.recall.ranking_record import (
    RankingRecord,
    list_neighbours,
    list_neighbours_across_midnight,
    parse_ranking_records,
    parse_reader_columns,
)
from transforms.recall.types import DOCUMENT_SOURCES, Filters
from transforms.tables.enums import STANDING_KINDS

WORD_CANDIDATES, VECTOR_CANDIDATES, EXPANDED_CANDIDATES = 200, 100, 120
"""Candidates from full text, from vectors, and candidates whose neighbours are read as well."""
PERIOD_CANDIDATES = 1_000
"""Rows of a period that a question asks for as a whole: two months of a busy owner."""
APPROXIMATE_CANDIDATES = 150
"""Vectors that the approximate index proposes, of which the nearest `VECTOR_CANDIDATES` are found exactly."""

TimeRange = tuple[datetime | None, datetime | None]
VectorHits = tuple[Vectors, list[int]]
"""A question's vector, and the numbers of the documents near to it."""
VectorSearch = Callable[[Vectors], VectorHits]
StartVectorSearch = Callable[[VectorSearch], Callable[[], VectorHits | None]]
"""Starts a search by vector on another core; the returned function waits for it and returns None without a vector."""


@dataclass(frozen=True, slots=True)
class Index:
    """An opened index; it can answer any number of questions."""

    manifest: Manifest
    documents: LanceReader
    vectors: LanceReader | None
    rows: RecordStore


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of a question, the statistics that BM25 needs, and vectors where there are any.

    Rows of an index have the reader's columns after `load_reader_columns`. `vocabulary` is the whole memory's knowledge of the
    question's words, with any filters.
    """

    rows: list[RankingRecord]
    corpus: CorpusStatistics
    vectors: tuple[Vectors, Vectors] | None
    vocabulary: Vocabulary

    @property
    def best_cosine(self) -> float | None:
        """The highest similarity of a candidate to the question; None without vectors, or while most wait for theirs."""
        return find_best_cosine(self.rows, self.vectors)


def open_index(lake: Lake, manifest: Manifest) -> Index:
    """Open the lake's search index.

    Raises:
        IndexMissing: when it cannot be used.
    """
    documents, vectors, rows = open_readers(find_index_folder(lake) / manifest.generation)
    return Index(manifest, documents, vectors, rows)


def search_index(index: Index, question: Question, start: StartVectorSearch, where: str, period: TimeRange) -> Candidates:
    """Find candidates by words and by vector, with their neighbours.

    `start` computes the question's vector on another core while this thread searches by words. `where` and `period` are the
    same filters (`make_filter_sql`, `make_filter_period`).

    Raises:
        IndexMissing: when the index proves to be broken while it is read.
    """

    def search_vectors(vector: Vectors) -> VectorHits:
        """Return a vector with its nearest documents; none when the index has no vectors."""
        with _reading_index():
            return vector, index.vectors.search_vector(vector, where, APPROXIMATE_CANDIDATES) if index.vectors is not None else []

    wait_for_vector = start(search_vectors)
    with _reading_index():
        frequency = index.rows.read_document_frequencies(question.words)
        known = [word for word in question.words if frequency.get(word)]
        numbers = index.documents.search_words(" ".join(known), where, WORD_CANDIDATES) if known else []
        rows = _read_rows(index, numbers, numbers[:EXPANDED_CANDIDATES], period)
        vocabulary = _read_vocabulary(index, question)
        stored = index.rows.read_vectors(rows)
        counts = count_question_words(list(rows.values()), question).tolist()  # while the other thread is at work
        for row, row_counts in zip(rows.values(), counts, strict=True):
            row["counts"] = row_counts
    vector_hits, vectors = wait_for_vector(), None
    with _reading_index():
        if vector_hits is not None:
            vector, approximate = vector_hits
            stored |= index.rows.read_vectors(set(approximate) - rows.keys())
            near = find_nearest(stored, approximate, vector, VECTOR_CANDIDATES)
            expanded = list(dict.fromkeys(numbers + near))[:EXPANDED_CANDIDATES][len(numbers) :]
            more = _read_rows(index, [number for number in near if number not in rows], expanded, period)
            stored |= index.rows.read_vectors(more.keys() - rows.keys() - set(approximate))
            rows |= more
        ordered = sorted(rows.values(), key=lambda row: row["key"])
        if vector_hits is not None:
            vectors = stack_vectors(stored, [row["number"] for row in ordered], len(vector)), vector
    corpus = CorpusStatistics(index.manifest.document_count, index.manifest.mean_words, frequency)
    return Candidates(ordered, corpus, vectors, vocabulary)


def join_candidates(first: Candidates, second: Candidates) -> Candidates:
    """Return the candidates of two searches for one question, each once, in the order of keys."""
    known = {row["number"] for row in first.rows}
    rows = [*first.rows, *(row for row in second.rows if row["number"] not in known)]
    order = sorted(range(len(rows)), key=lambda place: rows[place]["key"])
    vectors = None
    if first.vectors is not None and second.vectors is not None:
        is_new = [row["number"] not in known for row in second.rows]
        vectors = np.concatenate([first.vectors[0], second.vectors[0][is_new]])[order], first.vectors[1]
    return replace(first, rows=[rows[place] for place in order], vectors=vectors)


def load_reader_columns(index: Index | None, rows: Sequence[RankingRecord]) -> None:
    """Add the reader's columns to these candidates.

    Raises:
        IndexMissing: when the index proves to be broken while it is read.
    """
    missing = {row["number"]: row for row in rows if "text" not in row}
    if index is None or not missing:
        return
    with _reading_index():
        for number, columns in index.rows.read_reader_columns(missing).items():
            missing[number].update(parse_reader_columns(columns))  # type: ignore[typeddict-item]  # columns of the same names
        if any("text" not in row for row in missing.values()):
            raise LookupError("it was changed meanwhile")


def search_index_period(index: Index, question: Question, where: str) -> Candidates:
    """Find everything kept of a period, without regard to words; raw turns only when nothing else was kept.

    Raises:
        IndexMissing: when the index proves to be broken while it is read.
    """
    with _reading_index():
        numbers_of_memory = index.documents.list_where(f"({where}) AND source <> 'turn'", PERIOD_CANDIDATES)
        numbers = numbers_of_memory or index.documents.list_where(f"({where}) AND source = 'turn'", PERIOD_CANDIDATES)
        rows, vocabulary = _read_rows(index, numbers, (), (None, None)), _read_vocabulary(index, question)
    ordered = sorted(rows.values(), key=lambda row: row["key"])
    corpus = CorpusStatistics(index.manifest.document_count, index.manifest.mean_words, {})
    return Candidates(ordered, corpus, None, vocabulary)


def _read_vocabulary(index: Index, question: Question) -> Vocabulary:
    terms, prefixes = collect_lookup_terms(question)
    return Vocabulary(index.rows.read_document_frequencies(sorted(terms)), frozenset(index.rows.find_prefixes(sorted(prefixes))))


def _read_rows(index: Index, numbers: Sequence[int], expanded: Sequence[int], period: TimeRange) -> dict[int, RankingRecord]:
    """Read these documents, and the neighbours of `expanded` that lie in the period."""
    wanted = set(numbers)
    rows = _read_records(index, wanted.union(list_neighbours(expanded, NEIGHBOUR_REACH)))
    rows |= _read_across_midnight(index, rows, expanded)
    for number in [number for number, row in rows.items() if number not in wanted and not _is_in(row["said_at"], period)]:
        del rows[number]
    for number, row in rows.items():
        row["number"] = number
    return rows


def _read_records(index: Index, numbers: set[int]) -> dict[int, RankingRecord]:
    records = index.rows.read_ranking_records(numbers)
    return dict(zip(records, parse_ranking_records(list(records.values())), strict=True))


def _read_across_midnight(index: Index, rows: dict[int, RankingRecord], expanded: Sequence[int]) -> dict[int, RankingRecord]:
    """Read the neighbours of `expanded` on the day before or after; mostly there are none."""
    ends = [rows[number] for number in expanded if number in rows and (rows[number]["follows"] or number + 1 not in rows)]
    numbers = {number for row in ends for number in list_neighbours_across_midnight(row, NEIGHBOUR_REACH)} - rows.keys()
    if not numbers:
        return {}
    records, keys = _read_records(index, numbers), {row["key"] for row in ends}
    followed = {follows for row in (*ends, *records.values()) if (follows := row["follows"])}
    firsts = {number for number, row in records.items() if row["follows"] in keys}
    return {number: row for number, row in records.items() if number in firsts or _is_followed(row, followed)}


def _is_followed(row: RankingRecord, followed: set[str]) -> bool:
    """Whether a piece of the next day follows this one, or one within reach after it."""
    head, _, position = row["key"].rpartition(":")
    return any(f"{head}:{int(position) + step}" in followed for step in range(NEIGHBOUR_REACH))


def _is_in(said_at: datetime | None, period: TimeRange) -> bool:
    first, end = period
    return (first is None or (said_at is not None and said_at >= first)) and (
        end is None or (said_at is not None and said_at < end)
    )


@contextmanager
def _reading_index() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # LanceDB and SQLite each raise many classes for broken files
        raise IndexMissing(f"the search index cannot be read: {str(error)[:200]}", "recollect rebuild index") from error


def make_filter_sql(filters: Filters, projects: Sequence[str] | None, zone: ZoneInfo) -> str:
    """Return the filters as SQL over the index, empty without any; `projects` are full paths, or None for all.

    Lines of MEMORY.md and the preferences and rules of all projects are found from each; ranking knows whose they are.
    """
    parts = []
    if len(filters.sources) < len(DOCUMENT_SOURCES):
        parts.append(f"source IN {quote_sql_list(list(filters.sources))}")
    if projects is not None:
        is_global = f"source = 'memory' OR kind IN {quote_sql_list(sorted(STANDING_KINDS))}"
        parts.append(f"(project IN {quote_sql_list(list(projects))} OR {is_global})" if projects else f"({is_global})")
    first, end = make_filter_period(filters, zone)
    if first:
        parts.append(f"said_at >= {_format_sql_time(first)}")
    if end:
        parts.append(f"said_at < {_format_sql_time(end)}")
    if filters.kinds:
        parts.append(f"kind IN {quote_sql_list(list(filters.kinds))}")
    if filters.priorities:
        parts.append(f"priority IN {quote_sql_list(list(filters.priorities))}")
    return " AND ".join(parts)


def make_filter_period(filters: Filters, zone: ZoneInfo) -> TimeRange:
    """Return the first moment of the filters' days and the first moment after them; None where they are open."""
    first = datetime.combine(filters.since, time(), zone) if filters.since else None
    return first, datetime.combine(filters.until + timedelta(days=1), time(), zone) if filters.until else None


def _format_sql_time(time: datetime) -> str:
    return f"timestamp '{time.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S')}'"
