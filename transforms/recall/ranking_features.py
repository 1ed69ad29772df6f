"""What speaks for a candidate: a number for each sign, computed over all candidates of one question at once.

The signs are of four sorts: the question's words and meaning in a piece with what was said around it; the session that it lies
in; who says it and how (long or short, asking or answering); and whether it has what such a question asks for. Which of them
counts how much stands in `transforms/recall/rank.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.recall.query import NUMBER_WORDS, TIME_WORDS, Question

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]
Row = Mapping[str, Any]

K1, B = 1.2, 0.75
"""Robertson's usual BM25 constants; nothing in our sets wanted others."""
NEIGHBOURS = 2
WORDS_AROUND = {1: 0.5, 2: 0.25}
"""How much an occurrence of a word next to a piece, and next but one, counts as one in it (as with the fields of BM25F, Robertson
et al. 2004). On the dialogues NDCG@10 58.0; of BM25 with all five counted alike 45.2, of the piece alone 48.9."""
MEANING_AROUND = {1: 0.6, 2: 0.3}
"""The same for vectors, before the sum is brought to length 1: NDCG@10 35.8, of the piece's own vector 30.5."""


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
class Signals:
    """One number per candidate and sign; `weighed` has those that `transforms/recall/rank.py` weighs, by name.

    `lexical` is BM25 of the piece with its neighbourhood, `cosine` the similarity of both with the question, `coverage` the
    share of the question's word weight that the piece itself has, `is_related` whether words or meaning speak for it at all.
    """

    weighed: dict[str, Floats]
    lexical: Floats
    cosine: Floats
    coverage: Floats
    is_related: npt.NDArray[np.bool_]


def signals(rows: Sequence[Row], question: Question, corpus: Corpus, vectors: tuple[Vectors, Vectors] | None) -> Signals:
    """The signs of all candidates. `vectors` are the rows' (zeros where there is none) and the question's, of unit length."""
    beside = _beside(rows)
    counts, weights = _counts(rows, question, corpus)
    lexical = _bm25_around(rows, beside, counts, weights, corpus)
    cosine = _cosine(rows, beside, vectors) if vectors is not None else np.zeros(len(rows))
    words = lexical / max(float(lexical.max(initial=0.0)), 1e-9)
    meaning = cosine / max(float(cosine.max(initial=0.0)), 1e-9)
    asking = np.array([row["asking"] or 0.0 for row in rows])
    was_asked = np.append([float(bool(row["ends_asking"])) for row in rows], 0.0)[beside[:, NEIGHBOURS - 1]]
    weighed = {
        "words": words,
        "meaning": cosine,
        "session": _session(rows, words + meaning),
        "length": np.array([math.log1p(row["word_count"] or 0) for row in rows]),
        "speaker": np.array([float(bool(row["speaker"]) and row["speaker"] in question.speakers) for row in rows]),
        "asking": asking,
        "answering": was_asked,
        "time": _has(rows, TIME_WORDS, "time" in question.expects),
        "number": _has(rows, NUMBER_WORDS, "number" in question.expects),
    }
    coverage = (counts > 0) @ weights / (float(weights.sum()) or 1.0)
    has_vector = vectors[0].any(axis=1) if vectors is not None else np.zeros(len(rows), dtype=bool)
    return Signals(weighed, lexical, cosine, coverage, (lexical > 0) | (has_vector & (cosine > 0)))


def neighbours(rows: Sequence[Row], of: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    """For each row of `of` the rows that were said next to it, as (row, distance 1 or 2), itself not included."""
    steps = [abs(step) for step in _STEPS]
    sessions = {rows[index]["session_id"] for index in of}
    near = [index for index, row in enumerate(rows) if row["session_id"] in sessions]
    beside = _beside([rows[index] for index in near])
    found = {index: zip(places, steps, strict=True) for index, places in zip(near, beside.tolist(), strict=True)}
    return {index: [(near[place], step) for place, step in found[index] if place < len(near)] for index in of}


_STEPS = [step for step in range(-NEIGHBOURS, NEIGHBOURS + 1) if step]
_DAY_BITS = 32
"""Bits of a place that say where in its session's day it is; days that were linked reach below zero."""


def _beside(rows: Sequence[Row]) -> Places:
    """Where the pieces two before, one before, one after and two after each row are; the number of rows for none."""
    days: dict[tuple[Any, Any], int] = {}
    placed = [
        ((days.setdefault((row["session_id"], row["part"]), len(days)) << _DAY_BITS) + position, index)
        for index, row in enumerate(rows)
        if (position := row["position"]) is not None
    ]
    found = np.full((len(rows), len(_STEPS)), len(rows), dtype=np.intp)
    if not placed:
        return found
    places = dict(placed)
    _link_days(rows, days, places)
    known, at = np.array(list(places), dtype=np.int64), np.array(list(places.values()), dtype=np.intp)
    order = np.argsort(known)
    known, at = known[order], at[order]
    own, index = np.array(placed, dtype=np.int64).T
    for column, step in enumerate(_STEPS):
        nearest = np.minimum(np.searchsorted(known, own + step), len(known) - 1)
        found[index, column] = np.where(known[nearest] == own + step, at[nearest], len(rows))
    return found


def _link_days(rows: Sequence[Row], days: dict[tuple[Any, Any], int], places: dict[int, int]) -> None:
    """Where a conversation went on after midnight, the two days' positions lead on into each other."""
    for row in rows:
        if row["follows"]:
            last = int(row["follows"].rpartition(":")[2])
            session, part = row["session_id"], row["part"]
            table, _, day = part.rpartition("/")
            before = f"{table}/{date.fromisoformat(day) - timedelta(days=1)}"
            here = days.setdefault((session, part), len(days)) << _DAY_BITS
            there = days.setdefault((session, before), len(days)) << _DAY_BITS
            for step in range(NEIGHBOURS):
                if here + step in places:
                    places[there + last + 1 + step] = places[here + step]
                if there + last - step in places:
                    places[here - 1 - step] = places[there + last - step]


def _counts(rows: Sequence[Row], question: Question, corpus: Corpus) -> tuple[Floats, Floats]:
    """How often each row has each of the question's words, and the weights of these."""
    counts = np.zeros((len(rows), len(question.words)))
    known = [row.get("counts") for row in rows]
    fresh = [index for index, told in enumerate(known) if told is None]
    if len(fresh) < len(rows):
        counts[[index for index, told in enumerate(known) if told is not None]] = [told for told in known if told is not None]
    if fresh:
        counts[fresh] = counts_of([rows[index] for index in fresh], question)
    return counts, np.array([corpus.weight(word) for word in question.words])


def counts_of(rows: Sequence[Row], question: Question) -> Floats:
    """How often each row has each of the question's words; what a row has as `counts` is not counted again.

    All texts are searched as one: 1.1 ms for 600 of them, where looking at each word of each took 3.
    """
    texts = [f" {row['words']} " for row in rows]
    ends = np.cumsum([len(text) for text in texts])
    whole = "".join(texts)
    counts = np.zeros((len(rows), len(question.words)))
    for column, word in enumerate(question.words):
        places = _occurrences(whole, f" {word} ")
        counts[:, column] = np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(rows))
    return counts


