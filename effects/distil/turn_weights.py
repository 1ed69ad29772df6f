"""The stored weights of the classifiers of turns, made by `python -m benchmarks.learning.train --write`, and of openings, made by
`python -m benchmarks.distil.retractions --write`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from transforms.classify.linear_model import LinearModel, unpack_models
from transforms.classify.turn_classifier import TurnClassifier

WEIGHTS_FILE = Path(__file__).with_name("turn_weights.npz")
OPENINGS_FILE = Path(__file__).with_name("opening_weights.npz")


@cache
def load_turn_classifier() -> TurnClassifier:
    """Return the classifier that the offline engine asks; loaded once per process."""
    models: dict[str, LinearModel] = {}
    for file in (WEIGHTS_FILE, OPENINGS_FILE):
        with np.load(file, allow_pickle=False) as arrays:
            models |= unpack_models(dict(arrays))
    return TurnClassifier(models["act"], models["typed"], models["openings"])
