"""The best set of boundaries: evidence at each possible place, against how long topics usually are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lengths:
    """Log-normal prior of a topic's length in units: its median, and the standard deviation of the logarithm."""

    typical: float
    spread: float = 0.8


def best_cuts(count: int, evidence: Mapping[int, float], lengths: Lengths) -> list[int]:
    """First units of the segments of `count` units, 0 first.

    Maximises the sum of the evidence of the chosen places and of the log prior of the segments' lengths (dynamic
    programming, exact; ties go to the earlier place).
    """
    if count == 0:
        return []
    places = [0, *sorted(at for at in evidence if 0 < at < count), count]
    best = [0.0]
    back = [0]
    for index in range(1, len(places)):
        end = places[index]
        scores = [best[earlier] + _log_prior(end - places[earlier], lengths) for earlier in range(index)]
        top = max(range(index), key=lambda earlier: (scores[earlier], -earlier))
        best.append(scores[top] + evidence.get(end, 0.0))
        back.append(top)
    starts = []
    index = len(places) - 1
    while index:
        index = back[index]
        starts.append(places[index])
    return starts[::-1]


def _log_prior(length: int, lengths: Lengths) -> float:
    return -((math.log(length / lengths.typical) / lengths.spread) ** 2) / 2
