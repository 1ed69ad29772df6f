"""The learned judgement of a user entry: which paragraphs its owner typed, and what the words do."""

from __future__ import annotations

from dataclasses import dataclass

from transforms.classify.features import extract_features, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.classify.paragraphs import Paragraph, paragraph_features, paragraphs_of

MIN_TYPED = 0.2
"""A paragraph below this probability was not typed. To lose an owner's words is worse than to keep a pasted line."""
JUDGED_CHARS = 40
"""A shorter paragraph counts as typed: it says too little to be judged, and "2" or "go" may decide everything."""


@dataclass(frozen=True, slots=True)
class TurnClassifier:
    """Two linear models over one entry and the agent's text before it; `benchmarks/learning` trains them."""

    act: LinearModel
    typed: LinearModel

    def select_typed(self, text: str, before: str) -> tuple[str, str]:
        """Return the paragraphs of `text` that its owner typed, and those of other origin, each joined by blank lines."""
        parts = paragraphs_of(text)
        typed: list[str] = []
        other: list[str] = []
        for number, part in enumerate(parts):
            words = text[part.start : part.end]
            is_typed = len(words) < JUDGED_CHARS or self._typed_probability(text, parts, number, before) >= MIN_TYPED
            (typed if is_typed else other).append(words)
        return "\n\n".join(typed), "\n\n".join(other)

    def predict_act(self, typed: str, before: str) -> dict[str, float]:
        """Return the probability of each act of the typed words: guidance, decision, correction, request, question …"""
        return self.act.predict(hash_features(extract_features(typed, before)))

    def _typed_probability(self, text: str, parts: list[Paragraph], number: int, before: str) -> float:
        return self.typed.predict(hash_features(paragraph_features(text, parts, number, before)))["typed"]
