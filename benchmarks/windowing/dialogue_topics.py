"""Find topics in a plain dialogue, which has turns and speakers but no tools and no timestamps.

The search is that of `transforms.windowing.segments`. The weights are one logistic fit over the public development sets
(`benchmarks/windowing/segmentation_fit.py`). `typical`, the usual number of turns of a topic, is the only parameter that differs
between sets.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.windowing.lexical_boundary_features import count_continuation_signs, is_answer, is_closed, is_question_or_request
from transforms.language.tokenizer import tokenize
from transforms.windowing.cohesion import split_sides, weigh_words
from transforms.windowing.segments import LengthPrior, find_best_boundaries

REACH, AROUND, FADING = 2, 3, 4.0
"""Turns compared on each side; neighbours a change must stand out from; turns after which a tie counts 1/e."""
WEIGHTS = {
    "change": 4.0,  # of words or vectors, against the neighbours
    "newness": 2.0,  # 1 without a tie to an earlier turn
    "served": 0.8,  # the speaker is the served side
    "asks": 1.4,  # a question or request, unless of the serving side
    "answers": -1.4,
    "closed": 1.0,  # the topic was closed just before
    "stays": -0.4,  # signs of continuation
    "brief": -1.2,  # shorter than usual for the speaker
}
VECTOR_THRESHOLD, WORD_THRESHOLD = 2.25, 2.5
"""Evidence that speaks neither for nor against a boundary, with vectors and with words (words change more)."""
FULL_ASYMMETRY = 0.35
"""Log ratio of the mean turn lengths from which one side counts fully as the served one."""

TextVector = npt.NDArray[np.float32]
Vectors = Sequence[TextVector | None]


def find_dialogue_topics(
    turns: Sequence[str], speakers: Sequence[str], typical: float, vectors: Vectors | None = None
) -> list[int]:
    """Return the first turn of each topic, 0 first. Compares `vectors` (one per turn) when given, else weighted words."""
    threshold = WORD_THRESHOLD if vectors is None else VECTOR_THRESHOLD
    features = compute_features(turns, speakers, vectors)
    evidence = {
        index: sum(WEIGHTS[name] * scores[index - 1] for name, scores in features.items()) - threshold
        for index in range(1, len(turns))
    }
    return find_best_boundaries(len(turns), evidence, LengthPrior(typical))


def compute_features(turns: Sequence[str], speakers: Sequence[str], vectors: Vectors | None = None) -> dict[str, list[float]]:
    """Return the features of each turn but the first, keyed like `WEIGHTS`."""
    compared = build_word_vectors(weigh_words([Counter(tokenize(turn)) for turn in turns])) if vectors is None else vectors
    places = range(1, len(turns))
    asymmetry = _measure_asymmetry(turns, speakers)
    served = [asymmetry if speakers[index] == "user" else 0.0 for index in places]
    serving = [0.0 if speakers[index] == "user" else asymmetry for index in places]
    lengths = _compare_lengths(turns, speakers)
    return {
        "change": measure_sharpness(measure_vector_changes(compared, places, REACH), AROUND),
        "newness": [1 - tie for tie in measure_ties(compared, FADING)],
        "served": served,
        "asks": [
            1 - serves if is_question_or_request(turns[index]) else 0.0 for index, serves in zip(places, serving, strict=True)
        ],
        "answers": [float(is_answer(turns[index - 1])) for index in places],
        "closed": [float(is_closed(turns[index], turns[index - 1], turns[index - 2] if index > 1 else "")) for index in places],
        "stays": [float(count_continuation_signs(turns[index])) for index in places],
        "brief": [max(0.0, -lengths[index]) for index in places],
    }


def _compare_lengths(turns: Sequence[str], speakers: Sequence[str]) -> list[float]:
    """Return the log ratio of each turn's length to the mean length of its speaker."""
    mean = _compute_mean_lengths(turns, speakers)
    return [math.log((1 + len(turn)) / mean[speaker]) for turn, speaker in zip(turns, speakers, strict=True)]


def _measure_asymmetry(turns: Sequence[str], speakers: Sequence[str]) -> float:
    """Return how unlike the two sides are, 0 to 1: a served speaker says less; in small talk both say as much."""
    mean = _compute_mean_lengths(turns, ["user" if speaker == "user" else "other" for speaker in speakers])
    if len(mean) < 2:
        return 0.0
    return min(1.0, abs(math.log(mean["user"] / mean["other"])) / FULL_ASYMMETRY)


def _compute_mean_lengths(turns: Sequence[str], speakers: Sequence[str]) -> dict[str, float]:
    total, count = Counter[str](), Counter(speakers)
    for turn, speaker in zip(turns, speakers, strict=True):
        total[speaker] += len(turn)
    return {speaker: max(1.0, total[speaker] / count[speaker]) for speaker in count}


def build_word_vectors(units: Sequence[dict[str, float]]) -> list[TextVector | None]:
    """Return the word weights as vectors with one dimension per word; None for a unit without words."""
    place = {word: index for index, word in enumerate(sorted({word for unit in units for word in unit}))}
    vectors: list[TextVector | None] = []
    for unit in units:
        vector = np.zeros(len(place), dtype=np.float32)
        for word, weight in unit.items():
            vector[place[word]] = weight
        vectors.append(vector if unit else None)
    return vectors


def measure_sharpness(changes: Sequence[float], around: int) -> list[float]:
    """Return how far each change stands out from the mean of its neighbours, up to `around` positions away; 0 without neighbours.

    The depth score of TextTiling (Hearst 1997) with a window instead of the nearest peaks, so that a dialogue on one subject
    and small talk need no thresholds of their own.
    """
    sharpness = []
    for index, change in enumerate(changes):
        others = [*changes[max(0, index - around) : index], *changes[index + 1 : index + around + 1]]
        sharpness.append(change - sum(others) / len(others) if others else 0.0)
    return sharpness


def measure_ties(vectors: Sequence[TextVector | None], fading: float) -> list[float]:
    """Return the strongest cosine of each unit from the second on with an earlier unit, less by 1/e per `fading` units back."""
    units = [np.zeros(1, dtype=np.float32) if vector is None else vector / (np.linalg.norm(vector) or 1) for vector in vectors]
    silent = [vector is None for vector in vectors]
    strongest = []
    for index in range(1, len(units)):
        earlier = [back for back in range(index) if not silent[back]] if not silent[index] else []
        strongest.append(
            max((float(units[index] @ units[back]) * math.exp((back + 1 - index) / fading) for back in earlier), default=0.0)
        )
    return strongest


def measure_vector_changes(vectors: Sequence[TextVector | None], positions: Sequence[int], reach: int) -> list[float]:
    """Return 1 − cosine of the sums of vectors before and after each position; None is a unit without words, of no account."""
    units: list[tuple[TextVector, ...]] = [() if vector is None else (vector,) for vector in vectors]
    return [
        1 - _compute_vector_cosine([unit[0] for unit in before], [unit[0] for unit in after])
        for before, after in split_sides(units, positions, reach)
    ]


def _compute_vector_cosine(before: list[TextVector], after: list[TextVector]) -> float:
    if not before or not after:
        return 0.0
    sum_before, sum_after = np.sum(before, axis=0), np.sum(after, axis=0)
    length = float(np.linalg.norm(sum_before) * np.linalg.norm(sum_after))
    return float(sum_before @ sum_after) / length if length else 0.0
