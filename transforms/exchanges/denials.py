"""Finds what a text denies by the form of its sentences, so that a guess about a cause is told from the cause."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from transforms.language import cue_phrases
from transforms.language.sentences import find_content_words, has_question_mark, split_sentences, split_words
from transforms.language.tokenizer import stem
from transforms.words.word_classes import (
    ARTICLES,
    COPULAS,
    FIRST_PERSONS,
    NEGATIONS,
    NOBODY,
    POINTERS,
    POSSESSIVES,
    POSSESSIVES_OF_PERSONS,
    SECOND_PERSONS,
    SINGULAR_DEMONSTRATIVES,
)

COPULA_FORMS = COPULAS | {"it's", "that's"}
_NEGATED_COPULAS = frozenset({"isn't", "aren't", "wasn't", "weren't"})
_NEGATED_VERBS = frozenset({"isnt", "arent", "wasnt", "werent", "hasnt", "havent", "didnt", "doesnt"})
"""Auxiliaries that deny what is or was, without their apostrophe; "don't" orders."""
_DENYING = NEGATIONS | NOBODY
_CONTRASTS = frozenset({"but", "so"})
_JOINS = _CONTRASTS | {"and"}
_EMPTY = COPULA_FORMS | {"has", "have", "been", "anything", "yet", "still", "even", "really", "actually", "indeed"}
"""Words around a denied predicate that add nothing to it."""
_ENDED = frozenset({"more", "anymore", "longer"})
MOST_SENTENCES = 100
"""Sentences of a message that are read for denials: a longer one was not typed to answer."""
_MARKS = "\"'“”()*_,;:.!…–—-"
_SIGNS = ("not", "n't", "n’t")
"""A text without any of them denies nothing."""
_PAUSES = frozenset(",;:()…–—-")
"""Marks at which a noun ends."""
_DETERMINERS = ARTICLES | SINGULAR_DEMONSTRATIVES | POSSESSIVES - POSSESSIVES_OF_PERSONS
"""A thing of work stands behind them. "Her", "these" and "those" may stand alone; what is his or hers is a person's affair."""
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
        if not any(sign in sentence.lower() for sign in _SIGNS):
            continue
        words, ends = _split_at_pauses(sentence)
        for place, word in enumerate(words):
            before = words[place - 1] if place else ""
            is_denial = word in _NEGATED_COPULAS or (word == "not" and (not before or before in COPULA_FORMS))
            if is_denial and before and words[place:] == ["not", "it"]:  # "so the modem was not it"; no tag: "isn't it?"
                denied |= _stem_words(" ".join(words[: place - 1][-NOUN_WORDS:]))
            elif is_denial and place + 1 < len(words) and words[place + 1] in _DETERMINERS:
                end = min((end for end in ends if end >= place + 2), default=len(words))
                denied |= _stem_words(" ".join(words[place + 2 : min(end, place + 2 + NOUN_WORDS)]))
    return frozenset(denied)


def _split_at_pauses(sentence: str) -> tuple[list[str], set[int]]:
    """Return the words, and the places behind those where a mark or a word of contrast ends what is named."""
    words, ends = list[str](), set[int]()
    for written in sentence.replace("—", " — ").replace("–", " – ").split():
        core = written.strip(_MARKS)
        if not core or written[0] == "(" or core.lower() in _CONTRASTS:
            ends.add(len(words))
        words += [word.lower().replace("’", "'") for word in split_words(written)]
        if not _PAUSES.isdisjoint(written[len(written.rstrip(_MARKS)) :]):
            ends.add(len(words))
    return words, ends


def is_refuted(claim: str, denied: Collection[str]) -> bool:
    """Whether a claim states a cause by a word that was denied later, and does not deny it itself."""
    if not denied or not cue_phrases.EXPLICIT_CAUSE.search(claim):
        return False
    return bool(_stem_words(claim) & set(denied) - find_denied_words(claim))


class Denial(NamedTuple):
    """What a text says is not so: the stem of its predicate, and those of what it speaks of; none if it points back alone."""

    state: str
    about: frozenset[str]


