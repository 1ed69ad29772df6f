"""Tells which texts of a session say a forgotten fact again: by most of its words close together, or by what it quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from transforms.forgetting.scrub_text import compile_words, has_words
from transforms.language import cue_phrases, lexicon, sentences, statement
from transforms.language.tokenizer import LEAST_TELLING, tokenize
from transforms.patterns.late_pattern import compile_late

SAME_SHARE = 0.5
"""Share of a fact's words from which a text of the same session is taken to tell it again: an agent repeats about half."""
MIN_SAME_WORDS = 3
"""A fact of fewer words is told again by all of them."""
LEAST_STRETCH, STRETCH_SHARE = 24, 3
"""Words of a text, and how many for each word of the fact, in which these must stand: a long text has most words somewhere."""
LEAST_PHRASE = 2
"""Words that are not common from which a quotation is known again; a single one only where it is the whole quotation."""

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
_SECRET_DIGITS, _LEAST_DIGITS = 4, 3
"""Digits of a word that is like a password, and of a number that numbers no option."""
_MARKS = " \t\n.,;:!?…'`*“”„«»()[]"
_PATH_MARKS = frozenset("./\\")
_ANSWERS = (cue_phrases.AGREEMENT, cue_phrases.FILLER, cue_phrases.CHATTER, cue_phrases.PUSHBACK)
_ROUNDING = 1e-9

Weights: TypeAlias = Mapping[str, float]
"""Index words of a fact, each with the share that it has of its word: those of `src/setup.sh` are one word together."""


IsCommon: TypeAlias = Callable[[str], bool]
"""Whether a single word is one that anybody says."""


def list_quotations(fact: str, is_common: IsCommon | None = None) -> list[str]:
    """Return the quotations in a fact, without the marks around them, by whose words it is known again: a plain answer ("yes, go
    ahead") is none."""
    return [words.strip(_MARKS) for words in _QUOTED_WORDS.findall(fact) if is_distinctive(words, is_common)]


def list_removed_quotations(fact: str) -> list[str]:
    """Return the quotations that a purge removes from every file: those of several words, and words like a password. A number, a
    version, a path or a single word means something else in another session."""
    return [words for words in list_quotations(fact) if any(map(str.isalpha, words)) and _is_known_anywhere(words)]


def _is_known_anywhere(words: str) -> bool:
    is_alone = len(words.split()) == 1 and words.isascii()
    return not is_alone or (_is_like_secret(words) and _PATH_MARKS.isdisjoint(words))


def compile_forgotten(texts: Collection[str], is_match: bool) -> re.Pattern[str] | None:
    """Return a pattern for all texts that a request removes: what is quoted in others of them counts as words alone. Words that a
    person named by themselves (`is_match`) may be a part of others."""
    quoted = set[str]() if is_match else {words for text in texts for words in list_removed_quotations(text)}
    return compile_words([text for text in texts if text not in quoted], quoted.intersection(texts))


def is_distinctive(words: str, is_common: IsCommon | None = None) -> bool:
    """Whether words are so rare that who says them again says the same: two that are not common, one like a password, or a single
    one that is no plain answer."""
    return _has_rare_words(words) or (
        _is_private_word(words.strip(_MARKS)) and not (is_common and is_common(words.strip(_MARKS)))
    )


def is_written_as_name(word: str, texts: Iterable[str]) -> bool:
    """Whether texts write a word as a name: with a capital letter inside a sentence, and small nowhere but by itself."""
    name, small = re.escape(word.capitalize()), re.escape(word.lower())
    as_name, as_word = re.compile(rf"[a-z0-9,] {name}\b"), re.compile(rf"\b{small}\b")
    spoken = [text for text in texts if text.strip(_MARKS) != word]
    return any(map(as_name.search, spoken)) and not any(map(as_word.search, spoken))


@lru_cache(maxsize=1024)
def _has_rare_words(words: str) -> bool:
    telling = set(tokenize(words)) - COMMON_WORDS
    return len(telling) >= LEAST_PHRASE or any(map(_is_like_secret, words.split()))


@lru_cache(maxsize=1024)
def _is_private_word(word: str) -> bool:
    """Whether a quotation is one word that may name something: no number of an option, no answer, no generic word."""
    if word.isdigit():
        return len(word) >= _LEAST_DIGITS
    small = word.casefold()
    if len(word.split()) != 1 or len(small) < LEAST_TELLING or not set(tokenize(word)) - COMMON_WORDS or small in COMMON_WORDS:
        return False
    is_content = bool(sentences.find_content_words(word)) and bool(statement.find_content_words(word))
    is_answer = any(answer.match(word) for answer in _ANSWERS) or small in lexicon.FOREIGN_PRO_FORMS | lexicon.FOREIGN_DENIALS
    return is_content and not is_answer and small not in lexicon.ORDINALS and small not in lexicon.FOREIGN_ORDINALS


def _is_like_secret(word: str) -> bool:
    digits = sum(map(str.isdigit, word))
    return digits >= _SECRET_DIGITS or bool(digits and any(map(str.isalpha, word)) and len(word) > _SECRET_DIGITS)


def find_retellings(texts: Sequence[str], facts: Iterable[str], is_common: IsCommon | None = None) -> list[bool]:
    """Return for each text whether it repeats enough of the words of one of the facts, or what one of them quotes."""
    fact_texts = sorted(set(facts))
    wanted = [weights for fact in fact_texts for weights in _list_weights(fact)]
    quoted = compile_words((), (words for fact in fact_texts for words in list_quotations(fact, is_common)))
    return [_tells_again(text, wanted, quoted) for text in texts]


def _list_weights(fact: str) -> list[Weights]:
    """Return the words of a fact, of its longer quotations and of the longer sentences of these: a row quotes a short message
    whole, and who tells one sentence of it again tells it. A short quotation is known by its order alone."""
    parts = {part: None for words in list_quotations(fact) for part in (words, *sentences.split_sentences(words))}
    long = [words for words in parts if len(set(tokenize(words)) - COMMON_WORDS) >= MIN_SAME_WORDS]
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


def _tells_again(text: str, wanted: Iterable[Weights], quoted: re.Pattern[str] | None) -> bool:
    if quoted and has_words(text, quoted):
        return True
    tokens = tokenize(text)
    return any(_is_repeated(weights, tokens) for weights in wanted)


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
