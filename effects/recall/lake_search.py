"""Candidates from the lake itself, when there is no index: by words only, slower with the size of the history."""

from __future__ import annotations

import polars as pl

from effects.index.parts import part_documents, parts_of, projects_of
from effects.recall.index_search import OF_PERIOD, Found
from effects.store.run import Run
from transforms.recall.answerability import Heard, looked_up
from transforms.recall.documents import SCHEMA
from transforms.recall.query import Question
from transforms.recall.rank import NEIGHBOURS, Corpus
from transforms.recall.ranking_record import RANKED, SHOWN

WITHOUT_INDEX = 4_000
"""Texts that are scored when there is no index: those with most of the question's words."""
IN_MEMORY = 150_000
"""Documents that are held at once: 1 KB each on real sessions. A question over 153,000 took 9 s and the process 490 MB."""
COLUMNS = [*RANKED, *SHOWN]


def lake_documents(run: Run) -> tuple[pl.DataFrame, str]:
    """Documents made from the lake, and what was left out: all that was kept, then raw turns from the newest day on, as many
    as memory shall hold."""
    projects, parts = projects_of(run), parts_of(run)
    spoken = sorted((part for part in parts if part.startswith("entries/")), reverse=True)
    frames = [SCHEMA.to_frame(), *(part_documents(run, part, projects) for part in sorted(set(parts) - set(spoken)))]
    count = sum(map(len, frames))
    for place, part in enumerate(spoken):
        if count >= IN_MEMORY:
            since = spoken[place - 1].partition("/")[2] if place else "never"
            return pl.concat(frames), f"of the raw turns only those since {since} were searched"
        frames.append(part_documents(run, part, projects))
        count += len(frames[-1])
    return pl.concat(frames), ""


def find_without_index(documents: pl.DataFrame, question: Question, where: str) -> Found:
    """The same candidates from all documents, by words only."""
    query = f"SELECT * FROM documents WHERE {where or 'true'}"
    naive = documents.with_columns(pl.col("said_at").dt.replace_time_zone(None))  # an SQL timestamp has no zone
    rows = pl.SQLContext(documents=naive).execute(query).collect()
    rows = rows.with_columns(pl.col("said_at").dt.replace_time_zone("UTC"), found=pl.col("words").str.split(" "))
    asked = list(question.words)
    scored = rows.with_columns(hits=pl.col("found").list.set_intersection(pl.lit(asked)).list.len())
    near = pl.any_horizontal(*(pl.col("hits").shift(step).fill_null(0) > 0 for step in range(-NEIGHBOURS, NEIGHBOURS + 1)))
    kept = scored.sort("session_id", "part", "position", "key").filter(near)
    kept = kept.sort("hits", "key", descending=[True, False]).head(WITHOUT_INDEX).sort("key")
    matching = scored.filter(pl.col("hits") > 0).select(pl.col("found").list.unique()).explode("found")
    frequency = dict(matching.filter(pl.col("found").is_in(asked)).group_by("found").len().iter_rows())
    corpus = Corpus(len(documents), max(float(documents["word_count"].mean() or 1.0), 1.0), frequency)  # type: ignore[arg-type]
    return Found(kept.select(*COLUMNS, "found").to_dicts(), corpus, None, _heard(documents, question))


def find_period_without_index(documents: pl.DataFrame, question: Question, where: str) -> Found:
    """What was kept of a period, without looking for words; the raw turns only when nothing was kept."""
    naive = documents.with_columns(pl.col("said_at").dt.replace_time_zone(None))
    rows = pl.SQLContext(documents=naive).execute(f"SELECT * FROM documents WHERE {where or 'true'}").collect()
    rows = rows.with_columns(pl.col("said_at").dt.replace_time_zone("UTC"), found=pl.col("words").str.split(" "))
    kept = rows.filter(pl.col("source") != "turn")
    chosen = (rows if kept.is_empty() else kept).sort("key").head(OF_PERIOD)
    corpus = Corpus(len(documents), 1.0, {})
    return Found(chosen.select(*COLUMNS, "found").to_dicts(), corpus, None, _heard(documents, question))


def _heard(documents: pl.DataFrame, question: Question) -> Heard:
    wanted, beginnings = looked_up(question)
    said = documents.select(pl.col("words").str.split(" ").list.unique().explode().alias("word")).group_by("word").len()
    frequency = dict(said.filter(pl.col("word").is_in(sorted(wanted))).iter_rows())
    return Heard(frequency, frozenset(one for one in beginnings if said["word"].str.starts_with(one).any()))
