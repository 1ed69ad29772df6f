"""Encoders on onnxruntime: what a loaded one holds."""

from __future__ import annotations

from weakref import ref

import numpy as np
import pytest

from transforms.embedding.bert_encoder import BertConfig, BertModel, Matrix, Pooling

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
WIDTH, TOKENS = 8, 16


@pytest.mark.parametrize("is_quantised", [False, True])
def test_a_loaded_model_is_held_once(is_quantised: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """onnxruntime has its own copy of the weights; those from which it took them would be as many megabytes again. They are in no
    bytes of a graph, either: while it was loaded, a model took four times its memory."""
    from effects.embedding import onnx_encoder
    from transforms.embedding import onnx_graph

    built: list[ref[np.ndarray]] = []
    sizes: list[tuple[int, int]] = []

    def build(model: BertModel, pooling: Pooling, is_quantised: bool) -> onnx_graph.OnnxModel:
        """Build the model, and look at its parts."""
        made = onnx_graph.build_onnx_model(model, pooling, is_quantised)
        built.extend(map(ref, made.weights.values()))
        sizes.append((len(made.graph), sum(array.nbytes for array in made.weights.values())))
        return made

    monkeypatch.setattr(onnx_encoder, "build_onnx_model", build)
    encode = onnx_encoder.build_onnx_encoder(make_weights(64, 512), BertConfig(1, 2, 1e-12), "mean", is_quantised)
    assert np.linalg.norm(encode(np.array([1, 5, 2]))) == pytest.approx(1.0)
    assert built
    assert not any(weight() is not None for weight in built)
    [(graph, weights)] = sizes
    assert graph < weights / 2


def make_weights(width: int = WIDTH, tokens: int = TOKENS) -> dict[str, Matrix]:
    """Return the weights of a BERT of one layer, by the names of a checkpoint."""
    chance = np.random.default_rng(1)
    sizes = {
        "attention.self.query": (width, width), "attention.self.key": (width, width), "attention.self.value": (width, width),
        "attention.output.dense": (width, width), "attention.output.LayerNorm": (width,),
        "intermediate.dense": (2 * width, width), "output.dense": (width, 2 * width), "output.LayerNorm": (width,),
    }  # fmt: skip
    places = {f"encoder.layer.0.{name}": size for name, size in sizes.items()} | {"embeddings.LayerNorm": (width,)}
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (tokens, width) for name in ("word", "position", "token_type")
    }
    for name, size in places.items():
        shapes |= {f"{name}.weight": size, f"{name}.bias": size[:1]}
    return {name: chance.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
