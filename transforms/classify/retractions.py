"""Judges how likely an agent's words fall with the message behind them, by that message and by the agent's answer to it.

Form alone (`transforms.classify.objections`) does not tell "it wasnt" from thanks, nor a question that doubts ("did you boot
it?") from any other. How the agent answers does: it takes its words back, mostly in its first ones. Which openings do so is
learned, and no single word decides.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from transforms.classify.features import SparseVector
from transforms.classify.linear_model import LinearModel
from transforms.classify.objections import ObjectionWeights, judge_objection
from transforms.patterns.late_pattern import compile_late

OPENING_BITS = 12
"""Feature slots are 2**OPENING_BITS: few turns teach them."""
STANDS, FALLS = "stands", "falls"
"""The labels of the model of openings."""
ANSWER_CHARS, TYPED_CHARS, OPENING_TOKENS = 48, 60, 8
"""The beginnings of an answer and of a message that count, and their words and marks."""
PLACED_ANSWER, PLACED_TYPED = 3, 2
"""First words whose place counts, too."""
FORM_WEIGHTS = ObjectionWeights(-3.18, 0.49, -0.2, -0.74, 1.57, -1.19, 2.17, -0.62, 0.34, 0.57)
OPENING_WEIGHT = 0.89
"""Of the form of the two messages, and of the log-odds of the openings; `benchmarks/distil/retractions.py` fits both."""
LEAST_CHANCE = 1e-4
"""Openings never seem surer than this."""
MIN_RETRACTION, MIN_RETRACTION_UNREAD = 0.6, 0.15
"""From these probabilities on an agent's words are doubted; the lower one where no rule reads the person's language, which keeps
little of the agent's words anyway."""

_TOKEN = compile_late(r"\w+|[^\w\s]")


def hash_openings(typed: str, answer: str) -> SparseVector:
    """Return the hashed words and marks with which a typed message and the agent's answer to it begin."""
    names = dict.fromkeys([*_list_opening(answer, "answer", ANSWER_CHARS, PLACED_ANSWER), *_list_opening(typed, "typed")])
    slots = sorted({zlib.crc32(name.encode()) & ((1 << OPENING_BITS) - 1) for name in names})
    return np.array(slots, np.int64), np.ones(len(slots), np.float32)


def _list_opening(text: str, side: str, chars: int = TYPED_CHARS, placed: int = PLACED_TYPED) -> Iterator[str]:
    tokens = _TOKEN.findall(text.strip().lower()[:chars])[:OPENING_TOKENS]
    yield from (f"{side} {place}: {token}" for place, token in enumerate(tokens[:placed]))
    yield from (f"{side}: {token}" for token in tokens)
    if side == "answer":
        yield from (f"pair: {first} {second}" for first, second in pairwise(tokens))


def judge_openings(typed: str, answer: str, openings: LinearModel) -> float:
    """Return the log-odds, by their openings alone, that the agent's words before a message fall with it."""
    chance = min(max(openings.predict(hash_openings(typed, answer))[FALLS], LEAST_CHANCE), 1 - LEAST_CHANCE)
    return math.log(chance / (1 - chance))


def judge_retraction(
    features: Sequence[float],
    log_odds: float,
    weights: ObjectionWeights = FORM_WEIGHTS,
    opening_weight: float = OPENING_WEIGHT,
) -> float:
    """Return the probability that an agent's words fall with the message behind them.

    Args:
        features: the form of the message (`describe_objection`).
        log_odds: what the openings of the message and of its answer say.
        weights: of the form.
        opening_weight: of the openings.
    """
    return judge_objection(features, weights._replace(bias=weights.bias + opening_weight * log_odds))
