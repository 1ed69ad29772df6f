"""Inference of a multinomial logistic regression over hashed features, in numpy; `benchmarks/learning` trains the weights."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.features import SparseVector

PROBABILITY_DIGITS = 5


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Weights (slots, labels), a bias per label, and the labels in the order of the columns."""

    labels: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    def predict(self, vector: SparseVector) -> dict[str, float]:
        """Return the probability of each label, rounded so that the last bits of a processor decide nothing."""
        slots, values = vector
        probabilities = np.round(softmax(values @ self.weights[slots] + self.bias), PROBABILITY_DIGITS)
        return dict(zip(self.labels, probabilities.tolist(), strict=True))


def softmax(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return probabilities along the last axis."""
    exponents = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True))


def hash_weights(model: LinearModel) -> str:
    """Return a short hash that another fit of a model does not have."""
    return f"{zlib.crc32(model.weights.astype(np.float16).tobytes()):08x}"


def pack_models(models: Mapping[str, LinearModel]) -> dict[str, npt.NDArray[np.generic]]:
    """Return models as named arrays for one `.npz` file; weights are rounded to float16, all-zero slots are left out.

    `benchmarks/learning` writes it.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name, model in models.items():
        weights = model.weights.astype(np.float16)
        used = np.flatnonzero(np.abs(weights).max(axis=1) > 0).astype(np.uint16 if len(weights) <= 1 << 16 else np.uint32)
        arrays |= {f"{name}.labels": np.array(model.labels), f"{name}.size": np.array(len(weights))}
        arrays |= {f"{name}.slots": used, f"{name}.weights": weights[used], f"{name}.bias": model.bias}
    return arrays


def unpack_models(arrays: Mapping[str, npt.NDArray[np.generic]]) -> dict[str, LinearModel]:
    """Return the models that `pack_models` made into arrays."""
    models = {}
    for name in sorted({key.partition(".")[0] for key in arrays}):
        packed = np.asarray(arrays[f"{name}.weights"], np.float32)
        weights = np.zeros((int(arrays[f"{name}.size"]), packed.shape[1]), np.float32)
        weights[np.asarray(arrays[f"{name}.slots"], np.int64)] = packed
        labels = tuple(str(label) for label in arrays[f"{name}.labels"])
        models[name] = LinearModel(labels, weights, np.asarray(arrays[f"{name}.bias"], np.float32))
    return models
