"""Choose the best set of boundaries from the evidence at each position and a prior on the length of segments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LengthPrior:
    """A log-normal prior of a topic's length in units: its median and the standard deviation of the logarithm."""

    typical: float
    spread: float = 0.8


def find_best_boundaries(count: int, evidence: Mapping[int, float], lengths: LengthPrior) -> list[int]:
    """Return the first unit of each segment of `count` units, 0 first.

    Maximises the evidence at the boundaries plus the log prior of the segment lengths by exact dynamic programming. Ties go to
    the earlier position.
    """
    if count == 0:
        return []
    places = [0, *sorted(position for position in evidence if 0 < position < count), count]
    best = [0.0]
    back = [0]
    for index in range(1, len(places)):
        end = places[index]
        scores = [best[earlier] + _compute_log_prior(end - places[earlier], lengths) for earlier in range(index)]
        top = max(range(index), key=lambda earlier: (scores[earlier], -earlier))
        best.append(scores[top] + evidence.get(end, 0.0))
        back.append(top)
    starts = []
    index = len(places) - 1
    while index:
        index = back[index]
        starts.append(places[index])
    return starts[::-1]


def _compute_log_prior(length: int, lengths: LengthPrior) -> float:
    return -((math.log(length / lengths.typical) / lengths.spread) ** 2) / 2
