"""The forward pass of a BERT sentence encoder in numpy: embeddings, self-attention, feed-forward, pooling, unit length.

Devlin et al. 2018; pooling after Reimers and Gurevych 2019. The tests compare it with mlx-embeddings and with
`effects/embedding/mlx_encoder.py`. Each text is computed alone: a BLAS adds up in another order when a matrix has more rows, so
that in a batch the last bits of a vector would depend on the other texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
HalfMatrix = npt.NDArray[np.float16]
TokenIds = npt.NDArray[np.int64]
Pooling = Literal["mean", "cls"]
Linear = tuple[Matrix, Matrix]
"""Weights as (inputs, outputs), and the bias."""

ROWS_AT_ONCE = 64
"""Rows of the feed-forward layer that GELU works on at a time, so that its intermediate results stay in the cache."""

# erf(x/√2) = tanh(x·P(x²)): minimax fit over 0…5.5 made for this module, largest error of the GELU 6.6e-8. numpy has no erf.
_GELU = (1.813925489e-09, -1.337831204e-07, 3.974069499e-06, -5.527337759e-05, -3.302673176e-05, 3.633414916e-02, 7.978842684e-01)
_GELU_END = np.float32(36.0)
"""The square of the x from which on the tanh is 1 in float32."""


@dataclass(frozen=True, slots=True)
class BertConfig:
    """The values of a model's config.json that the forward pass needs."""

    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class BertLayer:
    """One transformer layer; query, key and value share one matrix."""

    attention: Linear
    projection: Linear
    projection_norm: Linear
    widening: Linear
    narrowing: Linear
    norm: Linear


@dataclass(frozen=True, slots=True)
class BertModel:
    """A model's weights, arranged for `encode_text`."""

    config: BertConfig
    word_embeddings: Matrix
    position_embeddings: Matrix
    norm: Linear
    layers: tuple[BertLayer, ...]

    @property
    def dimensions(self) -> int:
        """Number of components of a vector of this model."""
        return int(self.word_embeddings.shape[1])


def build_model(weights: Mapping[str, Matrix], config: BertConfig, token_types: int = 1) -> BertModel:
    """Arrange the weights of a BERT checkpoint, by their names in the safetensors file, for `encode_text`.

    With two `token_types` the rows of the position embeddings are twice as many; a token of the second type has its position
    behind all of the first.

    Raises:
        KeyError: when the checkpoint lacks a weight.
    """

    def read_linear(name: str, scale: float = 1.0) -> Linear:
        """Return a layer's matrix, turned for `rows @ matrix`, and its bias, both times `scale`."""
        matrix = np.ascontiguousarray(weights[f"{name}.weight"].T.astype(np.float32, copy=False))
        bias = weights[f"{name}.bias"].astype(np.float32, copy=False)
        return (matrix, bias) if scale == 1.0 else (matrix * np.float32(scale), bias * np.float32(scale))

    def read_norm(name: str) -> Linear:
        """Return gain and shift of a layer normalisation."""
        return weights[f"{name}.weight"].astype(np.float32), weights[f"{name}.bias"].astype(np.float32)

    words = weights["embeddings.word_embeddings.weight"].astype(np.float32, copy=False)
    types = weights["embeddings.token_type_embeddings.weight"][:token_types]
    # The embedding of a token's type is part of the positions: those of the second type follow those of the first.
    positions = np.concatenate([weights["embeddings.position_embeddings.weight"] + kind for kind in types])
    layers = []
    for number in range(config.layers):
        prefix = f"encoder.layer.{number}"
        parts = (
            read_linear(f"{prefix}.attention.self.query", 1.0 / np.sqrt(words.shape[1] / config.heads)),
            read_linear(f"{prefix}.attention.self.key"),
            read_linear(f"{prefix}.attention.self.value"),
        )
        layers.append(
            BertLayer(
                (np.concatenate([part[0] for part in parts], axis=1), np.concatenate([part[1] for part in parts])),
                read_linear(f"{prefix}.attention.output.dense"),
                read_norm(f"{prefix}.attention.output.LayerNorm"),
                read_linear(f"{prefix}.intermediate.dense"),
                read_linear(f"{prefix}.output.dense"),
                read_norm(f"{prefix}.output.LayerNorm"),
            )
        )
    return BertModel(config, words, positions.astype(np.float32), read_norm("embeddings.LayerNorm"), tuple(layers))


def encode_text(model: BertModel, ids: TokenIds, pooling: Pooling) -> Matrix:
    """Return the unit vector (dimensions,) of one text from its token ids (tokens,)."""
    states = compute_states(model, ids, np.arange(len(ids)))
    return scale_to_unit(states[0] if pooling == "cls" else states.mean(axis=0))


def compute_states(model: BertModel, ids: TokenIds, positions: TokenIds) -> Matrix:
    """Return the last hidden state (tokens, dimensions) of each token; `positions` are rows of the position embeddings."""
    hidden = model.word_embeddings[ids] + model.position_embeddings[positions]
    _normalise(hidden, model.norm, model.config.epsilon)
    for layer in model.layers:
        hidden += _apply(_attend(hidden, layer.attention, model.config.heads), layer.projection)
        _normalise(hidden, layer.projection_norm, model.config.epsilon)
        wide = _apply(hidden, layer.widening)
        _gelu(wide)
        hidden += _apply(wide, layer.narrowing)
        _normalise(hidden, layer.norm, model.config.epsilon)
    return hidden


def scale_to_unit(vector: Matrix) -> Matrix:
    """Return the vector at length 1; a vector of zeros stays."""
    scaled: Matrix = (vector / np.maximum(np.sqrt(vector @ vector), np.float32(1e-9))).astype(np.float32)
    return scaled


def _apply(rows: Matrix, linear: Linear) -> Matrix:
    result: Matrix = rows @ linear[0]
    result += linear[1]
    return result


def _attend(hidden: Matrix, linear: Linear, heads: int) -> Matrix:
    tokens, width = hidden.shape
    mixed = _apply(hidden, linear).reshape(tokens, 3, heads, width // heads)
    query, key, value = (mixed[:, part].transpose(1, 0, 2) for part in range(3))
    scores: Matrix = query @ key.transpose(0, 2, 1)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    context = np.empty((tokens, heads, width // heads), dtype=np.float32)
    np.matmul(scores, value, out=context.transpose(1, 0, 2))
    return context.reshape(tokens, width)


def _normalise(rows: Matrix, norm: Linear, epsilon: float) -> None:
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
    rows *= (1.0 / np.sqrt(variance + np.float32(epsilon)))[:, None].astype(np.float32)
    rows *= norm[0]
    rows += norm[1]


def _gelu(rows: Matrix) -> None:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        square = np.minimum(part * part, _GELU_END)
        curve = square * np.float32(_GELU[0])
        for coefficient in _GELU[1:-1]:
            curve += np.float32(coefficient)
            curve *= square
        curve += np.float32(_GELU[-1])
        curve *= part
        np.tanh(curve, out=curve)
        curve += np.float32(1.0)
        curve *= np.float32(0.5)
        part *= curve
