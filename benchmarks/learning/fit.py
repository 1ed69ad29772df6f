"""Fits the linear models of `transforms.classify`, and logistic regressions of a few columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from transforms.classify.features import SparseVector
from transforms.classify.linear_model import LinearModel, softmax

EPOCHS, RATE, PENALTY = 15, 0.5, 1e-4
"""Passes over the examples, the size of a step, and the penalty of squared weights on the slots of an example."""
NEWTON_STEPS = 30

Columns = npt.NDArray[np.float64]


def fit_model(
    vectors: Sequence[SparseVector],
    targets: Sequence[str],
    labels: Sequence[str],
    *,
    size: int,
) -> LinearModel:
    """Fit a model by AdaGrad (Duchi et al. 2011) over shuffled examples; the same input gives the same weights.

    Args:
        vectors: hashed features of each example.
        targets: the label of each example.
        labels: all labels, in the order of the model's columns.
        size: number of feature slots.
    """
    columns = {label: column for column, label in enumerate(labels)}
    weights = np.zeros((size, len(columns)), np.float32)
    gradients = np.full_like(weights, 1e-6)
    bias = np.zeros(len(columns), np.float32)
    random = np.random.default_rng(0)
    for _ in range(EPOCHS):
        for row in random.permutation(len(vectors)):
            slots, values = vectors[row]
            error = softmax(values @ weights[slots] + bias).astype(np.float32)
            error[columns[targets[row]]] -= 1
            step = np.outer(values, error) + PENALTY * weights[slots]
            gradients[slots] += step * step
            weights[slots] -= RATE * step / np.sqrt(gradients[slots])
            bias -= 0.01 * error
    return LinearModel(tuple(labels), weights, bias)


def fit_logistic(columns: Columns, truth: Columns, ridge: float, origins: Sequence[str] = ()) -> Columns:
    """Return the bias and the weights of a logistic regression, by Newton's method.

    Rows of one of the `origins` (a person) that has many count less, by the root of their number.
    """
    columns = np.column_stack([np.ones(len(columns)), columns])
    counts = Counter(origins)
    share = np.array([counts[origin] ** -0.5 for origin in origins]) if origins else np.ones(len(truth))
    share *= len(share) / share.sum()
    weights = np.zeros(columns.shape[1])
    penalty = np.diag([1e-9, *[ridge] * (columns.shape[1] - 1)])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-columns @ weights))
        slope = columns.T @ (share * (truth - chance)) - penalty @ weights
        weights += np.linalg.solve(columns.T @ (columns * (share * chance * (1 - chance))[:, None]) + penalty, slope)
    return weights


def round_weights(weights: Columns) -> list[float]:
    """Return weights as modules have them."""
    return [round(float(weight), 2) for weight in weights]
