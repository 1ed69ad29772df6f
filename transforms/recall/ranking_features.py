"""Computes the ranking features of all candidates of one question at once.

The features are of four sorts: the question's words and meaning in a piece and in its neighbours; its session; its speaker and
form (length, question or reply); and whether it contains the expected type of answer. `transforms/recall/rank.py` weighs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.language.similarity import Vectors
from transforms.recall.question import NUMBER_WORDS, TIME_WORDS, Question
from transforms.recall.ranking_record import RankingRecord

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

BM25_K1, BM25_B = 1.2, 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""
NEIGHBOUR_REACH = 2
NEIGHBOUR_WORD_SHARE = {1: 0.5, 2: 0.25}
"""Share of a word's occurrences in a neighbour, by distance, that count for the piece (BM25F, Robertson et al. 2004)."""
NEIGHBOUR_VECTOR_SHARE = {1: 0.6, 2: 0.3}
"""Share of a neighbour's vector, by distance, in the vector of the piece, before the sum is normalised."""
LEAST_EMBEDDED = 0.5
"""Share of the rows that get a vector which must have it before the best similarity says anything about all of them."""
OWNER_ROLE = "user"
"""Speaker of the owner's words."""
TINY = 1e-9
"""Stands in for a divisor of zero."""


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The numbers that BM25 needs of the whole collection: document count, mean length, and document frequency of each word."""

    documents: int
    mean_words: float
    frequency: Mapping[str, int]

    def compute_inverse_frequency(self, word: str) -> float:
        """Return the inverse document frequency of a word, never negative."""
        frequency = min(self.frequency.get(word, 0), self.documents)
        return math.log(1 + (self.documents - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, slots=True)
class RankingFeatures:
    """One number per candidate and feature; `weighted` has the features that `transforms/recall/rank.py` weighs, by name.

    `lexical` is BM25 of the piece with its neighbours, `cosine` the similarity of both to the question, `coverage` the share of
    the question's term weight in the piece itself, `is_related` whether words or meaning match at all.
    """

    weighted: dict[str, Floats]
    lexical: Floats
    cosine: Floats
    coverage: Floats
    is_related: npt.NDArray[np.bool_]


def compute_features(
    rows: Sequence[RankingRecord], question: Question, corpus: CorpusStatistics, vectors: tuple[Vectors, Vectors] | None
) -> RankingFeatures:
    """Compute the features of all candidates.

    `vectors` are the rows' (zeros where there is none) and the question's, of unit length; None ranks by words only.
    """
    neighbours = _index_neighbours(rows)
    counts, weights = _count_terms(rows, question, corpus)
    is_echo = _cut_off_echoes(rows, neighbours)
    lexical = _score_bm25(rows, neighbours, counts, weights, corpus)
    cosine = _score_cosine(rows, neighbours, vectors) if vectors is not None else np.zeros(len(rows))
    lexical[is_echo], cosine[is_echo] = 0.0, 0.0
    relative_lexical = lexical / max(float(lexical.max(initial=0.0)), TINY)
    relative_cosine = cosine / max(float(cosine.max(initial=0.0)), TINY)
    ends_with_question = [float(bool(row["ends_with_question"])) for row in rows]
    previous = neighbours[:, _STEPS.index(-1)]
    weighted = {
        "lexical": relative_lexical,
        "semantic": cosine,
        "owner": np.array([float(row["speaker"] == OWNER_ROLE) for row in rows]),
        "session": _score_sessions(rows, relative_lexical + relative_cosine),
        "length": np.array([math.log1p(row["word_count"] or 0) for row in rows]),
        "speaker": np.array([float(bool(row["speaker"]) and row["speaker"] in question.speakers) for row in rows]),
        "question": np.array([row["question_share"] or 0.0 for row in rows]),
        "reply": np.append(ends_with_question, 0.0)[previous],
        "time": _mark_rows(rows, "time" in question.expects, _has_time),
        "number": _mark_rows(rows, "number" in question.expects, _has_number),
    }
    coverage = (counts > 0) @ weights / (float(weights.sum()) or 1.0)
    has_vector = vectors[0].any(axis=1) if vectors is not None else np.zeros(len(rows), dtype=bool)
    return RankingFeatures(weighted, lexical, cosine, coverage, (lexical > 0) | (has_vector & (cosine > 0)))


def find_neighbours(rows: Sequence[RankingRecord], indices: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    """Return, for each of these rows, its neighbours in the conversation as (row, distance 1 or 2), itself excluded."""
    distances = [abs(step) for step in _STEPS]
    sessions = {rows[index]["session_id"] for index in indices}
    near = [index for index, row in enumerate(rows) if row["session_id"] in sessions]
    table = _index_neighbours([rows[index] for index in near])
    by_row = {index: zip(others, distances, strict=True) for index, others in zip(near, table.tolist(), strict=True)}
    return {index: [(near[other], distance) for other, distance in by_row[index] if other < len(near)] for index in indices}


def find_turns_around(rows: Sequence[RankingRecord], indices: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """Return, for each of these spoken rows, the row of another turn right before it and right after it, else None."""
    sessions = {rows[index]["session_id"] for index in indices}
    near = [index for index, row in enumerate(rows) if row["session_id"] in sessions]
    table = _index_neighbours([rows[index] for index in near])
    places = {
        index: [near[other] if other < len(near) else None for other in others]
        for index, others in zip(near, table.tolist(), strict=True)
    }

    def find(index: int, steps: Sequence[int]) -> int | None:
        """Return the nearest row of another turn along these steps."""
        others = [places[index][_STEPS.index(step)] for step in steps]
        return next((other for other in others if other is not None and rows[other]["id"] != rows[index]["id"]), None)

    reach = range(1, NEIGHBOUR_REACH + 1)
    return {index: (find(index, [-step for step in reach]), find(index, list(reach))) for index in indices}


_STEPS = [step for step in range(-NEIGHBOUR_REACH, NEIGHBOUR_REACH + 1) if step]
_DAY_BITS = 32
"""Bits of a place that number the pieces of a session's day; linked days also reach below zero."""


