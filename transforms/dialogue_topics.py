"""Topics of a plain dialogue: the evidence and the search of `transforms.segments`, for turns without tools and times.

What a dialogue has instead is whose turn it is and whether it answers a question. The weights are rounded from one logistic
fit over three public development sets together; `typical`, how many turns a topic usually has, is all that differs by set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from transforms.breaks import ACKNOWLEDGING, FOLLOWING, SHORT_WORDS, follows_on
from transforms.cohesion import Vector, breaks_at, vector_breaks_at, weighted
from transforms.topic_cuts import Lengths, best_cuts
from transforms.words import words

REACH = 2
"""Turns compared on each side: 1 is worse on all three sets, 4 on two of them."""
COHESION = 8.0
USUAL_BREAK, USUAL_WORD_BREAK = 0.95, 1.08
"""Change at which it speaks neither for nor against a boundary: with vectors, and with words alone (which change more)."""
ASKED_BY_USER, ASKS, ANSWERS = 2.0, 0.5, -1.0
FULL_ASYMMETRY = 0.35
"""Log ratio of mean lengths from which on one side counts as served: the median is .18 in small talk, .36 and .68 in tasks."""


def dialogue_topics(
    turns: Sequence[str], speakers: Sequence[str], typical: float, vectors: Sequence[Vector | None] | None = None
) -> list[int]:
    """First turns of the topics, 0 first. `vectors` (one per turn) count half when given, words alone otherwise."""
    places = list(range(1, len(turns)))
    changes = breaks_at(weighted([Counter(words(turn)) for turn in turns]), places, REACH)
    usual = USUAL_WORD_BREAK
    if vectors is not None:
        other = vector_breaks_at(vectors, places, REACH)
        changes = [(mine + theirs) / 2 for mine, theirs in zip(changes, other, strict=True)]
        usual = USUAL_BREAK
    asking = ASKED_BY_USER * _asymmetry(turns, speakers)
    evidence = {
        at: COHESION * (change - usual) + _opening(turns[at], turns[at - 1]) + (asking if speakers[at] == "user" else 0.0)
        for at, change in zip(places, changes, strict=True)
    }
    return best_cuts(len(turns), evidence, Lengths(typical))


def _opening(turn: str, before: str) -> float:
    is_short = len(turn.split()) <= SHORT_WORDS
    said = ACKNOWLEDGING if is_short else FOLLOWING if follows_on(turn) else 0.0
    return said + (ASKS if "?" in turn else 0.0) + (ANSWERS if before.rstrip().endswith("?") else 0.0)


def _asymmetry(turns: Sequence[str], speakers: Sequence[str]) -> float:
    """How unlike the two sides are, 0 to 1: who is served says less than who serves; in small talk both say as much."""
    lengths = {True: [1], False: [1]}
    for turn, speaker in zip(turns, speakers, strict=True):
        lengths[speaker == "user"].append(len(turn))
    ratio = (sum(lengths[True]) / len(lengths[True])) / (sum(lengths[False]) / len(lengths[False]))
    return min(1.0, abs(math.log(ratio)) / FULL_ASYMMETRY)
