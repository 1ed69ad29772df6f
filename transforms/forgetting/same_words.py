"""Judges whether a text repeats a fact, by the share of the fact's words in it."""

from __future__ import annotations

from math import ceil

from transforms.language.tokenizer import tokenize
from transforms.patterns.late_pattern import compile_late

SAME_SHARE = 0.5
"""Share of a fact's words from which a text of the same session is taken to tell it again: an agent repeats about half."""
MIN_SAME_WORDS = 3
"""A fact of fewer words is told again by all of them."""


_QUOTED_WORDS = compile_late(r'"([^"]+)"')


def says_again(text: str, fact: str) -> bool:
    """Whether a text repeats enough of the words of a fact, or of its quotation; a fact without words is never repeated."""
    text_words = set(tokenize(text))
    return any(_is_repeated(set(tokenize(words)), text_words) for words in (fact, *_QUOTED_WORDS.findall(fact)))


def list_quotations(fact: str) -> list[str]:
    """Return the quotation in a fact, where it is more than a few words."""
    return [words for words in _QUOTED_WORDS.findall(fact) if len(words.split()) >= MIN_SAME_WORDS]


def _is_repeated(wanted: set[str], text_words: set[str]) -> bool:
    needed = max(min(MIN_SAME_WORDS, len(wanted)), ceil(SAME_SHARE * len(wanted)))
    return bool(wanted) and len(wanted & text_words) >= needed
