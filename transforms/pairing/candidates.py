"""Chooses the earlier facts that a new fact may replace or restate: widely, because a model decides.

A fact and its replacement share a subject but often no word ("yew" → "we're on htmx now"), so the nearest by vector are joined
with the nearest by rare words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.language.statement import profile_words
from transforms.memory.supersession import PERSONAL_KINDS, RETIRED_BY
from transforms.tables.enums import FactKind

BY_VECTOR, BY_WORDS = 5, 3
"""Earlier facts that each new one is compared with: the nearest by vector and by shared rare words."""
MIN_COSINE = 0.1
_WORK_LOG = frozenset({"file_change", "progress"})
COMPARED_KINDS = (frozenset(RETIRED_BY) | {"task", "correction", "root_cause"}) - _WORK_LOG
"""Kinds that hold until something else does. An event stays true, a question asserts nothing, and the log of an agent's work
would fill the night's pairs."""
_PERSON_KINDS = frozenset({"preference", "rule", "correction", "decision", "convention"})


class PairRow(NamedTuple):
    """A fact as it is compared with others."""

    id: str
    kind: FactKind
    project: str
    said_at: datetime
    text: str


class CandidatePair(NamedTuple):
    """Two facts that may replace or restate each other; `newer` was said later."""

    older: PairRow
    newer: PairRow


def choose_pairs(
    rows: Sequence[PairRow], new: Collection[str], vectors: NDArray[np.float32] | None = None
) -> dict[str, list[CandidatePair]]:
    """Return the id of each new row → its pairs with earlier rows, the nearest first; rows without any are left out.

    `vectors` are unit vectors of the rows in their order; without them words alone find the candidates.
    """
    words = [profile_words(row.text).content for row in rows]
    counted = Counter(word for own in words for word in own)
    weights = {word: log(1 + len(rows) / count) for word, count in counted.items()}
    sizes = [sum(weights[word] for word in own) for own in words]
    by_project: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if row.kind in COMPARED_KINDS:
            for scope in {row.project, *(("*",) if row.kind in PERSONAL_KINDS else ())}:
                by_project.setdefault(scope, []).append(at)
    chosen: dict[str, list[CandidatePair]] = {}
    wanted = frozenset(new)
    for at, row in enumerate(rows):
        if row.id not in wanted or row.kind not in COMPARED_KINDS:
            continue
        scopes = [row.project, *(["*"] if row.kind in PERSONAL_KINDS else [])]
        earlier = sorted({other for scope in scopes for other in by_project.get(scope, ()) if _may_pair(rows[other], row)})
        near = _rank_by_vector(at, earlier, vectors)
        alike = _rank_by_words(at, earlier, words, weights, sizes)
        if nearest := dict.fromkeys([*near[:BY_VECTOR], *alike[:BY_WORDS]]):
            chosen[row.id] = [CandidatePair(rows[other], row) for other in nearest]
    return chosen


def _may_pair(older: PairRow, newer: PairRow) -> bool:
    """Whether the second was said after the first and may speak about it: a person's rule yields to a person only."""
    if (older.said_at, older.id) >= (newer.said_at, newer.id):
        return False
    return older.kind not in PERSONAL_KINDS or newer.kind in _PERSON_KINDS


def _rank_by_vector(at: int, others: Sequence[int], vectors: NDArray[np.float32] | None) -> list[int]:
    if vectors is None or not len(vectors) or not others:
        return []
    cosines = np.round(vectors[list(others)] @ vectors[at], 4)
    ranked = sorted(zip(cosines, others, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return [other for cosine, other in ranked if cosine >= MIN_COSINE]


def _rank_by_words(
    at: int,
    others: Sequence[int],
    words: Sequence[Collection[str]],
    weights: dict[str, float],
    sizes: Sequence[float],
) -> list[int]:
    own = frozenset(words[at])
    scores = {
        other: round(sum(weights[word] for word in shared) / sqrt(sizes[at] * sizes[other]), 6)
        for other in others
        if (shared := own & frozenset(words[other]))
    }
    return sorted(scores, key=lambda other: (-scores[other], other))
