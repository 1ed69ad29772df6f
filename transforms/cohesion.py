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
