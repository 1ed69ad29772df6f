"""Fits the weights by which a title is chosen, each person left out for the figures.

    python -m benchmarks.learning.topics.titles

`title_rows.npz` holds no words: the features of 1,111 candidates of 178 topics (sixteen made people, three sets of real
sessions), whether one reader found that a candidate says what its topic was about, and whether the title of rules did. Printed
are the topics whose title does, of made people and of real sessions, and the weights for `transforms.offline.topics.choose`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.arguments import make_parser

ROWS_FILE = Path(__file__).with_name("title_rows.npz")
STEPS, RATE, HALVED_AFTER, RIDGE, REAL_WEIGHT = 200, 0.08, 80, 2.0, 2
Array = npt.NDArray[np.float64]
Topic = tuple[Array, Array]
"""The features of the candidates of a topic (candidates, features), and which of them are good."""


def fit_weights(topics: Sequence[Topic]) -> Array:
    """Return the weights under which a good candidate is likeliest the best of its topic (softmax within topics, Adam)."""
    topics = [topic for topic in topics if topic[1].any()]
    features, good = np.vstack([rows for rows, _ in topics]), np.concatenate([marks for _, marks in topics])
    of = np.repeat(np.arange(len(topics)), [len(marks) for _, marks in topics])
    weights, mean, spread, rate = np.zeros(features.shape[1]), np.zeros(features.shape[1]), np.zeros(features.shape[1]), RATE
    for step in range(1, STEPS + 1):
        scores = features @ weights
        highest = np.full(len(topics), -np.inf)
        np.maximum.at(highest, of, scores)
        shares = np.exp(scores - highest[of])
        all_shares, good_shares = np.bincount(of, shares), np.bincount(of, shares * good)
        gradient = RIDGE * weights - features.T @ (shares * good / good_shares[of] - shares / all_shares[of])
        mean, spread = 0.9 * mean + 0.1 * gradient, 0.99 * spread + 0.01 * gradient**2
        weights = weights - rate * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-8)
        rate /= 2 if step % HALVED_AFTER == 0 else 1
    return weights


def main() -> int:
    """Print the figures and the weights."""
    make_parser(__doc__).parse_args()
    with np.load(ROWS_FILE, allow_pickle=False) as arrays:
        rows: dict[str, Any] = dict(arrays)
    topics = [
        (rows["features"][rows["topic"] == number].astype(np.float64), rows["good"][rows["topic"] == number].astype(np.float64))
        for number in range(len(rows["person"]))
    ]
    copies = np.where(rows["is_real"], REAL_WEIGHT, 1)
    named = np.zeros(len(topics), bool)
    for person in np.unique(rows["person"]):
        known = [
            topic for topic, of, times in zip(topics, rows["person"], copies, strict=True) if of != person for _ in range(times)
        ]
        weights = fit_weights(known)
        for number in np.flatnonzero(rows["person"] == person):
            features, good = topics[number]
            named[number] = bool(good[(features @ weights).argmax()])
    figures = {
        group: {"topics": int(own.sum()), "rules": int(rows["ruled_good"][own].sum()), "weights": int(named[own].sum())}
        for group, own in (("made", ~rows["is_real"]), ("real", rows["is_real"]))
    }
    fitted = fit_weights([topics[number] for number in np.repeat(np.arange(len(topics)), copies)])
    chosen = {str(name): round(float(weight), 2) for name, weight in zip(rows["names"], fitted, strict=True)}
    print(json.dumps(figures | {"fitted": chosen}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
