"""Plain BM25, the baseline beside recall: lower-case words, no stemming, no neighbours (Robertson and Zaragoza 2009)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")


class BM25:
    """An index of texts in memory."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(_WORD.findall(text.lower())) for text in texts]
        self.lengths = [counts.total() for counts in self.counts]
        self.mean_length = sum(self.lengths) / max(len(self.lengths), 1) or 1.0
        self.frequency = Counter(word for counts in self.counts for word in counts)

    def rank(self, question: str) -> list[int]:
        """Return the numbers of the texts that share a word with the question, best first."""
        words = set(_WORD.findall(question.lower()))
        weights = {word: self._weigh(word) for word in sorted(words) if word in self.frequency}
        scores = [self._score(number, weights) for number in range(len(self.counts))]
        return sorted((number for number, score in enumerate(scores) if score > 0), key=lambda number: (-scores[number], number))

    def _weigh(self, word: str) -> float:
        return math.log(1 + (len(self.counts) - self.frequency[word] + 0.5) / (self.frequency[word] + 0.5))

    def _score(self, number: int, weights: dict[str, float]) -> float:
        length = K1 * (1 - B + B * self.lengths[number] / self.mean_length)
        counts = self.counts[number]
        return sum(weight * counts[word] * (K1 + 1) / (counts[word] + length) for word, weight in weights.items())