def _index_neighbours(rows: Sequence[RankingRecord]) -> Indices:
    """Return for each row the rows two before, one before, one after and two after it; the number of rows stands for none."""
    days: dict[tuple[str | None, str], int] = {}
    placed = [
        ((days.setdefault((row["session_id"], row["part"]), len(days)) << _DAY_BITS) + position, index)
        for index, row in enumerate(rows)
        if (position := row["position"]) is not None
    ]
    table = np.full((len(rows), len(_STEPS)), len(rows), dtype=np.intp)
    if not placed:
        return table
    places = dict(placed)
    _link_days(rows, days, places)
    known, indices = np.array(list(places), dtype=np.int64), np.array(list(places.values()), dtype=np.intp)
    order = np.argsort(known)
    known, indices = known[order], indices[order]
    own, index = np.array(placed, dtype=np.int64).T
    for column, step in enumerate(_STEPS):
        nearest = np.minimum(np.searchsorted(known, own + step), len(known) - 1)
        table[index, column] = np.where(known[nearest] == own + step, indices[nearest], len(rows))
    return table


def _cut_off_echoes(rows: Sequence[RankingRecord], neighbours: Indices) -> npt.NDArray[np.bool_]:
    """Return which rows are echoes of the question, and make them nobody's neighbours: one that was answered is that of the turn
    right behind it alone."""
    is_echo, is_open = np.zeros(len(rows) + 1, dtype=bool), np.zeros(len(rows) + 1, dtype=bool)
    is_echo[:-1] = ["echo" in row for row in rows]
    is_open[:-1] = [row.get("echo") == "open" for row in rows]
    if is_echo.any():
        for column, step in enumerate(_STEPS):
            lends_nothing = is_open if step == -1 else is_echo
            neighbours[lends_nothing[neighbours[:, column]], column] = len(rows)
    return is_echo[:-1]