@lru_cache(maxsize=1024)
def find_denials(text: str, *, asked: str | None = None) -> tuple[Denial, ...]:
    """Return what a text says bare is not so, or was not done: "returned nought isn't verified", "skipped is not passed".

    With more behind it ("the login doesn't work on Safari") something else is told; who asks ("isn't Redis too slow?") or tells
    what is over ("it doesn't crash any more") denies nothing.

    Args:
        text: a message of the owner, or the agent's answer to it.
        asked: of an answer, what the message asked, which gives a bare denial its subject ("did it?" - "Not fixed: …").
    """
    is_answer, denials, before = asked is not None, list[Denial](), set(_stem_things((asked or "").split()))
    for sentence in split_sentences(text)[: 1 if is_answer else MOST_SENTENCES]:
        for place, words in enumerate(_split_clauses(sentence)):
            negation = None if has_question_mark(sentence) else _find_negation(words, answers=is_answer, begins=not place)
            state = _read_state(words[negation + 1 :]) if negation is not None else ""
            about = _name_subject(words[:negation], before, answers=is_answer, asks=bool(asked)) if state else None
            if about is not None:
                denials.append(Denial(stem(state), about - {stem(state)}))
            before |= frozenset() if is_answer else _stem_things(words)
    return tuple(denials)


def _split_clauses(sentence: str) -> list[list[str]]:
    clauses = [list[str]()]
    for written in sentence.lower().replace("’", "'").split():
        word = written.strip(_MARKS)
        if word in _JOINS or not word:
            clauses.append([])
            continue
        before, _, verb = word.partition("'")
        clauses[-1] += [before, "is"] if verb == "s" and before in POINTERS else [word]
        if written[-1] in _MARKS:
            clauses.append([])
    return [clause for clause in clauses if clause]


def _find_negation(words: Sequence[str], *, answers: bool, begins: bool) -> int | None:
    """Return the place of the word that denies; its verb before "not" belongs to it."""
    for place, word in enumerate(words):
        is_verbless = answers and not place and (word in NOBODY or (word == "not" and begins))
        if (
            word.replace("'", "") in _NEGATED_VERBS
            or is_verbless
            or (word == "not" and place and words[place - 1] in COPULA_FORMS)
        ):
            return place
    return None


def _read_state(behind: Sequence[str]) -> str:
    """Return the only word behind a denial that says something; empty if others do, too, or it names a thing."""
    content = [word for word in behind if find_content_words(word) and word not in _EMPTY]
    if len(content) != 1 or not content[0].isalpha() or not _ENDED.isdisjoint(behind):
        return ""
    return content[0] if _EMPTY.issuperset(behind[: behind.index(content[0])]) else ""


def _name_subject(words: Sequence[str], before: Collection[str], *, answers: bool, asks: bool) -> frozenset[str] | None:
    """Return the stems of what a denial speaks of; a pronoun stands for what was said before. None if nothing is stated."""
    subject = [word for word in words if word not in _EMPTY]
    things = [word for word in subject if find_content_words(word)]
    is_echo = bool(things) and things[0] == subject[0] and subject[0].endswith("ed")  # "skipped is not passed"
    if things and not is_echo:
        is_noun = all(word in things or word in _DETERMINERS or word == "of" for word in subject)
        return _stem_things(things) if is_noun else None
    if answers:
        is_bare = not subject or (len(subject) == 1 and subject[0] in POINTERS | FIRST_PERSONS)
        return frozenset(before) if asks and is_bare else None
    if is_echo or (len(subject) == 1 and subject[0] in SECOND_PERSONS):
        return frozenset()
    return frozenset(before) if len(subject) == 1 and subject[0] in POINTERS else None


def _stem_things(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of words; a file goes by its name, as folder and ending are those of others, too."""
    return _stem_words(" ".join(word.rpartition("/")[2].partition(".")[0] for word in words))


def is_taken_back(claim: str, denials: Collection[Denial]) -> bool:
    """Whether a sentence of a claim that denies nothing states what was denied later of something that the claim names.

    A cause that is told says what was wrong: that this is not so now is its cure.
    """
    if not denials:
        return False
    stems = [
        _stem_words(sentence)
        for sentence in split_sentences(claim)
        if not denies_anything(sentence) and not cue_phrases.EXPLICIT_CAUSE.search(sentence)
    ]
    named = frozenset[str]().union(*stems)
    return any(
        any(denial.state in stated for stated in stems) and (not denial.about or not denial.about.isdisjoint(named))
        for denial in denials
    )


def denies_anything(sentence: str) -> bool:
    """Whether a sentence has a word that denies."""
    words = {word.lower().replace("’", "'").replace("'", "") for word in split_words(sentence)}
    return not words.isdisjoint(_DENYING | _NEGATED_VERBS)


_UNREAL = frozenset({"would", "wouldn't", "wouldnt", "they'd", "it'd"})


def is_counterfactual(typed: str) -> bool:
    """Whether a message refutes what it answers by what would follow from it: "if that was it 50 in 50 would fail"."""
    for sentence in split_sentences(typed):
        words = [word.lower().replace("’", "'") for word in split_words(sentence)]
        if has_question_mark(sentence):
            continue
        if words[:1] == ["if"] and words[1:2] and words[1] in POINTERS and words[2:3] and words[2] in ("was", "were"):
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
