"""The stored weights of the classifiers of turns, made by `python -m benchmarks.learning.train --write`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from transforms.classify.linear_model import unpack_models
from transforms.classify.turn_classifier import TurnClassifier

WEIGHTS_FILE = Path(__file__).with_name("turn_weights.npz")


@cache
def load_turn_classifier() -> TurnClassifier:
    """Return the classifier that the offline engine asks; loaded once per process."""
    with np.load(WEIGHTS_FILE, allow_pickle=False) as arrays:
        models = unpack_models(dict(arrays))
    return TurnClassifier(models["act"], models["typed"])
