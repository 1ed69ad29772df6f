"""The stored weights that rules ask, each written by a benchmark with `--write`.

Those of turns by `benchmarks.learning.train`, of openings by `benchmarks.distil.retractions`, the trees of usefulness by
`benchmarks.learning.rows`, the model of reach by `benchmarks.distil.reach`. Those of kinds stand in `judging`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from transforms.classify.boosted_trees import BoostedTrees, unpack_trees
from transforms.classify.linear_model import LinearModel, unpack_models
from transforms.classify.turn_classifier import TurnClassifier

WEIGHTS_FILE = Path(__file__).with_name("turn_weights.npz")
OPENINGS_FILE = Path(__file__).with_name("opening_weights.npz")
TREES_FILE = Path(__file__).with_name("usefulness_weights.npz")
REACH_FILE = Path(__file__).with_name("reach_weights.npz")


@cache
def load_turn_classifier() -> TurnClassifier:
    """Return the classifier that the offline engine asks; loaded once per process."""
    models: dict[str, LinearModel] = {}
    for file in (WEIGHTS_FILE, OPENINGS_FILE, REACH_FILE):
        with np.load(file, allow_pickle=False) as arrays:
            models |= unpack_models(dict(arrays))
    return TurnClassifier(models["act"], models["typed"], models["openings"], models["reach"])


@cache
def load_usefulness_trees() -> BoostedTrees:
    """Return the trees that judge candidates of the offline engine; loaded once per process."""
    with np.load(TREES_FILE, allow_pickle=False) as arrays:
        return unpack_trees(dict(arrays))
