"""Finds what a text denies by the form of its sentences, so that a guess about a cause is told from the cause."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from transforms.language import cue_phrases
from transforms.language.sentences import find_content_words, has_question_mark, split_sentences, split_words
from transforms.language.tokenizer import stem

COPULAS = frozenset({"is", "are", "was", "were", "it's", "that's"})
_NEGATED_COPULAS = frozenset({"isn't", "aren't", "wasn't", "weren't"})
_NEGATED_VERBS = frozenset({"isnt", "arent", "wasnt", "werent", "hasnt", "havent", "didnt", "doesnt"})
"""Auxiliaries that deny what is or was, without their apostrophe; "don't" orders."""
_NOBODY, _DENYING = frozenset({"nothing", "nobody", "none"}), frozenset({"not", "no", "never", "nothing", "nobody", "none"})
HEAD_REACH = 3
"""Words behind a denial in which what it denies stands."""
_SIGNS = ("not", "n't", "n’t")
"""A text without any of them denies nothing."""
_POINTING = frozenset({"it", "that", "this", "they", "those", "these"})
_DETERMINERS = frozenset({"the", "a", "an", "your", "our", "my", "its", "their", "this", "that"})
NOUN_WORDS = 3
"""Words behind the determiner in which the noun stands."""
TAKING_BACK_WORDS = 12
_CONSEQUENCES, _KEEPING = frozenset({"then", "so"}), frozenset({"leave", "leaving", "keep", "let", "stay", "stick"})
_NOT_KEPT = frozenset({"me", "us", "you", "on", "in", "at", "out", "away", "up", "off"})
"""Persons and particles that make another verb of one of keeping: "let me know", "leave out the header", "stay on the branch"."""
KEEPING_PLACE = 4
"""Words behind the word of consequence in which the verb of keeping stands, with courtesies before it."""


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
            is_denial = word in _NEGATED_COPULAS or (word == "not" and (not before or before in COPULAS))
            if is_denial and before and words[place:] == ["not", "it"]:  # "so the modem was not it"; no tag: "isn't it?"
                denied |= _stem_words(" ".join(words[: place - 1][-NOUN_WORDS:]))
            elif is_denial and place + 1 < len(words) and words[place + 1] in _DETERMINERS:
                denied |= _stem_words(" ".join(words[place + 2 : place + 2 + NOUN_WORDS]))
    return frozenset(denied)


def is_refuted(claim: str, denied: Collection[str]) -> bool:
    """Whether a claim states a cause by a word that was denied later, and does not deny it itself."""
    if not denied or not cue_phrases.EXPLICIT_CAUSE.search(claim):
        return False
    return bool(_stem_words(claim) & set(denied) - find_denied_words(claim))


@lru_cache(maxsize=1024)
def find_denied_states(text: str, *, answers: bool = False) -> frozenset[str]:
    """Return the stems of what a text says is not so, or was not done: "returned nought isn't verified", "skipped is not passed".

    What `answers` says so without a verb, too: "Not fixed: …", "Nothing has been committed"; elsewhere such a denial mostly
    orders. Who asks denies nothing ("isn't Redis too slow?"), nor does "No" that answers or tells of what is over.
    """
    denied = set[str]()
    for sentence in split_sentences(text)[: 1 if answers else None]:
        if has_question_mark(sentence):
            continue
        words = sentence.lower().replace("’", "'").split()
        for place, written in enumerate(words):
            word, before = written.strip("\"'(").replace("'", ""), words[place - 1] if place else ""
            is_denial = word in _NEGATED_VERBS or (word == "not" and before in COPULAS)
            is_verbless = answers and (word in _NOBODY or (word == "not" and not before))
            if is_denial or is_verbless:
                behind = " ".join(words[place + 1 : place + 1 + HEAD_REACH])
                heads = [head for head in split_words(behind) if head.isalpha() and find_content_words(head)]
                denied |= {stem(head) for head in heads[:1]}
    return frozenset(denied)


def is_taken_back(claim: str, denied: Collection[str]) -> bool:
    """Whether a sentence of a claim that denies nothing states what was denied later."""
    return bool(denied) and any(
        not _stem_words(sentence).isdisjoint(denied) for sentence in split_sentences(claim) if not _denies(sentence)
    )


def _denies(sentence: str) -> bool:
    words = {word.lower().replace("’", "'").replace("'", "") for word in split_words(sentence)}
    return not words.isdisjoint(_DENYING | _NEGATED_VERBS)


_UNREAL = frozenset({"would", "wouldn't", "wouldnt", "they'd", "it'd"})


def is_counterfactual(typed: str) -> bool:
    """Whether a message refutes what it answers by what would follow from it: "if that was it 50 in 50 would fail"."""
    for sentence in split_sentences(typed):
        words = [word.lower().replace("’", "'") for word in split_words(sentence)]
        if words[:1] == ["if"] and words[1:2] and words[1] in _POINTING and words[2:3] and words[2] in ("was", "were"):
            return not _UNREAL.isdisjoint(words[3:])
    return False


def join_denied_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the stems of what any of these texts denies."""
    return frozenset(word for text in texts for word in find_denied_words(text))


def _stem_words(text: str) -> frozenset[str]:
    return frozenset(map(stem, find_content_words(text.lower())))


@lru_cache(maxsize=64)
def leaves_as_is(typed: str) -> bool:
    """Whether a short message draws the consequence that things stay: "oh then leave it on" takes an order back."""
    words = [word.lower() for word in split_words(typed)]
    places = [place for place, word in enumerate(words) if word in _CONSEQUENCES]
    if not places or len(words) > TAKING_BACK_WORDS:
        return False
    is_last = places[-1] == len(words) - 1 and words[0] in _KEEPING
    first, last = (0, 0) if is_last else (places[0] + 1, places[0] + KEEPING_PLACE)
    return any(word in _KEEPING and _is_kept(words[first + at + 1 :]) for at, word in enumerate(words[first : last + 1]))


def _is_kept(behind: Sequence[str]) -> bool:
    """Whether a verb of keeping may have a thing as its object: "keep going" and "let me know" leave nothing."""
    return not behind or (behind[0] not in _NOT_KEPT and not behind[0].endswith("ing"))


def points_at_thing(typed: str, answered: str) -> bool:
    """Whether a message names its object by a pronoun alone, and takes up nothing of the words that it answers."""
    words = {word.lower() for word in split_words(typed)}
    return bool({"it", "them", "that", "this", "those"} & words) and not find_content_words(typed) & find_content_words(answered)


def name_object(order: str) -> str:
    """Return what an order is about, from its first noun on and without its verb, which no longer holds; empty without any."""
    words = order.split()
    first = next((place for place, word in enumerate(words[:-1]) if word.lower() in _DETERMINERS), None)
    return " ".join(words[first:]) if first is not None else ""
