"""Encoders on onnxruntime: what a loaded one holds."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from transforms.embedding.bert_encoder import BertConfig, BertModel, Matrix, Pooling

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
WIDTH, TOKENS = 8, 16


@pytest.mark.parametrize("is_quantised", [False, True])
def test_a_loaded_model_is_held_once(is_quantised: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """onnxruntime has its own copy of the weights; the bytes from which it read them would be as many megabytes again."""
    from effects.embedding import onnx_encoder
    from transforms.embedding.onnx_graph import build_onnx_model

    built: list[bytes] = []

    def build(model: BertModel, pooling: Pooling, is_quantised: bool) -> bytes:
        """Build the bytes of the model, and keep them for this test."""
        built.append(build_onnx_model(model, pooling, is_quantised))
        return built[0]

    monkeypatch.setattr(onnx_encoder, "build_onnx_model", build)
    encode = onnx_encoder.build_onnx_encoder(make_weights(), BertConfig(1, 2, 1e-12), "mean", is_quantised)
    assert np.linalg.norm(encode(np.array([1, 5, 2]))) == pytest.approx(1.0)
    alone = [bytes(len(built[0]))]
    holders, expected = sys.getrefcount(built[0]), sys.getrefcount(alone[0])
    assert holders == expected


def make_weights() -> dict[str, Matrix]:
    """Return the weights of a BERT of one layer, by the names of a checkpoint."""
    chance = np.random.default_rng(1)
    sizes = {
        "attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH), "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH), "attention.output.LayerNorm": (WIDTH,),
        "intermediate.dense": (2 * WIDTH, WIDTH), "output.dense": (WIDTH, 2 * WIDTH), "output.LayerNorm": (WIDTH,),
    }  # fmt: skip
    places = {f"encoder.layer.0.{name}": size for name, size in sizes.items()} | {"embeddings.LayerNorm": (WIDTH,)}
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (TOKENS, WIDTH) for name in ("word", "position", "token_type")
    }
    for name, size in places.items():
        shapes |= {f"{name}.weight": size, f"{name}.bias": size[:1]}
    return {name: chance.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
