"""Chooses the title of a topic among what may name it, by learned weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transforms.exchanges.exchange import Exchange
from transforms.offline.topics.candidates import list_candidates
from transforms.offline.topics.features import FEATURES, compute_features

WEIGHTS = {
    "typed": -0.21,
    "carried": -0.56,
    "commit": 0.66,
    "heading": -0.02,
    "asks": 0.76,
    "question": -0.26,
    "binds": 0.41,
    "corrects": -0.68,
    "names_speaker": -0.7,
    "points": -0.51,
    "words": 0.39,
    "rich": 0.67,
    "specifics": 1.03,
    "length": 0.91,
    "covered": 0.9,
    "begins": 0.61,
    "late": -0.74,
    "ruled": 1.1,
    "only_commit": 1.02,
    "result_of_change": 0.88,
    "typed_in_short": 0.3,
    "typed_first_in_short": -0.14,
    "typed_few": -0.49,
    "result_in_short": -0.89,
    "cut_result": -0.13,
}
"""What a sign of a candidate is worth (`FEATURES`), fitted by `benchmarks.learning.topics.titles`."""
SCORE_DIGITS = 6
"""Scores that differ by less are equal, so that the result does not depend on the machine."""


def choose_title(exchanges: Sequence[Exchange], ruled: str, carried: Sequence[str] = ()) -> str:
    """Return what names a topic best, of equal ones the first; `ruled`, the title that rules chose, where nothing names it.

    `carried` is what was typed before the topic and is still worked on in it.
    """
    candidates = list_candidates(exchanges, carried)
    if not candidates:
        return ruled
    weights = np.array([WEIGHTS[name] for name in FEATURES])
    scores = np.round(compute_features(candidates, exchanges, ruled) @ weights, SCORE_DIGITS)
    return candidates[int(scores.argmax())].title
