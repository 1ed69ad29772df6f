"""The stored models that name kinds of rows and tell what is meant for good, written by `benchmarks.distil.row_kinds --write`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from effects.judging.clause_encoder import weigh_clause
from effects.judging.unread_clauses import judge_unread
from transforms.classify.linear_model import unpack_models
from transforms.classify.row_kinds import KindModels

KINDS_FILE = Path(__file__).with_name("kind_weights.npz")


@cache
def load_kind_models() -> KindModels:
    """Return the models that name kinds of rows; loaded once per process."""
    with np.load(KINDS_FILE, allow_pickle=False) as arrays:
        return KindModels(**unpack_models(dict(arrays)), weigh_clause=weigh_clause, judge_unread=judge_unread)
