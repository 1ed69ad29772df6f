"""Inference of gradient boosted trees for two classes, in numpy; `benchmarks/learning/rows.py` fits them with scikit-learn.

Friedman 2001, "Greedy function approximation: a gradient boosting machine".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PROBABILITY_DIGITS = 5
FEATURE_DIGITS = 4
"""Features are rounded before they are compared, so that the last bits of a processor decide nothing."""


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """Trees as arrays over all nodes. A node's `left` and `right` are its children, a leaf is its own child on both sides.

    `roots` are the first nodes of the trees, `value` what a leaf adds to the log-odds, `bias` the log-odds without any tree.
    """

    names: tuple[str, ...]
    """Names of the features, in the order of the columns."""
    roots: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]
    bias: float

    def predict(self, features: npt.NDArray[np.float64]) -> list[float]:
        """Return the probability of the first class for each row of `features` (rows, columns as in `names`)."""
        if not len(features):
            return []
        rounded = np.round(features, FEATURE_DIGITS).astype(np.float32)
        nodes = np.broadcast_to(self.roots, (len(rounded), len(self.roots)))
        rows = np.arange(len(rounded))[:, None]
        while True:
            below = np.where(rounded[rows, self.feature[nodes]] <= self.threshold[nodes], self.left[nodes], self.right[nodes])
            if np.array_equal(below, nodes):
                break
            nodes = below
        log_odds = self.bias + self.value[nodes].astype(np.float64).sum(axis=1)
        return [round(float(share), PROBABILITY_DIGITS) for share in 1 / (1 + np.exp(-log_odds))]


def pack_trees(trees: BoostedTrees) -> dict[str, npt.NDArray[np.generic]]:
    """Return the trees as named arrays for one `.npz` file; `benchmarks/learning` writes it."""
    return {
        "names": np.array(trees.names),
        "roots": trees.roots,
        "feature": trees.feature.astype(np.int16),
        "threshold": trees.threshold,
        "left": trees.left,
        "right": trees.right,
        "value": trees.value,
        "bias": np.array(trees.bias),
    }


def unpack_trees(arrays: Mapping[str, npt.NDArray[np.generic]]) -> BoostedTrees:
    """Return the trees that `pack_trees` made into arrays."""
    return BoostedTrees(
        tuple(str(name) for name in arrays["names"]),
        np.asarray(arrays["roots"], np.int32),
        np.asarray(arrays["feature"], np.int32),
        np.asarray(arrays["threshold"], np.float32),
        np.asarray(arrays["left"], np.int32),
        np.asarray(arrays["right"], np.int32),
        np.asarray(arrays["value"], np.float32),
        float(arrays["bias"]),
    )
