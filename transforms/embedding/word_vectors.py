"""Vectors of single words without context: the mean of their tokens' rows in a model's table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transforms.embedding.bert_encoder import Matrix


def average_tokens(table: Matrix, mean: Matrix, words: Sequence[Sequence[int]]) -> Matrix:
    """Return a unit vector (words, dimensions) per word, from its token ids; zeros for a word without tokens.

    `mean` is that of the table's rows (tokens, dimensions). It is taken off, as all of them point the same way (Mu and Viswanath,
    2018, "All-but-the-top").
    """
    vectors = np.zeros((len(words), table.shape[1]), dtype=np.float32)
    filled = [place for place, ids in enumerate(words) if ids]
    if not filled:
        return vectors
    tokens = np.array([token for place in filled for token in words[place]], dtype=np.int64)
    starts = np.cumsum([0, *(len(words[place]) for place in filled[:-1])])
    sums = np.add.reduceat(table[tokens] - mean, starts, axis=0)  # a sum has the direction of the mean
    vectors[filled] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-9))
    return vectors
