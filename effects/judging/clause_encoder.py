"""The stored updates of the bundled encoder that weighs clauses, written by `benchmarks.distil.clauses.tune_encoder --write`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from effects.embedding.tuned_encoder import open_tuned_encoder
from effects.system.errors import ModelMissing
from transforms.classify.clause_encoder import ClauseEncoder
from transforms.embedding.bert_encoder import Matrix

UPDATES_FILE = Path(__file__).with_name("clause_updates.npz")
HEADS = ("families", "lasting")
"""The heads: arrays of these names with `.weight` (labels, twice the dimensions) and `.bias`. That of families is only tuned
with, so that the encoder learns more of a clause than one thing."""
KEPT_WEIGHTS = 512
"""Clauses whose weight is remembered: the same row is judged more than once."""


@lru_cache(KEPT_WEIGHTS)
def weigh_clause(clause: str, message: str, before: str) -> float | None:
    """Return how likely a clause of a person's message, to which the agent's text `before` led, is a rule, a preference or a
    convention for good; None where the bundled model is not installed."""
    encoder = load_clause_encoder()
    return encoder.weigh_clause(clause, message, before) if encoder else None


@cache
def load_clause_encoder() -> ClauseEncoder | None:
    """Return the tuned encoder, loaded once per process; None where it cannot be loaded: words alone judge then, which loses no
    fact. `recollect doctor` tells of a model that is not installed or not readable; of all else a warning does."""
    try:
        with np.load(UPDATES_FILE, allow_pickle=False) as arrays:
            return open_clause_encoder({name: np.asarray(array, np.float32) for name, array in arrays.items()})
    except ModelMissing:
        return None
    except Exception as error:  # noqa: BLE001  # safetensors and onnxruntime raise their own for damaged files; a night goes on
        logging.getLogger("recollect").warning("rules are told by words alone: the clause encoder cannot be loaded (%s)", error)
        return None


def open_clause_encoder(updates: Mapping[str, Matrix]) -> ClauseEncoder:
    """Return the bundled encoder with these updates and this head.

    Raises:
        ModelMissing: when the bundled model is not installed or not readable.
    """
    tuned = {name: array for name, array in updates.items() if name.partition(".")[0] not in HEADS}
    tokenize, compute = open_tuned_encoder(tuned)
    return ClauseEncoder(tokenize, compute, (updates["lasting.weight"].T, updates["lasting.bias"]))
