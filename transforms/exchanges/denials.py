"""Finds what a text denies by the form of its sentences, so that a guess about a cause is told from the cause."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from transforms.language import cue_phrases
from transforms.language.sentences import find_content_words, split_sentences, split_words
from transforms.language.tokenizer import stem

_COPULAS = frozenset({"is", "are", "was", "were", "it's", "that's"})
_NEGATED_COPULAS = frozenset({"isn't", "aren't", "wasn't", "weren't"})
_SIGNS = ("not", "n't", "n’t")
"""A text without any of them denies nothing."""
_DETERMINERS = frozenset({"the", "a", "an", "your", "our", "my", "its", "their", "this", "that"})
NOUN_WORDS = 3
"""Words behind the determiner in which the noun stands."""


@lru_cache(maxsize=1024)
def find_denied_words(text: str) -> frozenset[str]:
    """Return the stems of what a text says that something is not: "so it was not the modem", "not the loader"."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _SIGNS):
        return frozenset()
    denied = set[str]()
    for sentence in split_sentences(text):
        words = [word.lower().replace("’", "'") for word in split_words(sentence)]
        for place, word in enumerate(words):
            before = words[place - 1] if place else ""
            is_denial = word in _NEGATED_COPULAS or (word == "not" and (not before or before in _COPULAS))
            if is_denial and place + 1 < len(words) and words[place + 1] in _DETERMINERS:
                denied |= _stem_words(" ".join(words[place + 2 : place + 2 + NOUN_WORDS]))
    return frozenset(denied)


def is_refuted(claim: str, denied: Collection[str]) -> bool:
    """Whether a claim states a cause by a word that was denied later, and does not deny it itself."""
    if not denied or not cue_phrases.EXPLICIT_CAUSE.search(claim):
        return False
    return bool(_stem_words(claim) & set(denied) - find_denied_words(claim))


def join_denied_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the stems of what any of these texts denies."""
    return frozenset(word for text in texts for word in find_denied_words(text))


def _stem_words(text: str) -> frozenset[str]:
    return frozenset(map(stem, find_content_words(text.lower())))