def _link_days(rows: Sequence[RankingRecord], days: dict[tuple[str | None, str], int], places: dict[int, int]) -> None:
    """Continue the positions of a day into the next where a conversation went on after midnight."""
    for row in rows:
        if row["follows"]:
            last = int(row["follows"].rpartition(":")[2])
            session, part = row["session_id"], row["part"]
            table, _, day = part.rpartition("/")
            day_before = f"{table}/{date.fromisoformat(day) - timedelta(days=1)}"
            start = days.setdefault((session, part), len(days)) << _DAY_BITS
            start_before = days.setdefault((session, day_before), len(days)) << _DAY_BITS
            for step in range(NEIGHBOUR_REACH):
                if start + step in places:
                    places[start_before + last + 1 + step] = places[start + step]
                if start_before + last - step in places:
                    places[start - 1 - step] = places[start_before + last - step]


def _count_terms(rows: Sequence[RankingRecord], question: Question, corpus: CorpusStatistics) -> tuple[Floats, Floats]:
    """Return how often each row contains each word of the question, and the weights of these words."""
    counts = np.zeros((len(rows), len(question.words)))
    known = [row.get("counts") for row in rows]
    uncounted = [index for index, row_counts in enumerate(known) if row_counts is None]
    if len(uncounted) < len(rows):
        counted = [index for index, row_counts in enumerate(known) if row_counts is not None]
        counts[counted] = [row_counts for row_counts in known if row_counts is not None]
    if uncounted:
        counts[uncounted] = count_question_words([rows[index] for index in uncounted], question)
    return counts, np.array([corpus.compute_inverse_frequency(word) for word in question.words])


def count_question_words(rows: Sequence[RankingRecord], question: Question) -> Floats:
    """Return how often each row contains each word of the question: a line per row, a column per word.

    All texts are searched as one string, which is faster than looking at the words of each.
    """
    texts = [f" {row['words']} " for row in rows]
    ends = np.cumsum([len(text) for text in texts])
    joined = "".join(texts)
    counts = np.zeros((len(rows), len(question.words)))
    for column, word in enumerate(question.words):
        starts = _find_occurrences(joined, f" {word} ")
        counts[:, column] = np.bincount(np.searchsorted(ends, starts, side="right"), minlength=len(rows))
    return counts


def _find_occurrences(text: str, term: str) -> list[int]:
    """Return where a term with a space on both sides starts; the space after it may be the one before the next."""
    starts, start = [], text.find(term)
    while start >= 0:
        starts.append(start)
        start = text.find(term, start + len(term) - 1)
    return starts


def _score_bm25(
    rows: Sequence[RankingRecord], neighbours: Indices, counts: Floats, weights: Floats, corpus: CorpusStatistics
) -> Floats:
    """Return BM25 of each piece with its neighbours."""
    sizes = np.array([float(row["word_count"] or 0) for row in rows])
    frequency = _add_neighbours(counts, neighbours, NEIGHBOUR_WORD_SHARE)
    size = _add_neighbours(sizes[:, None], neighbours, NEIGHBOUR_WORD_SHARE)[:, 0]
    pieces_counted = 1 + 2 * sum(NEIGHBOUR_WORD_SHARE.values())
    is_spoken = np.array([row["position"] is not None for row in rows], dtype=bool)
    length = size / (corpus.mean_words * np.where(is_spoken, pieces_counted, 1.0))
    normaliser = (BM25_K1 * (1 - BM25_B + BM25_B * length))[:, None]
    score: Floats = (frequency * (BM25_K1 + 1) / (frequency + normaliser)) @ weights
    return score