def _occurrences(text: str, wanted: str) -> list[int]:
    """Where it begins; the space that ends one may begin the next."""
    found, at = [], text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + len(wanted) - 1)
    return found


def _bm25_around(rows: Sequence[Row], beside: Places, counts: Floats, weights: Floats, corpus: Corpus) -> Floats:
    sizes = np.array([float(row["word_count"] or 0) for row in rows])
    times, size = _around(counts, beside, WORDS_AROUND), _around(sizes[:, None], beside, WORDS_AROUND)[:, 0]
    usual = 1 + 2 * sum(WORDS_AROUND.values())
    spoken = np.array([row["position"] is not None for row in rows], dtype=bool)
    length = size / (corpus.mean_words * np.where(spoken, usual, 1.0))
    score: Floats = (times * (K1 + 1) / (times + (K1 * (1 - B + B * length))[:, None])) @ weights
    return score


def _cosine(rows: Sequence[Row], beside: Places, vectors: tuple[Vectors, Vectors]) -> Floats:
    """Similarity of each piece in its neighbourhood; a turn that waits for its vector counts as the usual candidate.

    Commands and failed results never get a vector: they are found by their words only, and count as far from any question.
    """
    mixed = _around(vectors[0], beside, MEANING_AROUND)
    lengths = np.sqrt(np.einsum("ij,ij->i", mixed, mixed))
    result: Floats = (mixed @ vectors[1] / np.maximum(lengths, 1e-9)).astype(np.float64)
    has_vector = vectors[0].any(axis=1)
    waits = np.array([row["position"] is not None or row["source"] != "turn" for row in rows], dtype=bool) & ~has_vector
    result[~has_vector] = 0.0
    result[waits] = result[has_vector].mean() if has_vector.any() else 0.0
    return result


def _around(values: npt.NDArray[Any], beside: Places, shares: Mapping[int, float]) -> npt.NDArray[Any]:
    """Each row with a share of its neighbours' rows."""
    result = values.copy()
    for column, step in enumerate(_STEPS):
        has = np.flatnonzero(beside[:, column] < len(values))
        result[has] += values.dtype.type(shares[abs(step)]) * values[beside[has, column]]
    return result


def _session(rows: Sequence[Row], scores: Floats) -> Floats:
    """The best score of a row's session; a row without session (MEMORY.md) stands for itself."""
    best: dict[str, float] = {}
    given = scores.tolist()
    sessions = [row["session_id"] for row in rows]
    for session, score in zip(sessions, given, strict=True):
        if session and score > best.get(session, -math.inf):
            best[session] = score
    return np.array([best[session] if session else score for session, score in zip(sessions, given, strict=True)])


def _has(rows: Sequence[Row], wanted: frozenset[str], is_asked: bool) -> Floats:
    """1 for rows with one of these words or, of numbers, with any; all 0 when nobody asks."""
    if not is_asked:
        return np.zeros(len(rows))
    return np.array([float(not wanted.isdisjoint(row["found"]) or _is_told(row["found"], wanted)) for row in rows])


def _is_told(found: Sequence[str], wanted: frozenset[str]) -> bool:
    """Digits tell a number; four of them from 1900 to 2099 tell a time."""
    if wanted is NUMBER_WORDS:
        return any(word.isdigit() for word in found)
    return any(len(word) == 4 and word.isdigit() and word[:2] in {"19", "20"} for word in found)
