"""Fits the linear models of `transforms.classify`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transforms.classify.features import SparseVector
from transforms.classify.linear_model import LinearModel, softmax


def fit_model(
    vectors: Sequence[SparseVector],
    targets: Sequence[str],
    labels: Sequence[str],
    *,
    size: int,
    penalty: float = 1e-4,
    epochs: int = 15,
    rate: float = 0.5,
) -> LinearModel:
    """Fit a model by AdaGrad (Duchi et al. 2011) over shuffled examples; the same input gives the same weights.

    Args:
        vectors: hashed features of each example.
        targets: the label of each example.
        labels: all labels, in the order of the model's columns.
        size: number of feature slots.
        penalty: of squared weights, on the slots of an example.
        epochs: passes over the examples.
        rate: step size.
    """
    columns = {label: column for column, label in enumerate(labels)}
    weights = np.zeros((size, len(columns)), np.float32)
    gradients = np.full_like(weights, 1e-6)
    bias = np.zeros(len(columns), np.float32)
    random = np.random.default_rng(0)
    for _ in range(epochs):
        for row in random.permutation(len(vectors)):
            slots, values = vectors[row]
            error = softmax(values @ weights[slots] + bias).astype(np.float32)
            error[columns[targets[row]]] -= 1
            step = np.outer(values, error) + penalty * weights[slots]
            gradients[slots] += step * step
            weights[slots] -= rate * step / np.sqrt(gradients[slots])
            bias -= 0.01 * error
    return LinearModel(tuple(labels), weights, bias)
