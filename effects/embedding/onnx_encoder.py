"""Encoders on onnxruntime: the exact one and the quantised one, each with one thread and one text at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from effects.embedding.mlx_models import Forward
from effects.system.telemetry import keep_libraries_private
from transforms.embedding.bert_encoder import BertConfig, BertModel, Matrix, Pooling, TokenIds, build_model, scale_to_unit
from transforms.embedding.onnx_graph import build_onnx_model

RunModel = Callable[[TokenIds, TokenIds], Matrix]
"""The forward pass of one text: token ids and positions (tokens,) to a vector, or to states (tokens, dimensions)."""


def build_onnx_encoder(
    weights: Mapping[str, Matrix], config: BertConfig, pooling: Pooling, is_quantised: bool = False
) -> Forward:
    """Return a function from the token ids (tokens,) of one text to its unit vector (dimensions,).

    Raises:
        ImportError: when onnx or onnxruntime is not installed.
        KeyError: when the checkpoint lacks a weight.
    """
    run = _open_session(build_model(weights, config), pooling, is_quantised)

    def encode(ids: TokenIds) -> Matrix:
        """Return the vector of one text, of unit length."""
        return scale_to_unit(run(ids, np.arange(len(ids))))

    return encode


def build_onnx_states(model: BertModel) -> RunModel:
    """Return a function from token ids and positions (tokens,) to states (tokens, dimensions), with quantised weights.

    Raises:
        ImportError: when onnx or onnxruntime is not installed.
    """
    return _open_session(model, None, is_quantised=True)


def _open_session(model: BertModel, pooling: Pooling | None, is_quantised: bool) -> RunModel:
    """Return a function from token ids and positions to the output of the model."""
    keep_libraries_private()
    from onnxruntime import InferenceSession, OrtValue, SessionOptions, disable_telemetry_events

    disable_telemetry_events()  # for a program that imported it before us
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # each core computes a text
    graph, weights = build_onnx_model(model, pooling, is_quantised)
    options.add_external_initializers(list(weights), [OrtValue.ortvalue_from_numpy(array) for array in weights.values()])
    session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    session._sess_options = session._sess_options_initial = None  # they keep the weights beside the session's own

    def run(ids: TokenIds, positions: TokenIds) -> Matrix:
        """Return the output of the model for one text."""
        output: Matrix = session.run(["vector"], {"ids": ids, "positions": positions})[0]
        return output

    return run
