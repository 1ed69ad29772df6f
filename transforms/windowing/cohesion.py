"""How much the words before a place differ from the words after it.

Block comparison of TextTiling (Hearst 1997) on weighted words: log frequency times inverse document frequency within
the text at hand, so that what is said everywhere in a session says nothing about its topics.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
Unit = TypeVar("Unit")


def weighted(bags: Sequence[Counter[str]]) -> list[dict[str, float]]:
    """Weights of each unit's words."""
    documents = Counter(word for bag in bags for word in bag)
    rarity = {word: math.log(1 + len(bags) / count) for word, count in documents.items()}
    return [{word: (1 + math.log(count)) * rarity[word] for word, count in bag.items()} for bag in bags]


def breaks_at(units: Sequence[dict[str, float]], positions: Sequence[int], reach: int) -> list[float]:
    """For each position 1 − cosine of the `reach` units with words before it and from it on; 1 when a side has none."""
    return [1 - _cosine(_sum(before), _sum(after)) for before, after in _sides(units, positions, reach)]


def vector_breaks_at(vectors: Sequence[Vector | None], positions: Sequence[int], reach: int) -> list[float]:
    """The same with one vector per unit (None where a unit says nothing)."""
    units: list[tuple[Vector, ...]] = [() if vector is None else (vector,) for vector in vectors]
    return [
        1 - _vector_cosine([unit[0] for unit in before], [unit[0] for unit in after])
        for before, after in _sides(units, positions, reach)
    ]


def word_vectors(units: Sequence[dict[str, float]]) -> list[Vector | None]:
    """The same weights as vectors, one place per word of the text at hand; None for a unit without words."""
    place = {word: at for at, word in enumerate(sorted({word for unit in units for word in unit}))}
    found: list[Vector | None] = []
    for unit in units:
        vector = np.zeros(len(place), dtype=np.float32)
        for word, weight in unit.items():
            vector[place[word]] = weight
        found.append(vector if unit else None)
    return found


def sharpness(changes: Sequence[float], around: int) -> list[float]:
    """How far each change stands out from the mean of the others up to `around` places away; 0 for a single one.

    The depth of TextTiling (Hearst 1997) with a window in place of the nearest peaks: it asks whether something changes more
    here than nearby, so that a dialogue of one subject and one of small talk need no thresholds of their own.
    """
    found = []
    for at, change in enumerate(changes):
        others = [*changes[max(0, at - around) : at], *changes[at + 1 : at + around + 1]]
        found.append(change - sum(others) / len(others) if others else 0.0)
    return found


def ties(vectors: Sequence[Vector | None], fading: float) -> list[float]:
    """For each unit from the second on its strongest cosine with an earlier one, less by 1/e every `fading` units back."""
    units = [np.zeros(1, dtype=np.float32) if vector is None else vector / (np.linalg.norm(vector) or 1) for vector in vectors]
    silent = [vector is None for vector in vectors]
    found = []
    for at in range(1, len(units)):
        earlier = [back for back in range(at) if not silent[back]] if not silent[at] else []
        found.append(max((float(units[at] @ units[back]) * math.exp((back + 1 - at) / fading) for back in earlier), default=0.0))
    return found


def _sides(units: Sequence[Unit], positions: Sequence[int], reach: int) -> Iterator[tuple[list[Unit], list[Unit]]]:
    speaking = [at for at, unit in enumerate(units) if unit]
    for position in positions:
        middle = bisect_left(speaking, position)
        before = [units[at] for at in speaking[max(0, middle - reach) : middle]]
        after = [units[at] for at in speaking[middle : middle + reach]]
        yield before, after


def _vector_cosine(before: list[Vector], after: list[Vector]) -> float:
    if not before or not after:
        return 0.0
    left, right = np.sum(before, axis=0), np.sum(after, axis=0)
    length = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / length if length else 0.0


def _sum(units: Sequence[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for unit in units:
        for word, weight in unit.items():
            total[word] = total.get(word, 0.0) + weight
    return total


def _cosine(left: dict[str, float], right: dict[str, float]) -> float:
    small, large = (left, right) if len(left) <= len(right) else (right, left)
    shared = sum(weight * large[word] for word, weight in small.items() if word in large)
    length = math.sqrt(sum(weight * weight for weight in left.values()) * sum(weight * weight for weight in right.values()))
    return shared / length if length else 0.0
