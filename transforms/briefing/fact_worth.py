"""The learned judgement of a fact that rules observed: how likely it is worth reading weeks later, and still holds.

A logistic model over the form of a row: its length, its kind, whether an agent says it, whether it needs what it was said about,
how many facts are of later days. No feature is a word. `benchmarks/pages/briefing_facts.py` fits the weights on rows that readers
of ten people's sessions judged, and measures the briefings of each person with weights that never saw the person.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from transforms.language.sentences import find_content_words, split_sentences
from transforms.language.statement import parse_statement
from transforms.tables.enums import CAUSE_KINDS, WISH_KINDS
from transforms.tables.tokens import count_tokens
from transforms.tables.window_tables import ObservationRow


class WorthWeights(NamedTuple):
    """Log-odds that a fact is worth reading and holds, as weights of its features."""

    bias: float
    tokens: float
    """Of the logarithm of its length: what is short seldom tells its subject."""
    is_agents: float
    has_about: float
    """It leans on what it was said about, which stands behind it."""
    is_standing: float
    """A rule, a preference or a convention."""
    settles: float
    """A decision, a change of state, or something turned down."""
    corrects: float
    is_cause: float
    """A root cause, a fix or a cure."""
    asks: float
    """A question, whatever answer stands behind it."""
    age: float
    """Of the share of the page's facts that are of later days: it is more often replaced."""


WORTH_WEIGHTS = WorthWeights(-3.28, 1.12, -1.19, -0.87, 1.81, 0.29, 0.37, 1.29, -1.47, -1.21)
LEAST_NAMING, MOST_NAMING = 2, 12
"""Content words beside its number of a sentence that gives a value; one with more is about more than that."""
PROBABILITY_DIGITS = 6
"""Probabilities are rounded, so that the last bits of a processor decide nothing."""
_KINDS = (
    WISH_KINDS,
    {"decision", "state_change", "rejected"},
    {"correction"},
    CAUSE_KINDS,
    {"question"},
)


def describe_fact(row: ObservationRow) -> tuple[float, ...]:
    """Return the features of a row, in the order of `WorthWeights`, without its age: that depends on the page."""
    return (
        math.log1p(count_tokens(row["text"])),
        float(row["origin"] in {"agent", "tool"}),
        float("(about: " in row["text"]),
        *(float(row["kind"] in kinds) for kinds in _KINDS),
    )


def gives_value(text: str) -> bool:
    """Whether a sentence of a fact gives something a number: it has one, and names what it is of in a few words."""
    for sentence in split_sentences(text):
        words = {word for word in find_content_words(sentence) if not any(map(str.isdigit, word))}
        if LEAST_NAMING <= len(words) <= MOST_NAMING and parse_statement(sentence).numbers:
            return True
    return False


def judge_fact(features: Sequence[float], age: float, weights: WorthWeights = WORTH_WEIGHTS) -> float:
    """Return the probability that a fact with these features is worth reading, of which `age` is the age."""
    log_odds = weights.bias + math.fsum(map(math.prod, zip(weights[1:], (*features, age), strict=True)))
    return round(1 / (1 + math.exp(-log_odds)), PROBABILITY_DIGITS)
