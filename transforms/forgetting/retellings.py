"""Tells which texts of a session say a forgotten fact again: by most of its words close together, or by what it quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from transforms.forgetting.scrub_text import fold_case
from transforms.language.tokenizer import tokenize
from transforms.patterns.late_pattern import compile_late

SAME_SHARE = 0.5
"""Share of a fact's words from which a text of the same session is taken to tell it again: an agent repeats about half."""
MIN_SAME_WORDS = 3
"""A fact of fewer words is told again by all of them."""
LEAST_STRETCH, STRETCH_SHARE = 24, 3
"""Words of a text, and how many for each word of the fact, in which these must stand: a long text has most words somewhere."""
LEAST_PHRASE = 2
"""Words that are not common from which a quotation is known again; a single one only where it is written like no word."""

COMMON_WORDS = frozenset(
    tokenize(
        "yes yeah yep yup no nope nah ok okay sure please thanks thank you go going ahead proceed continue do it that"
        " this now next done fine good great nice perfect right correct exactly agreed agree sounds looks like all both"
        " first second third one two option stop wait try again keep leave make use add change update fix remove delete"
        " run test build check commit push merge start finish yet still please code file well let know want need think"
        " maybe more less better new old same"
    )
)
"""Words that a person answers with, or orders with, in any session: a quotation of these alone is no sign of a fact."""
FRAME_WORDS = frozenset(tokenize("User asked decided said set a rule about"))
"""Words that recollect writes around a quotation."""
_QUOTED_WORDS = compile_late(r'"([^"]+)"')
_SECRET_DIGITS = 4
_ROUNDING = 1e-9

Weights: TypeAlias = Mapping[str, float]
"""Index words of a fact, each with the share that it has of its word: those of `src/setup.sh` are one word together."""


def list_quotations(fact: str) -> list[str]:
    """Return the quotations in a fact by whose words it is known again: a plain answer ("yes, go ahead") is none."""
    return [words for words in _QUOTED_WORDS.findall(fact) if is_distinctive(words)]


@lru_cache(maxsize=1024)
def is_distinctive(words: str) -> bool:
    """Whether words are so rare that who says them again says the same: two that are not common, or one like a password."""
    telling = set(tokenize(words)) - COMMON_WORDS
    return len(telling) >= LEAST_PHRASE or any(map(_is_like_secret, words.split()))


def _is_like_secret(word: str) -> bool:
    digits = sum(map(str.isdigit, word))
    return digits >= _SECRET_DIGITS or bool(digits and any(map(str.isalpha, word)) and len(word) > _SECRET_DIGITS)


def find_retellings(texts: Sequence[str], facts: Iterable[str]) -> list[bool]:
    """Return for each text whether it repeats enough of the words of one of the facts, or what one of them quotes."""
    fact_texts = sorted(set(facts))
    wanted = [weights for fact in fact_texts for weights in _list_weights(fact)]
    phrases = {fold_case(words) for fact in fact_texts for words in list_quotations(fact)}
    return [_tells_again(text, wanted, phrases) for text in texts]


def says_again(text: str, fact: str) -> bool:
    """Whether a text repeats enough of the words of a fact, or what it quotes; a fact without words is never repeated."""
    return find_retellings([text], [fact])[0]


def _list_weights(fact: str) -> list[Weights]:
    """Return the words of a fact and those of its longer quotations; a short quotation is known by its order alone."""
    long = [words for words in list_quotations(fact) if len(set(tokenize(words)) - COMMON_WORDS) >= MIN_SAME_WORDS]
    whole = _weigh_words(fact)
    if _QUOTED_WORDS.search(fact):
        whole = {word: weight for word, weight in whole.items() if word not in FRAME_WORDS} or whole
    return [whole, *map(_weigh_words, long)]


def _weigh_words(text: str) -> Weights:
    """Return the index words of a text with their weights; what no single word of it gives weighs 1."""
    weights = dict.fromkeys(tokenize(text), 0.0)
    for word in text.split():
        parts = frozenset(tokenize(word)) & weights.keys()
        weights |= {part: max(weights[part], 1 / len(parts)) for part in parts}
    return {part: weight or 1.0 for part, weight in weights.items()}


def _tells_again(text: str, wanted: Iterable[Weights], phrases: Iterable[str]) -> bool:
    folded = fold_case(text)
    if any(_stands_in(phrase, folded) for phrase in phrases):
        return True
    tokens = tokenize(text)
    return any(_is_repeated(weights, tokens) for weights in wanted)


def _stands_in(phrase: str, folded: str) -> bool:
    """Whether a phrase stands in a text, not as a part of longer words."""
    edges = [r"(?<![a-z0-9])" if phrase[0].isascii() else "", r"(?![a-z0-9])" if phrase[-1].isascii() else ""]
    return phrase in folded and re.search(re.escape(phrase).join(edges), folded) is not None


def _is_repeated(weights: Weights, tokens: Sequence[str]) -> bool:
    """Whether a stretch of the text has enough of the words."""
    whole = sum(weights.values())
    needed = max(min(MIN_SAME_WORDS, whole), SAME_SHARE * whole) - _ROUNDING
    length = max(LEAST_STRETCH, STRETCH_SHARE * len(weights))
    places = [place for place, token in enumerate(tokens) if token in weights]
    inside: Counter[str] = Counter()
    first, weight = 0, 0.0
    for place in places:
        inside[tokens[place]] += 1
        weight += weights[tokens[place]] * (inside[tokens[place]] == 1)
        while places[first] <= place - length:
            inside[tokens[places[first]]] -= 1
            weight -= weights[tokens[places[first]]] * (inside[tokens[places[first]]] == 0)
            first += 1
        if weight >= needed:
            return True
    return False
