"""The forward pass of a BERT sentence encoder in numpy: embeddings, self-attention, feed-forward, pooling, unit length.

The same arithmetic as `mlx_embeddings.models.bert` (Devlin et al. 2018; pooling after Reimers and Gurevych 2019), which is
the reference that the tests compare it with. numpy's wheels bundle a fast BLAS where MLX's Linux wheel has none: measured
on 2 cores at 70 tokens per text, 70 texts/s here against 2 texts/s there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Pooling = Literal["mean", "cls"]

ROWS_AT_ONCE = 64
"""Rows of the feed-forward layer that GELU works on at a time: 64 × 1536 × 4 bytes stay in a 1 MB cache."""

TILE = (384, 64)
"""Inputs and outputs of one tile of a weight matrix. OpenBLAS copies a matrix of weights before each product, which for one
question takes longer than the product; up to 100³ multiplications (40 tokens here) it does without, on processors with AVX-512.
Measured at 17 tokens on one core: the products of a question 3.7 instead of 8.4 ms; with AVX2 8.7 instead of 7.9, and batches of
texts are slower, too. So only whoever asks wants tiles (`effects/system/blas_threads.py` says where)."""

# erf(x/√2) = tanh(x·P(x²)): minimax fit over 0…5.5 made for this module, largest error of the GELU 6.6e-8. numpy has no erf.
_GELU = (1.813925489e-09, -1.337831204e-07, 3.974069499e-06, -5.527337759e-05, -3.302673176e-05, 3.633414916e-02, 7.978842684e-01)


@dataclass(frozen=True, slots=True)
class BertShape:
    """What of a model's config.json the forward pass needs."""

    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer; query, key and value in one matrix, weights as (in, out), or as tiles (rows of tiles, columns of
    tiles, in, out)."""

    attention: tuple[Matrix, Matrix]
    projection: tuple[Matrix, Matrix]
    projection_norm: tuple[Matrix, Matrix]
    widen: tuple[Matrix, Matrix]
    narrow: tuple[Matrix, Matrix]
    norm: tuple[Matrix, Matrix]


@dataclass(frozen=True, slots=True)
class Bert:
    """A model's weights, arranged for `encode`."""

    shape: BertShape
    words: Matrix
    positions: Matrix
    norm: tuple[Matrix, Matrix]
    layers: tuple[Layer, ...]

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.words.shape[1])


def bert_of(weights: Mapping[str, Matrix], shape: BertShape, is_tiled: bool = False) -> Bert:
    """The weights of a BERT checkpoint, by their names in the safetensors file, arranged for `encode`; as tiles for one short
    text at a time.

    Raises:
        KeyError: when the checkpoint lacks a weight.
    """

    def linear(name: str, scale: float = 1.0) -> tuple[Matrix, Matrix]:
        matrix = weights[f"{name}.weight"].T.astype(np.float32, copy=False)
        matrix = matrix if is_tiled else np.ascontiguousarray(matrix)  # tiles are a copy anyway
        bias = weights[f"{name}.bias"].astype(np.float32, copy=False)
        # Without the copies that change nothing, loading a model of 90 MB takes half the time.
        return (matrix, bias) if scale == 1.0 else (matrix * np.float32(scale), bias * np.float32(scale))

    def arranged(part: tuple[Matrix, Matrix]) -> tuple[Matrix, Matrix]:
        return (_tiles(part[0]), part[1]) if is_tiled else part

    def norm(name: str) -> tuple[Matrix, Matrix]:
        return weights[f"{name}.weight"].astype(np.float32), weights[f"{name}.bias"].astype(np.float32)

    words = weights["embeddings.word_embeddings.weight"].astype(np.float32, copy=False)
    # Every token has type 0, so that its embedding can be part of the positions.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    layers = []
    for number in range(shape.layers):
        at = f"encoder.layer.{number}"
        query = linear(f"{at}.attention.self.query", 1.0 / np.sqrt(words.shape[1] / shape.heads))
        key, value = linear(f"{at}.attention.self.key"), linear(f"{at}.attention.self.value")
        parts = (query, key, value)
        layers.append(
            Layer(
                arranged((np.concatenate([part[0] for part in parts], axis=1), np.concatenate([part[1] for part in parts]))),
                arranged(linear(f"{at}.attention.output.dense")),
                norm(f"{at}.attention.output.LayerNorm"),
                arranged(linear(f"{at}.intermediate.dense")),
                arranged(linear(f"{at}.output.dense")),
                norm(f"{at}.output.LayerNorm"),
            )
        )
    return Bert(shape, words, positions.astype(np.float32), norm("embeddings.LayerNorm"), tuple(layers))


