"""Measure how much the words before a position differ from the words after it.

The block comparison of TextTiling (Hearst 1997) on weighted words: log frequency times inverse document frequency within
the text, so that a word used throughout a session says nothing about its topics.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

Unit = TypeVar("Unit")


def weigh_words(bags: Sequence[Counter[str]]) -> list[dict[str, float]]:
    """Return the weight of each word per unit."""
    documents = Counter(word for bag in bags for word in bag)
    rarity = {word: math.log(1 + len(bags) / count) for word, count in documents.items()}
    return [{word: (1 + math.log(count)) * rarity[word] for word, count in bag.items()} for bag in bags]


def measure_word_changes(units: Sequence[dict[str, float]], positions: Sequence[int], reach: int) -> list[float]:
    """Return 1 − cosine of the `reach` units with words before and after each position; 1 when a side has none."""
    return [
        1 - _compute_word_cosine(_sum_weights(before), _sum_weights(after))
        for before, after in split_sides(units, positions, reach)
    ]


def split_sides(units: Sequence[Unit], positions: Sequence[int], reach: int) -> Iterator[tuple[list[Unit], list[Unit]]]:
    """Yield the `reach` units that say something before each position, and those from it on."""
    speaking = [index for index, unit in enumerate(units) if unit]
    for position in positions:
        middle = bisect_left(speaking, position)
        before = [units[index] for index in speaking[max(0, middle - reach) : middle]]
        after = [units[index] for index in speaking[middle : middle + reach]]
        yield before, after


def _sum_weights(units: Sequence[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for unit in units:
        for word, weight in unit.items():
            total[word] = total.get(word, 0.0) + weight
    return total


def _compute_word_cosine(before: dict[str, float], after: dict[str, float]) -> float:
    small, large = (before, after) if len(before) <= len(after) else (after, before)
    shared = sum(weight * large[word] for word, weight in small.items() if word in large)
    length = math.sqrt(sum(weight * weight for weight in before.values()) * sum(weight * weight for weight in after.values()))
    return shared / length if length else 0.0
