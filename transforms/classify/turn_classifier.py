"""The learned judgement of a user entry: the paragraphs that its owner typed, and the dialogue act."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from transforms.classify.features import extract_features, hash_features
from transforms.classify.linear_model import PROBABILITY_DIGITS, LinearModel
from transforms.classify.paragraphs import Paragraph, continues_points, list_paragraph_features, split_paragraphs

MIN_TYPED, MIN_TYPED_BESIDE = 0.4, 0.3
"""A paragraph below this probability was not typed; next to a typed one less will do."""
MIN_TYPED_FORMAL, MIN_TYPED_BESIDE_FORMAL = 0.3, 0.15
"""The same for an owner who writes in sentences as others do in what is pasted."""
MIN_TYPED_POINTS = 0.05
"""The same for points below typed words: their register is that of a plan or a review, whoever wrote them."""
MIN_TYPED_BY_HABITS = 0.6
"""Least probability for a message that is the owner's by their habits alone; none is somebody else's by them alone, for people
write otherwise at times."""
MIN_TYPED_INSIDE = 0.9
"""Least probability for words between pasted paragraphs: people type above or below a paste."""
JUDGED_CHARS = 40
"""A shorter entry counts as typed: it says too little to be judged, and "2" or "go" may decide everything."""
USUAL_RATES = {
    "small letter at a line": 0.656, "small letter at a sentence": 0.533, "small i": 0.332, "full stop": 0.321, "commas": 0.05,
    "capitals inside": 0.026, "marks of code": 0.018, "long sentences": 0.057,
}  # fmt: skip
"""Mean of the rates of the owners whose turns are labelled; `benchmarks/learning/train.py` prints them."""


@dataclass(frozen=True, slots=True)
class TurnClassifier:
    """Two linear models over one entry and the agent's text before it, which `benchmarks/learning` trains, and one over the
    openings of a message and of the agent's answer (`transforms.classify.retractions`), None where nothing is to be doubted;
    `reach` tells what holds for good (`transforms.classify.reach`), None where the rules of language alone say it.
    `usual_rates` are the habits of owners in general (`transforms.attribution.writing_habits`)."""

    act: LinearModel
    typed: LinearModel
    openings: LinearModel | None = None
    reach: LinearModel | None = None
    usual_rates: Mapping[str, float] = field(default_factory=USUAL_RATES.copy)

    def judge_paragraphs(
        self,
        text: str,
        before: str,
        edges: Iterable[int] = (),
        *,
        is_formal: bool = False,
        habits: Callable[[str], float] | None = None,
    ) -> list[tuple[Paragraph, bool]]:
        """Return the paragraphs of `text`, which end at the `edges`, too, each with whether the owner typed it, who may write
        formally, or have habits that move the log-odds of a paragraph by so much."""
        parts = split_paragraphs(text, edges)
        if len(text.strip()) < JUDGED_CHARS:
            return [(part, True) for part in parts]
        least, least_beside = (MIN_TYPED_FORMAL, MIN_TYPED_BESIDE_FORMAL) if is_formal else (MIN_TYPED, MIN_TYPED_BESIDE)
        probabilities = [self._judge(text, parts, number, before) for number in range(len(parts))]
        typed = _select_typed_parts(text, parts, probabilities, least, least_beside)
        if habits:
            moved = [
                move_probability(probability, habits(text[part.start : part.end]))
                for part, probability in zip(parts, probabilities, strict=True)
            ]
            by_habits = _select_typed_parts(text, parts, moved, least, least_beside)
            is_sure = any(typed) or max(moved) >= MIN_TYPED_BY_HABITS
            typed = by_habits if any(by_habits) and is_sure else typed
        return list(zip(parts, typed, strict=True))

    def predict_act(self, typed: str, before: str) -> dict[str, float]:
        """Return the probability of each act of the typed words: guidance, decision, correction, request, question …"""
        return self.act.predict(hash_features(extract_features(typed, before)))

    def _judge(self, text: str, parts: list[Paragraph], number: int, before: str) -> float:
        return self.typed.predict(hash_features(list_paragraph_features(text, parts, number, before)))["typed"]


def _select_typed_parts(
    text: str, parts: Sequence[Paragraph], probabilities: Sequence[float], least: float, least_beside: float
) -> list[bool]:
    """Return for each paragraph whether its owner typed it, by the probabilities, its neighbours and the points of a list."""
    typed = select_typed(probabilities, least)
    _add_neighbours(typed, probabilities, least_beside)
    for number in range(1, len(parts)):
        is_likely = typed[number - 1] and probabilities[number] >= MIN_TYPED_POINTS
        typed[number] |= is_likely and continues_points(text, parts[number - 1], parts[number])
    return typed


def move_probability(probability: float, log_odds: float) -> float:
    """Return a probability whose log-odds are moved by `log_odds`, rounded as those of the model."""
    certain = 10.0**-PROBABILITY_DIGITS
    odds = math.log(max(certain, probability) / max(certain, 1 - probability))
    return round(1 / (1 + math.exp(-odds - log_odds)), PROBABILITY_DIGITS)


def _add_neighbours(typed: list[bool], probabilities: Sequence[float], least: float) -> None:
    """Mark paragraphs of at least this probability as typed that stand next to typed ones, in both directions."""
    for order in (range(1, len(typed)), range(len(typed) - 2, -1, -1)):
        for number in order:
            typed[number] |= typed[number - order.step] and probabilities[number] >= least


def select_typed(probabilities: Sequence[float], min_typed: float = MIN_TYPED) -> list[bool]:
    """Return for each paragraph of an entry whether its owner typed it, from the probabilities in order.

    A run of typed paragraphs that neither begins nor ends the entry needs a probability of MIN_TYPED_INSIDE in one of them.
    """
    typed = [probability >= min_typed for probability in probabilities]
    start = 0
    while start < len(typed):
        end = start
        while end < len(typed) and typed[end] == typed[start]:
            end += 1
        is_inside = typed[start] and start > 0 and end < len(typed)
        if is_inside and max(probabilities[start:end]) < MIN_TYPED_INSIDE:
            typed[start:end] = [False] * (end - start)
        start = end
    return typed