def encode(model: Bert, ids: Ids, mask: Matrix, pooling: Pooling) -> Matrix:
    """Unit vectors (texts, dimensions) of token ids (texts, tokens); `mask` is 1 for tokens and 0 for padding."""
    texts, tokens = ids.shape
    width = model.dimensions
    hidden = (model.words[ids] + model.positions[:tokens]).reshape(texts * tokens, width)
    _normalise(hidden, model.norm, model.shape.epsilon)
    bias = None if mask.all() else ((1.0 - mask) * np.float32(-10000.0))[:, None, None, :]
    for layer in model.layers:
        context = _attend(hidden, layer.attention, (texts, tokens, model.shape.heads), bias)
        hidden += _apply(context, layer.projection)
        _normalise(hidden, layer.projection_norm, model.shape.epsilon)
        wide = _apply(hidden, layer.widen)
        _gelu(wide)
        hidden += _apply(wide, layer.narrow)
        _normalise(hidden, layer.norm, model.shape.epsilon)
    states = hidden.reshape(texts, tokens, width)
    pooled = states[:, 0] if pooling == "cls" else (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return unit(pooled)


def unit(vectors: Matrix) -> Matrix:
    """The vectors at length 1; a vector of zeros stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    scaled: Matrix = (vectors / np.maximum(lengths, np.float32(1e-9))[:, None]).astype(np.float32)
    return scaled


def _tiles(matrix: Matrix) -> Matrix:
    """The matrix in tiles; as it is when its sides are no multiples of them."""
    (height, width), (tall, broad) = matrix.shape, TILE
    if height % tall or width % broad:
        return np.ascontiguousarray(matrix)
    return np.ascontiguousarray(matrix.reshape(height // tall, tall, width // broad, broad).transpose(0, 2, 1, 3))


def _apply(rows: Matrix, linear: tuple[Matrix, Matrix]) -> Matrix:
    matrix, bias = linear
    if matrix.ndim == 2:
        result: Matrix = rows @ matrix
    else:
        deep, wide, tall, broad = matrix.shape
        result = np.empty((len(rows), wide * broad), dtype=np.float32)
        columns = result.reshape(len(rows), wide, broad).transpose(1, 0, 2)
        if deep == 1:
            np.matmul(rows, matrix[0], out=columns)
        else:
            np.sum(rows.reshape(len(rows), deep, 1, tall).transpose(1, 2, 0, 3) @ matrix, axis=0, out=columns)
    result += bias
    return result


def _attend(hidden: Matrix, linear: tuple[Matrix, Matrix], sizes: tuple[int, int, int], bias: Matrix | None) -> Matrix:
    texts, tokens, heads = sizes
    width = hidden.shape[1]
    mixed = _apply(hidden, linear).reshape(texts, tokens, 3, heads, width // heads)
    query, key, value = (mixed[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
    scores: Matrix = query @ key.transpose(0, 1, 3, 2)
    if bias is not None:
        scores += bias
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    context = np.empty((texts, tokens, heads, width // heads), dtype=np.float32)
    np.matmul(scores, value, out=context.transpose(0, 2, 1, 3))
    return context.reshape(texts * tokens, width)


def _normalise(rows: Matrix, norm: tuple[Matrix, Matrix], epsilon: float) -> None:
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
    rows *= (1.0 / np.sqrt(variance + np.float32(epsilon)))[:, None].astype(np.float32)
    rows *= norm[0]
    rows += norm[1]


def _gelu(rows: Matrix) -> None:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        square = np.minimum(part * part, np.float32(36.0))  # beyond 6 the tanh is 1 in float32
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
