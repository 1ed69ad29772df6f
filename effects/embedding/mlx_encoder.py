"""The forward pass of a BERT sentence encoder in MLX, for Apple silicon; the same arithmetic as the one in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import mlx.core as mx
import numpy as np

from transforms.embedding.bert_encoder import BertConfig, Linear, Matrix, Pooling, TokenIds, build_model, scale_to_unit


def build_mlx_encoder(weights: Mapping[str, Matrix], config: BertConfig, pooling: Pooling) -> Callable[[TokenIds], Matrix]:
    """Return a function from the token ids (tokens,) of one text to its unit vector (dimensions,).

    MLX binds arrays to a thread's stream: only the thread that called this may call the function.

    Raises:
        KeyError: when the checkpoint lacks a weight.
    """
    model = build_model(weights, config)
    words, positions = mx.array(model.word_embeddings), mx.array(model.position_embeddings)
    first_norm = _copy_to_mlx(model.norm)
    layers = [
        tuple(
            map(
                _copy_to_mlx,
                (layer.attention, layer.projection, layer.projection_norm, layer.widening, layer.narrowing, layer.norm),
            )
        )
        for layer in model.layers
    ]

    def normalise(rows: mx.array, norm: tuple[mx.array, mx.array]) -> mx.array:
        """Return the rows normalised, with the gain and the shift of a layer."""
        return mx.fast.layer_norm(rows, *norm, config.epsilon)

    def encode_text(ids: TokenIds) -> Matrix:
        """Return the vector of one text, of unit length."""
        tokens, width = len(ids), model.dimensions
        hidden = normalise(words[mx.array(ids)] + positions[:tokens], first_norm)
        for attention, projection, projection_norm, widening, narrowing, norm in layers:
            mixed = _apply(hidden, attention).reshape(1, tokens, 3, config.heads, width // config.heads)
            query, key, value = (mixed[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
            context = mx.fast.scaled_dot_product_attention(query, key, value, scale=1.0)  # the query's weights are scaled
            context = context.transpose(0, 2, 1, 3).reshape(tokens, width)
            hidden = normalise(hidden + _apply(context, projection), projection_norm)
            hidden = normalise(hidden + _apply(_gelu(_apply(hidden, widening)), narrowing), norm)
        pooled = hidden[0] if pooling == "cls" else hidden.mean(axis=0)
        return scale_to_unit(np.array(pooled, dtype=np.float32))

    return encode_text


def _copy_to_mlx(linear: Linear) -> tuple[mx.array, mx.array]:
    return mx.array(linear[0]), mx.array(linear[1])


def _apply(rows: mx.array, linear: tuple[mx.array, mx.array]) -> mx.array:
    return rows @ linear[0] + linear[1]


def _gelu(rows: mx.array) -> mx.array:
    return rows * (1 + mx.erf(rows / math.sqrt(2))) / 2
