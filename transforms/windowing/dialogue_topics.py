"""Topics of a plain dialogue: change of what is said and the search of `transforms.windowing.segments`, for turns without tools and times.

What a dialogue has instead is whose turn it is and whether it asks, answers or parts. The weights are one logistic fit over
three public development sets together, rounded to within .25, which does not show in the scores
(`benchmarks/segmentation_fit.py`); fitted on two of the sets they serve the third, too (Pk .19 instead of .14, .40 of .38, .34
of .31). `typical`, how many turns a topic usually has, is all that differs by set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from transforms.language.tokenizer import words
from transforms.windowing.cohesion import Vector, sharpness, ties, vector_breaks_at, weighted, word_vectors
from transforms.windowing.lexical_boundary_features import asks, is_answer, is_closed, staying
from transforms.windowing.segmentation import Lengths, best_cuts

REACH, AROUND, FADING = 2, 3, 4.0
"""Turns compared on each side; places a change must stand out from; turns after which a tie to an earlier one is 1/e.

A reach of 1 or 4 is worse on all three sets; 2, 4 or 6 places around and a fading of 2 to 6 differ by less than .01.
"""
WEIGHTS = {
    "change": 4.0,  # of what is said, against the places around
    "newness": 2.0,  # 1 without a tie to an earlier turn
    "served": 0.8,  # said by the side that is served
    "asks": 1.4,  # unless said by the side that serves
    "answers": -1.4,
    "closed": 1.0,  # the matter was laid down just before
    "stays": -0.4,  # words that hold on to the thing at hand
    "brief": -1.2,  # shorter than usual for who says it
}
USUAL, USUAL_OF_WORDS = 2.25, 2.5
"""Evidence that speaks neither for nor against a boundary: with vectors, and with words alone (which change more)."""
FULL_ASYMMETRY = 0.35
"""Log ratio of mean lengths from which on one side counts as served: the median is .18 in small talk, .36 and .68 in tasks."""

Vectors = Sequence[Vector | None]


def dialogue_topics(turns: Sequence[str], speakers: Sequence[str], typical: float, vectors: Vectors | None = None) -> list[int]:
    """First turns of the topics, 0 first. `vectors` (one per turn) are what is compared when given, else weighted words."""
    usual = USUAL_OF_WORDS if vectors is None else USUAL
    found = signals(turns, speakers, vectors)
    evidence = {at: sum(WEIGHTS[name] * one[at - 1] for name, one in found.items()) - usual for at in range(1, len(turns))}
    return best_cuts(len(turns), evidence, Lengths(typical))


def signals(turns: Sequence[str], speakers: Sequence[str], vectors: Vectors | None = None) -> dict[str, list[float]]:
    """What there is to weigh at each turn but the first, by the names of `WEIGHTS`."""
    compared = word_vectors(weighted([Counter(words(turn)) for turn in turns])) if vectors is None else vectors
    places = range(1, len(turns))
    asymmetry = _asymmetry(turns, speakers)
    served = [asymmetry if speakers[at] == "user" else 0.0 for at in places]
    serving = [0.0 if speakers[at] == "user" else asymmetry for at in places]
    lengths = _relative_lengths(turns, speakers)
    return {
        "change": sharpness(vector_breaks_at(compared, places, REACH), AROUND),
        "newness": [1 - tie for tie in ties(compared, FADING)],
        "served": served,
        "asks": [1 - serves if asks(turns[at]) else 0.0 for at, serves in zip(places, serving, strict=True)],
        "answers": [float(is_answer(turns[at - 1])) for at in places],
        "closed": [float(is_closed(turns[at], turns[at - 1], turns[at - 2] if at > 1 else "")) for at in places],
        "stays": [float(staying(turns[at])) for at in places],
        "brief": [max(0.0, -lengths[at]) for at in places],
    }


def _relative_lengths(turns: Sequence[str], speakers: Sequence[str]) -> list[float]:
    """Log of how long each turn is beside the usual turn of who says it."""
    mean = _mean_lengths(turns, speakers)
    return [math.log((1 + len(turn)) / mean[speaker]) for turn, speaker in zip(turns, speakers, strict=True)]


def _asymmetry(turns: Sequence[str], speakers: Sequence[str]) -> float:
    """How unlike the two sides are, 0 to 1: who is served says less than who serves; in small talk both say as much."""
    mean = _mean_lengths(turns, ["user" if speaker == "user" else "other" for speaker in speakers])
    if len(mean) < 2:
        return 0.0
    return min(1.0, abs(math.log(mean["user"] / mean["other"])) / FULL_ASYMMETRY)


def _mean_lengths(turns: Sequence[str], speakers: Sequence[str]) -> dict[str, float]:
    total, count = Counter[str](), Counter(speakers)
    for turn, speaker in zip(turns, speakers, strict=True):
        total[speaker] += len(turn)
    return {speaker: max(1.0, total[speaker] / count[speaker]) for speaker in count}
