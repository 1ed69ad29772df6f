"""Words of hits that stand for words of a question, though they are written otherwise: "programmer" for "developer".

Each word has a vector without context (`Embedder.embed_words`), and a pair counts from NEAR_COSINE on. Not its vector in a
sentence: that takes a model's pass over every sentence of ten hits, half a second, and orders them no better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from transforms.language.sentences import split_words
from transforms.language.similarity import Vectors
from transforms.language.tokenizer import tokenize

NearWords = Mapping[str, Mapping[str, float]]
"""Index word of a hit to the question's index words that it is near, each with a share of that word's weight."""

NO_NEAR_WORDS: NearWords = {}
NEAR_COSINE, NEAR_SHARE = 0.35, 0.5
"""Cosine from which two words are near, and the share of a question's word that the nearest of all covers: the same word itself
covers all of it. Between .25 and .5, and between .5 and .7, nothing changes by more than two of 147 questions."""


def list_written_words(texts: Sequence[str]) -> list[str]:
    """Return the words of texts as they are written, in small letters, each once, in order; a number is near no other one."""
    return list(dict.fromkeys(word for text in texts for word in split_words(text) if word.isalpha()))


def find_near_words(
    question_words: tuple[Sequence[str], Vectors], hit_words: tuple[Sequence[str], Vectors], weights: Mapping[str, float]
) -> NearWords:
    """Return which words of hits are near which words of a question.

    Both are written words with their unit vectors (words, dimensions); `weights` has the index words of the question that count.
    """
    near: dict[str, dict[str, float]] = {}
    counted = [(place, token) for place, word in enumerate(question_words[0]) for token in tokenize(word) if token in weights]
    if not counted or not len(hit_words[0]):
        return near
    places = [place for place, _ in counted]
    shares = NEAR_SHARE * (question_words[1][places] @ hit_words[1].T - NEAR_COSINE) / (1 - NEAR_COSINE)
    for row, column in np.argwhere(shares > 0).tolist():
        token, share = counted[row][1], float(round(shares[row, column], 6))
        for own in tokenize(hit_words[0][column]):
            if own != token:
                covered = near.setdefault(own, {})
                covered[token] = max(share, covered.get(token, 0.0))
    return near


def cover_words(text: str, weights: Mapping[str, float], near: NearWords = NO_NEAR_WORDS) -> dict[str, float]:
    """Return how much of each word of a question a text covers: all of its weight with the word itself, less with a near one."""
    covered: dict[str, float] = {}
    for token in tokenize(text):
        if token in weights:
            covered[token] = weights[token]
        if token in near:
            add_cover(covered, {word: share * weights[word] for word, share in near[token].items()})
    return covered


def add_cover(covered: dict[str, float], other: Mapping[str, float]) -> None:
    """Add what a second text covers to what a first one does."""
    for word, weight in other.items():
        covered[word] = max(covered.get(word, 0.0), weight)
