"""The bundled sentence encoder with a small file of learned updates of its weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from effects.embedding.embedder import BUNDLED, find_folder, load_tokenizer, naming_unreadable, read_checkpoint
from effects.system.cores import use_one_blas_thread
from transforms.classify.clause_encoder import ComputeStates
from transforms.embedding.bert_encoder import BertModel, Matrix, TokenIds, build_model, compute_states

UP, DOWN = ".up", ".down"
"""Endings of the two factors (outputs, rank) and (rank, inputs) whose product is added to a matrix."""
TOKEN_TYPES = 2


def open_tuned_encoder(updates: Mapping[str, Matrix]) -> tuple[Callable[[str], Sequence[int]], ComputeStates]:
    """Return what makes tokens of a text, and the forward pass of tokens and their types, with quantised weights where
    onnxruntime is installed.

    `updates` has factors of matrices, named as the matrix with UP and DOWN behind it, and whole weights, by the names of the
    checkpoint.

    Raises:
        ModelMissing: when the bundled model is not installed or not readable.
    """
    folder, name = find_folder(BUNDLED)
    assert folder is not None, "the bundled model is a folder"
    with naming_unreadable(folder):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights, shape = read_checkpoint(folder, config)
        model = build_model(apply_updates(weights, updates), shape, TOKEN_TYPES)
        tokenizer = load_tokenizer(folder, name, int(config["max_position_embeddings"]))

    def tokenize(text: str) -> Sequence[int]:
        """Return the tokens of a text without markers."""
        whole = text.encode("utf-8", "replace").decode("utf-8")  # half of an emoji is no text for the tokenizer
        ids: Sequence[int] = tokenizer.encode(whole, add_special_tokens=False).ids
        return ids

    return tokenize, _find_forward(model)


def apply_updates(weights: Mapping[str, Matrix], updates: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """Return the weights of a checkpoint with updates: the product of two factors is added, any other array takes the place."""
    tuned = {name: np.asarray(array, np.float32) for name, array in weights.items()}
    for name, array in updates.items():
        if name.endswith(UP):
            matrix = name.removesuffix(UP)
            tuned[matrix] = tuned[matrix] + array @ updates[matrix + DOWN]
        elif not name.endswith(DOWN):
            tuned[name] = array
    return tuned


def _find_forward(model: BertModel) -> ComputeStates:
    size = len(model.position_embeddings) // TOKEN_TYPES
    try:
        from effects.embedding.onnx_encoder import build_onnx_states

        run = build_onnx_states(model)
    except ImportError:
        run = partial(_compute_with_numpy, model)

    def compute(ids: TokenIds, types: TokenIds) -> Matrix:
        """Return the states of one text."""
        return run(ids, np.arange(len(ids)) + types * size)

    return compute


def _compute_with_numpy(model: BertModel, ids: TokenIds, positions: TokenIds) -> Matrix:
    with use_one_blas_thread():
        return compute_states(model, ids, positions)
