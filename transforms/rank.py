"""The order of what was found: BM25 over a piece and over its neighbourhood, vectors, the session they lie in, fused by rank.

Candidates come from the index; everything here is exact over them, so that the order does not depend on how an index
approximates. Measured on 497 questions about dialogues (recall@5/@10): BM25 of single turns 55/64, vectors alone 35/47, BM25 of
a turn with two neighbours on each side and of itself 68/76, fused with vectors, session and speaker 72/82.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.query import Question

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

K1, B = 1.2, 0.75
"""Robertson's usual BM25 constants; nothing in our sets wanted others."""
RRF_K = 10
"""Cormack et al. (2009) use 60 for lists of thousands; ours hold hundreds, and 10 was 1–2 points better than 60."""
WEIGHTS = {"lexical": 1.0, "vector": 0.5, "session": 0.3}
"""Recall@5/@10 and NDCG@10 on the dialogues by the weight of vectors: 0.4 72.7/81.3/58.8, 0.5 72.4/81.6/58.5, 0.6 71.9/81.9/58.2,
0.7 71.0/82.1/57.4. Of 72 questions about real sessions 0.5 and 0.6 find the evidence of 48 among five,
of 50 and 52 among ten."""
NEIGHBOURS = 2
SPEAKER, DATE, SUPERSEDED = 1.15, 1.3, 0.5
PRIORITY = {"high": 1.1, "medium": 1.0, "low": 0.95}
SOURCE = {"memory": 1.5, "observation": 1.1}
KIND = dict.fromkeys(("decision", "state_change", "rule", "root_cause", "fix", "preference", "correction", "convention"), 1.3)
KIND |= dict.fromkeys(("file_change", "request", "task", "status"), 0.6)
WANTED = 1.6
"""A fact of a kind that such questions ask for. With `KIND`, 5 instead of 1 of 12 questions about planted facts are led by a
fact, all 12 instead of 11 answerable from five hits; evidence among ten of 72 questions on real sessions 53 instead of 52 (and
among five 48 instead of 48). A line of MEMORY.md must not sink below such facts, hence its 1.5, which no set measures."""
RECENCY, RECENCY_DAYS = 0.1, 90.0
SAME = 0.8
"""Share of common words from which two hits are one: the better stays."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What BM25 must know of the whole collection: how many documents, their mean length, and in how many a word occurs."""

    documents: int
    mean_words: float
    frequency: Mapping[str, int]

    def weight(self, word: str) -> float:
        """Inverse document frequency of a word, never negative."""
        known = min(self.frequency.get(word, 0), self.documents)
        return math.log(1 + (self.documents - known + 0.5) / (known + 0.5))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate (its position in the rows) with its fused score and what it was made of."""

    index: int
    score: float
    lexical: float
    cosine: float
    coverage: float


def reciprocal_rank_fusion(
    rankings: Mapping[str, Mapping[str, int]], weights: Mapping[str, float], k: int = RRF_K
) -> dict[str, float]:
    """Σ weight / (k + rank) over the lists that name a key (ranks from 1). Source: Cormack, Clarke and Büttcher 2009."""
    fused: dict[str, float] = {}
    for name in sorted(rankings):
        for key, place in rankings[name].items():
            fused[key] = fused.get(key, 0.0) + weights[name] / (k + place)
    return fused


def rank(
    rows: Sequence[Row],
    question: Question,
    corpus: Corpus,
    vectors: tuple[Vectors, Vectors] | None,
    as_of: datetime,
) -> list[Ranked]:
    """The rows best first. `vectors` are the rows' (zeros where there is none) and the question's, all of unit length.

    Ties are broken by key. Rows are documents (`transforms/documents.py`) with a list of their words as `found`.
    """
    counts = [_counts(row, question.words) for row in rows]
    near = neighbours(rows)
    own, wide, coverage = _lexical(rows, counts, near, question, corpus)
    lexical = own + wide
    cosine = _smooth(vectors[0] @ vectors[1], near).astype(np.float64) if vectors is not None else np.zeros(len(rows))
    keys = [str(row["key"]) for row in rows]
    lists = {"lexical": _order(lexical, keys), "session": _order(_session(rows, lexical), keys)}
    if vectors is not None:
        lists["vector"] = _order(np.where(vectors[0].any(axis=1), cosine, 0.0), keys)
    fused = reciprocal_rank_fusion(lists, WEIGHTS)
    best = sum(WEIGHTS[name] for name in lists) / (RRF_K + 1)
    scores = [fused.get(key, 0.0) / best * factor(row, question, as_of) for key, row in zip(keys, rows, strict=True)]
    places = {row["id"]: index for index, row in enumerate(rows)}
    for index, row in enumerate(rows):
        if row["superseded_by"] in places:
            scores[index] = min(scores[index], 0.98 * scores[places[row["superseded_by"]]])
    order = sorted(range(len(rows)), key=lambda index: (-round(scores[index], 9), keys[index]))
    return [
        Ranked(index, scores[index], float(lexical[index]), float(cosine[index]), float(coverage[index]))
        for index in order
        if keys[index] in lists["lexical"] or keys[index] in lists.get("vector", {})  # its session alone proves nothing
    ]


def neighbours(rows: Sequence[Row]) -> list[list[tuple[int, int]]]:
    """For each row the rows that were said next to it, as (row, distance 1 or 2), itself not included."""
    places = {
        (row["session_id"], row["part"], row["position"]): index for index, row in enumerate(rows) if row["position"] is not None
    }
    found = []
    for row in rows:
        steps = range(-NEIGHBOURS, NEIGHBOURS + 1) if row["position"] is not None else ()
        at = [((row["session_id"], row["part"], row["position"] + step), abs(step)) for step in steps if step]
        found.append([(places[place], distance) for place, distance in at if place in places])
    return found


def factor(row: Row, question: Question, as_of: datetime) -> float:
    """What is mild: priority, source, age, whose words, the day that was asked for; and superseded rows sink."""
    result = PRIORITY.get(row["priority"] or "medium", 1.0) * SOURCE.get(row["source"], 1.0)
    if row["source"] == "observation":
        result *= KIND.get(row["kind"], 1.0) * (WANTED if row["kind"] in question.kinds else 1.0)
    if row["superseded_by"]:
        result *= SUPERSEDED
    if row["speaker"] and row["speaker"] in question.speakers:
        result *= SPEAKER
    said_at = row["said_at"]
    if said_at is not None:
        age = max((as_of - said_at).total_seconds() / 86_400, 0.0)
        result *= 1 + RECENCY * 0.5 ** (age / RECENCY_DAYS)
        if question.days and question.days[0] <= said_at.date() <= question.days[1]:
            result *= DATE
    return result


def folded(rows: Sequence[Row], ranked: Sequence[Ranked], limit: int) -> list[tuple[Ranked, list[int]]]:
    """The first `limit` hits with near duplicates put under the better one (as positions of rows)."""
    kept: list[tuple[Ranked, list[int], set[str]]] = []
    for hit in ranked:
        found = set(rows[hit.index]["found"])
        twin = next((other for other in kept if _is_same(found, other[2], rows[hit.index], rows[other[0].index])), None)
        if twin:
            twin[1].append(hit.index)
        elif len(kept) < limit:
            kept.append((hit, [], found))
        else:
            break
    return [(hit, others) for hit, others, _ in kept]


def _is_same(one: set[str], other: set[str], row: Row, kept: Row) -> bool:
    if len(one) < 3 or len(other) < 3 or bool(row["superseded_by"]) != bool(kept["superseded_by"]):
        return False
    numbers = {word for word in one ^ other if any(char.isdigit() for char in word)}
    return not numbers and len(one & other) >= SAME * len(one | other)


def _counts(row: Row, wanted: Sequence[str]) -> dict[str, int]:
    asked = set(wanted)
    return Counter(word for word in row["found"] if word in asked)


def _lexical(
    rows: Sequence[Row],
    counts: Sequence[Mapping[str, int]],
    near: Sequence[Sequence[tuple[int, int]]],
    question: Question,
    corpus: Corpus,
) -> tuple[Floats, Floats, Floats]:
    """BM25 of each row, BM25 of it with its neighbours, and the share of the question's word weight that it covers."""
    weights = {word: corpus.weight(word) for word in question.words}
    total = sum(weights.values()) or 1.0
    own, wide, coverage = (np.zeros(len(rows)) for _ in range(3))
    for index, (row, count) in enumerate(zip(rows, counts, strict=True)):
        size = row["word_count"] or 0
        own[index] = wide[index] = _bm25(count, weights, size / corpus.mean_words)
        coverage[index] = sum(weights[word] for word in count) / total
        if row["position"] is not None:
            around: Counter[str] = Counter(count)
            for other, _ in near[index]:
                around.update(counts[other])
                size += rows[other]["word_count"] or 0
            wide[index] = _bm25(around, weights, size / (corpus.mean_words * (2 * NEIGHBOURS + 1)))
    return own, wide, coverage