def _score_cosine(rows: Sequence[RankingRecord], neighbours: Indices, vectors: tuple[Vectors, Vectors]) -> Floats:
    """Return the similarity of each piece with its neighbours to the question.

    A piece that waits for its vector gets the mean of all candidates, and its score is corrected later
    (`blend_scores`). Commands and failed results never get a vector: they are found by their words only, and
    their similarity is zero.
    """
    mixed = _add_neighbours(vectors[0], neighbours, NEIGHBOUR_VECTOR_SHARE)
    lengths = np.sqrt(np.einsum("ij,ij->i", mixed, mixed))
    cosine: Floats = (mixed @ vectors[1] / np.maximum(lengths, TINY)).astype(np.float64)
    has_vector = vectors[0].any(axis=1)
    gets_vector = _mark_embedded_forms(rows)
    cosine[~has_vector] = 0.0
    cosine[gets_vector & ~has_vector] = cosine[has_vector].mean() if has_vector.any() else 0.0
    return cosine


def find_best_cosine(rows: Sequence[RankingRecord], vectors: tuple[Vectors, Vectors] | None) -> float | None:
    """Return the highest similarity of a row itself to the question, echoes that nobody answered left out; None while most rows
    wait for their vector.

    The best of the few that have one would be low whatever memory holds, and would look like a sign of absence.
    """
    if vectors is None:
        return None
    if np.count_nonzero(vectors[0].any(axis=1)) < LEAST_EMBEDDED * np.count_nonzero(_mark_embedded_forms(rows)):
        return None
    is_said = [row.get("echo") != "open" for row in rows]
    return float((vectors[0] @ vectors[1])[is_said].max(initial=0.0))


def mark_embedded_turns(rows: Sequence[RankingRecord]) -> npt.NDArray[np.bool_]:
    """Return which rows are turns that get a vector sooner or later."""
    return np.array([row["position"] is not None and row["source"] == "turn" for row in rows], dtype=bool)


def _mark_embedded_forms(rows: Sequence[RankingRecord]) -> npt.NDArray[np.bool_]:
    """Return which rows get a vector sooner or later: all but commands and failed results."""
    return np.array([row["position"] is not None or row["source"] != "turn" for row in rows], dtype=bool)


def _add_neighbours(values: npt.NDArray[Any], neighbours: Indices, shares: Mapping[int, float]) -> npt.NDArray[Any]:
    """Return each row's values plus a share of its neighbours' values."""
    result = values.copy()
    for column, step in enumerate(_STEPS):
        has_neighbour = np.flatnonzero(neighbours[:, column] < len(values))
        result[has_neighbour] += values.dtype.type(shares[abs(step)]) * values[neighbours[has_neighbour, column]]
    return result


def _score_sessions(rows: Sequence[RankingRecord], scores: Floats) -> Floats:
    """Return the best score in each row's session; a row without a session (MEMORY.md) stands for itself."""
    best: dict[str, float] = {}
    own = scores.tolist()
    sessions = [row["session_id"] for row in rows]
    for session, score in zip(sessions, own, strict=True):
        if session and score > best.get(session, -math.inf):
            best[session] = score
    return np.array([best[session] if session else score for session, score in zip(sessions, own, strict=True)])


def _mark_rows(rows: Sequence[RankingRecord], is_expected: bool, has_answer: Callable[[list[str]], bool]) -> Floats:
    """Return 1 for each row whose terms contain the expected type of answer; all 0 when none is expected."""
    if not is_expected:
        return np.zeros(len(rows))
    return np.array([float(has_answer(row["terms"])) for row in rows])


def _has_number(terms: list[str]) -> bool:
    """Whether a term counts something, in letters or digits."""
    return not NUMBER_WORDS.isdisjoint(terms) or any(term.isdigit() for term in terms)


def _has_time(terms: list[str]) -> bool:
    """Whether a term dates something: a word for a time, or a year from 1900 to 2099."""
    return not TIME_WORDS.isdisjoint(terms) or any(
        len(term) == 4 and term.isdigit() and term[:2] in {"19", "20"} for term in terms
    )
