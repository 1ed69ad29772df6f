"""The stored trees that judge candidates of the offline engine, made by `python -m benchmarks.learning.rows --write`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from transforms.classify.boosted_trees import BoostedTrees, unpack_trees

TREES_FILE = Path(__file__).with_name("usefulness_weights.npz")


@cache
def load_usefulness_trees() -> BoostedTrees:
    """Return the trees that the offline engine asks; loaded once per process."""
    with np.load(TREES_FILE, allow_pickle=False) as arrays:
        return unpack_trees(dict(arrays))
