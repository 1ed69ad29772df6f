"""Encoders on onnxruntime: the exact one and the quantised one, each with one thread and one text at a time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from effects.embedding.mlx_models import Forward
from effects.system.telemetry import keep_libraries_private
from transforms.embedding.bert_encoder import BertConfig, Matrix, Pooling, TokenIds, build_model, scale_to_unit
from transforms.embedding.onnx_graph import build_onnx_model


def build_onnx_encoder(
    weights: Mapping[str, Matrix], config: BertConfig, pooling: Pooling, is_quantised: bool = False
) -> Forward:
    """Return a function from the token ids (tokens,) of one text to its unit vector (dimensions,).

    Raises:
        ImportError: when onnx or onnxruntime is not installed.
        KeyError: when the checkpoint lacks a weight.
    """
    keep_libraries_private()
    from onnxruntime import InferenceSession, SessionOptions, disable_telemetry_events

    disable_telemetry_events()  # for a program that imported it before us
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # each core computes a text
    model = build_onnx_model(build_model(weights, config), pooling, is_quantised)
    session = InferenceSession(model, options, providers=["CPUExecutionProvider"])
    session._model_bytes = None  # it keeps the bytes of the model beside the weights read from them

    def encode(ids: TokenIds) -> Matrix:
        """Return the vector of one text, of unit length."""
        (vector,) = session.run(["vector"], {"ids": ids, "positions": np.arange(len(ids))})
        return scale_to_unit(vector)

    return encode
