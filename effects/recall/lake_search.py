"""Finds candidates in the lake itself when there is no index: by words only, slower as the history grows."""

from __future__ import annotations

from itertools import groupby
from typing import cast

import polars as pl

from effects.index.source_parts import fingerprint_parts, read_part_documents, read_projects
from effects.recall.index_search import PERIOD_CANDIDATES, Candidates
from effects.recall.recall_state import Recall, add_note
from effects.store.forgotten import read_forgotten
from effects.store.run import Run
from transforms.recall.answerability import collect_lookup_terms
from transforms.recall.documents import DOCUMENT_SCHEMA
from transforms.recall.question import Question
from transforms.recall.question_language import Vocabulary
from transforms.recall.rank import NEIGHBOUR_REACH, CorpusStatistics
from transforms.recall.ranking_record import RANKING_COLUMNS, READER_COLUMNS, RankingRecord

LAKE_CANDIDATES = 4_000
"""Documents that are scored without an index: those with most of the question's words."""
DOCUMENTS_IN_MEMORY = 30_000
"""Documents that are read at once: on one core some 10 s of 10,000 sessions, whose first index the first night is making."""
UNDATED = "~"
"""Sorts behind each day."""
DOCUMENT_COLUMNS = [*RANKING_COLUMNS, *READER_COLUMNS]


def load_documents(recall: Recall) -> pl.DataFrame:
    """Return the documents of the lake, which are made once; a note tells of those that were left out."""
    if recall.documents is None:
        recall.documents, note = read_documents(recall.run)
        add_note(recall, note)
    return recall.documents


def read_documents(run: Run) -> tuple[pl.DataFrame, str]:
    """Make documents of the lake; return them and a note about the part that was left out.

    What was kept comes first, from the newest day on, then raw turns likewise, up to `DOCUMENTS_IN_MEMORY`.
    """
    projects, parts, forgotten = read_projects(run), fingerprint_parts(run), read_forgotten(run.lake)
    turns = [part for part in parts if part.startswith("entries/")]
    kept = [part for part in parts if not part.startswith("entries/")]
    frames, count = [DOCUMENT_SCHEMA.to_frame()], 0
    for name, own in (("of what was kept", kept), ("of the raw turns", turns)):
        last = None
        for day, day_parts in groupby(sorted(own, key=_find_day, reverse=True), _find_day):
            if count >= DOCUMENTS_IN_MEMORY:
                return pl.concat(frames), f"{name} {_describe_searched(last)}"
            frames += [read_part_documents(run, part, projects, forgotten=forgotten) for part in day_parts]
            count, last = sum(map(len, frames)), day
    return pl.concat(frames), ""


def _find_day(part: str) -> str:
    """Return the day of a part; what has none, as MEMORY.md and condensed periods, is the latest."""
    return part.partition("/")[2] or UNDATED


def _describe_searched(last: str | None) -> str:
    """Return which documents were searched, of which those of `last` came last."""
    if last is None:
        return "none were searched"
    return "only MEMORY.md and condensed periods were searched" if last == UNDATED else f"only those since {last} were searched"


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


def has_document(documents: pl.DataFrame, where: str) -> bool:
    """Whether a document fulfils the filters' SQL."""
    return not _filter_documents(documents, where).is_empty()


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
