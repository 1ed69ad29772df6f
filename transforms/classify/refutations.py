"""Judges how likely a short statement of an agent falls, by what follows it: the next message, the answer and the work.

The words of the two messages alone (`transforms.classify.retractions`) find few of them, since people refute in any words ("grep
without the include"). What follows tells more: the message takes up the agent's words, and so does its answer; the same command
runs again; lines that were just written are replaced. No word decides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

MOST_JUDGED_CHARS = 300
"""Longest text of an agent that is judged: longer ones say many things, of which a message seldom refutes all, and the made-up
people of whom the weights were learned have few of them."""
MIN_REFUTATION = 0.5
"""From this probability on an agent's words are doubted."""


class Aftermath(NamedTuple):
    """What follows an agent's text, as the numbers by which it is judged; and of the weights, the log-odds of each."""

    width: float
    """The logarithm of the width of the message in letters."""
    asks: float
    repeats: float
    """The share of the agent's telling words that the message takes up."""
    openings: float
    """The log-odds that the openings of the message and of its answer give (`judge_openings`)."""
    answers: float
    """The share of the agent's telling words that the answer takes up; none where it takes up all: what is said again stands."""
    runs_again: float
    """The share of the words of the next commands that stood in the last ones."""
    ran_commands: float
    """Whether a command ran before the text."""
    replaces: float
    """The share of the lines written before it that the work behind it replaces."""
    fails: float
    """Whether the first check behind it fails."""
    hedges: float
    """Whether the text says "probably" or the like."""
    proposes: float
    concedes: float
    """Whether the answer concedes that the person is right."""
    pushes_back: float
    """Whether rules of English find an objection in the message."""
    agrees: float
    """Whether the message begins with words of agreement."""
    is_unread: float
    """Whether no rule reads the language of the person."""


AFTERMATH_BIAS = -2.38
AFTERMATH_WEIGHTS = Aftermath(0.21, 0.25, 2.92, 0.16, 2.72, 1.41, -0.54, 6.3, 1.15, 1.72, 1.02, 1.43, 1.65, -0.95, 0.63)
"""Fitted by `benchmarks/distil/refutations.py` on seven made-up people."""


def judge_refutation(after: Aftermath, bias: float = AFTERMATH_BIAS, weights: Aftermath = AFTERMATH_WEIGHTS) -> float:
    """Return the probability that an agent's text falls with what follows it."""
    odds = bias + math.fsum(weight * value for weight, value in zip(weights, after, strict=True))
    return round(1 / (1 + math.exp(-odds)), 5)