def _bm25(count: Mapping[str, int], weights: Mapping[str, float], length: float) -> float:
    return sum(weights[word] * times * (K1 + 1) / (times + K1 * (1 - B + B * length)) for word, times in count.items())


def _smooth(values: npt.NDArray[Any], near: Sequence[Sequence[tuple[int, int]]]) -> Floats:
    """A turn's own similarity, a third of its neighbours' and a tenth of the next ones'."""
    share = {1: 0.3, 2: 0.1}
    return np.array(
        [value + sum(share[step] * values[other] for other, step in near[index]) for index, value in enumerate(values)]
    )


def _session(rows: Sequence[Row], lexical: Floats) -> Floats:
    """The mean of the three best scores of a row's session; a row without session (MEMORY.md) stands for itself."""
    best: dict[str, list[float]] = {}
    for row, score in zip(rows, lexical, strict=True):
        if row["session_id"]:
            best.setdefault(row["session_id"], []).append(float(score))
    means = {name: sum(sorted(scores, reverse=True)[:3]) / 3 for name, scores in best.items()}
    return np.array([means[row["session_id"]] if row["session_id"] else score for row, score in zip(rows, lexical, strict=True)])


def _order(scores: Floats, keys: Sequence[str]) -> dict[str, int]:
    """The rank of each key with a positive score, from 1; equal scores (to six digits) share a rank."""
    rounded = {key: round(float(score), 6) for key, score in zip(keys, scores, strict=True)}
    places = {
        score: place for place, score in enumerate(sorted({score for score in rounded.values() if score > 0}, reverse=True), 1)
    }
    return {key: places[score] for key, score in rounded.items() if score > 0}
