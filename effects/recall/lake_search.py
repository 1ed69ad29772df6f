"""Finds candidates in the lake itself when there is no index: by words only, slower as the history grows."""

from __future__ import annotations

from typing import cast

import polars as pl

from effects.index.source_parts import fingerprint_parts, read_part_documents, read_projects
from effects.recall.index_search import PERIOD_CANDIDATES, Candidates
from effects.store.run import Run
from transforms.recall.answerability import Vocabulary, collect_lookup_terms
from transforms.recall.documents import DOCUMENT_SCHEMA
from transforms.recall.question import Question
from transforms.recall.rank import NEIGHBOUR_REACH, CorpusStatistics
from transforms.recall.ranking_record import RANKING_COLUMNS, READER_COLUMNS, RankingRecord

LAKE_CANDIDATES = 4_000
"""Documents that are scored without an index: those with most of the question's words."""
DOCUMENTS_IN_MEMORY = 150_000
"""Documents that are held at once, about 1 KB each."""
DOCUMENT_COLUMNS = [*RANKING_COLUMNS, *READER_COLUMNS]


def read_documents(run: Run) -> tuple[pl.DataFrame, str]:
    """Make documents of the lake; return them and a note about the part that was left out.

    Everything that was kept comes first, then raw turns from the newest day on, up to `DOCUMENTS_IN_MEMORY`.
    """
    projects, parts = read_projects(run), fingerprint_parts(run)
    turn_parts = sorted((part for part in parts if part.startswith("entries/")), reverse=True)
    frames = [DOCUMENT_SCHEMA.to_frame()]
    frames += [read_part_documents(run, part, projects) for part in sorted(set(parts) - set(turn_parts))]
    count = sum(map(len, frames))
    for number, part in enumerate(turn_parts):
        if count >= DOCUMENTS_IN_MEMORY:
            since = turn_parts[number - 1].partition("/")[2] if number else "never"
            return pl.concat(frames), f"of the raw turns only those since {since} were searched"
        frames.append(read_part_documents(run, part, projects))
        count += len(frames[-1])
    return pl.concat(frames), ""


def search_lake(documents: pl.DataFrame, question: Question, where: str) -> Candidates:
    """Find candidates by words among all documents; `where` is the filters' SQL."""
    rows = _filter_documents(documents, where)
    words = list(question.words)
    scored = rows.with_columns(matches=pl.col("terms").list.set_intersection(pl.lit(words)).list.len())
    steps = range(-NEIGHBOUR_REACH, NEIGHBOUR_REACH + 1)
    is_near = pl.any_horizontal(*(pl.col("matches").shift(step).fill_null(0) > 0 for step in steps))
    candidates = scored.sort("session_id", "part", "position", "key").filter(is_near)
    candidates = candidates.sort("matches", "key", descending=[True, False]).head(LAKE_CANDIDATES).sort("key")
    matching = scored.filter(pl.col("matches") > 0).select(pl.col("terms").list.unique()).explode("terms")
    frequency = dict(matching.filter(pl.col("terms").is_in(words)).group_by("terms").len().iter_rows())
    mean_words = max(float(documents["word_count"].mean() or 1.0), 1.0)  # type: ignore[arg-type]
    corpus = CorpusStatistics(len(documents), mean_words, frequency)
    return Candidates(_make_records(candidates), corpus, None, _count_vocabulary(documents, question))


def search_lake_period(documents: pl.DataFrame, question: Question, where: str) -> Candidates:
    """Find everything kept of a period, without regard to words; raw turns only when nothing else was kept."""
    rows = _filter_documents(documents, where)
    memory_rows = rows.filter(pl.col("source") != "turn")
    first = (rows if memory_rows.is_empty() else memory_rows).sort("key").head(PERIOD_CANDIDATES)
    corpus = CorpusStatistics(len(documents), 1.0, {})
    return Candidates(_make_records(first), corpus, None, _count_vocabulary(documents, question))


def _filter_documents(documents: pl.DataFrame, where: str) -> pl.DataFrame:
    """Return the documents that the filters admit, with their words as the list `terms`."""
    naive = documents.with_columns(pl.col("said_at").dt.replace_time_zone(None))  # an SQL timestamp has no zone
    rows = pl.SQLContext(documents=naive).execute(f"SELECT * FROM documents WHERE {where or 'true'}").collect()
    return rows.with_columns(pl.col("said_at").dt.replace_time_zone("UTC"), terms=pl.col("words").str.split(" "))


def _make_records(rows: pl.DataFrame) -> list[RankingRecord]:
    return cast(list[RankingRecord], rows.select(*DOCUMENT_COLUMNS, "terms").to_dicts())


def _count_vocabulary(documents: pl.DataFrame, question: Question) -> Vocabulary:
    terms, prefixes = collect_lookup_terms(question)
    counted = documents.select(pl.col("words").str.split(" ").list.unique().explode().alias("word")).group_by("word").len()
    frequency = dict(counted.filter(pl.col("word").is_in(sorted(terms))).iter_rows())
    return Vocabulary(frequency, frozenset(prefix for prefix in prefixes if counted["word"].str.starts_with(prefix).any()))
