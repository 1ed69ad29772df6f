"""The order of what was found: a weighted sum of signs (`transforms/recall/ranking_features.py`), then what a row is and what was asked for.

Candidates come from the index; everything here is exact over them, so that the order does not depend on how an index
approximates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.recall.query import Question
from transforms.recall.ranking_features import NEIGHBOURS, Corpus, Floats, Vectors, neighbours, signals

__all__ = ["NEIGHBOURS", "Corpus", "Ranked", "Vectors", "factors", "folded", "neighbours", "rank"]

WEIGHTS = {
    "words": 5.0,
    "meaning": 10.0,
    "session": 3.0,
    "length": 0.9,
    "speaker": 0.9,
    "asking": -2.2,
    "answering": 0.75,
    "time": 1.5,
    "number": 1.0,
    "row": 4.5,
}
"""How much each sign counts. Fitted on 495 questions about dialogues (`benchmarks/rank_fit.py`: the top-one loss of ListNet,
Cao et al. 2007) and rounded; `row`, the logarithm of `factors`, by 72 questions about two coding sessions, where 6 lost four
points. Recall@5/10/25/50, NDCG@10, session any@5 and multi-hop recall@10 of reciprocal rank fusion before:
72.4/81.6/89.5/92.1, 58.5, 93.7, 42.4; fitted on two conversations and asked on the third: 78.0/85.5/91.3/93.7, 68.1, 96.6,
49.7; these numbers: 77.9/86.6/91.7/94.3, 68.6, 96.0, 52.2. Only the weights were held out: which signs there are, `SPREAD` and
the shares of neighbours were chosen on all three. On the coding sessions, which helped to choose too, evidence among five 69
instead of 65 %, answerable from ten hits 79 instead of 64 %. Most weights a third higher or lower move the dialogues by about
a point, the 72 by up to four; what each sign is worth is printed by `benchmarks/locomo.py --ablate`. `meaning` is a plain
cosine of the bundled model."""
SPREAD = 0.2
"""For questions that ask for several things: what each better hit of the same session takes from a row; such questions do not
weigh the session either. Without it recall@10 of multi-hop questions is 50.4 instead of 52.2, of single-hop ones 93.0 instead
of 92.5."""
BELOW = 0.1
PERFECT = 24.0
"""About the sum of a perfect hit: scores are shown as a share of it."""
DATE, SUPERSEDED = 1.3, 0.5
PRIORITY = {"high": 1.1, "medium": 1.0, "low": 0.95}
SOURCE = {"memory": 1.8, "observation": 1.1}
KIND = dict.fromkeys(("decision", "state_change", "rule", "root_cause", "fix", "preference", "correction", "convention"), 1.3)
KIND |= dict.fromkeys(("file_change", "request", "task", "question", "status"), 0.6)
WANTED = 1.6
"""A fact of a kind that such questions ask for. With `KIND` (measured when ranks were fused), 5 instead of 1 of 12 questions
about planted facts are led by a fact, all 12 instead of 11 answerable from five hits. A line of MEMORY.md must not sink below
other facts, hence its 1.8, which no set measures."""
RECENCY, RECENCY_DAYS = 0.1, 90.0
SAME = 0.8
"""Share of common words from which two hits are one: the better stays."""

Row = Mapping[str, Any]


@dataclass(slots=True)  # frozen ones take three times as long to make, and each question makes 600
class Ranked:
    """A candidate (its position in the rows) with its fused score and what it was made of."""

    index: int
    score: float
    lexical: float
    cosine: float
    coverage: float


def rank(
    rows: Sequence[Row],
    question: Question,
    corpus: Corpus,
    vectors: tuple[Vectors, Vectors] | None,
    as_of: datetime,
) -> list[Ranked]:
    """The rows best first. `vectors` are the rows' (zeros where there is none) and the question's, all of unit length.

    Ties are broken by key. Rows are documents (`transforms/recall/documents.py`) with a list of their words as `found`.
    """
    found = signals(rows, question, corpus, vectors)
    scores = WEIGHTS["row"] * np.log(factors(rows, question, as_of))
    for name, values in found.weighed.items():
        scores += WEIGHTS[name] * (0.0 if question.is_list and name == "session" else 1.0) * values
    places = {row["id"]: index for index, row in enumerate(rows)}
    for index, row in enumerate(rows):
        if row["superseded_by"] in places:
            scores[index] = min(scores[index], scores[places[row["superseded_by"]]] - BELOW)
    by_key = np.array(sorted(range(len(rows)), key=[str(row["key"]) for row in rows].__getitem__), dtype=np.intp)
    if question.is_list:
        scores -= SPREAD * _better_of_session(rows, scores, by_key)
    order = _order(scores, by_key)
    order = order[found.is_related[order]]  # its session or form alone proves nothing
    shown = np.maximum(scores / PERFECT, 0.0), found.lexical, found.cosine, found.coverage
    return list(map(Ranked, order.tolist(), *(column[order].tolist() for column in shown)))


def factors(rows: Sequence[Row], question: Question, as_of: datetime) -> Floats:
    """What is mild, for each row: priority, source, age, the day that was asked for; and superseded rows sink."""
    forms = [(row["priority"], row["source"], row["kind"], bool(row["superseded_by"])) for row in rows]
    known = {form: _factor(*form, question) for form in set(forms)}
    result = np.array([known[form] for form in forms], dtype=np.float64)
    times = [row["said_at"] for row in rows]
    ages = np.array([math.inf if at is None else (as_of - at).total_seconds() for at in times], dtype=np.float64)
    result *= 1 + RECENCY * 0.5 ** (np.maximum(ages / 86_400, 0.0) / RECENCY_DAYS)
    if question.days:
        first, last = question.days
        result[[at is not None and first <= at.date() <= last for at in times]] *= DATE
    return result


def _factor(priority: str | None, source: str, kind: str | None, is_superseded: bool, question: Question) -> float:
    result = PRIORITY.get(priority or "medium", 1.0) * SOURCE.get(source, 1.0)
    if source == "observation":
        result *= KIND.get(kind or "", 1.0) * (WANTED if kind in question.kinds else 1.0)
    return result * (SUPERSEDED if is_superseded else 1.0)


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
    shorter, longer = sorted((len(one), len(other)))
    # Of 50 hits nearly all pairs differ too much in length already: 7 instead of 26 ms.
    if shorter < 3 or shorter < SAME * longer or bool(row["superseded_by"]) != bool(kept["superseded_by"]):
        return False
    if len(one & other) < SAME * len(one | other):
        return False
    return not any(char.isdigit() for word in one ^ other for char in word)


def _order(scores: Floats, by_key: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The rows best first; of those alike to nine digits that with the lower key."""
    return by_key[np.argsort(-np.rint(scores[by_key] * 1e9), kind="stable")]


def _better_of_session(rows: Sequence[Row], scores: Floats, by_key: npt.NDArray[np.intp]) -> Floats:
    """For each row the number of better ones of its session."""
    seen: dict[str, int] = {}
    found = np.zeros(len(rows))
    for index in _order(scores, by_key):
        if session := rows[index]["session_id"]:
            found[index] = seen.get(session, 0)
            seen[session] = seen.get(session, 0) + 1
    return found
