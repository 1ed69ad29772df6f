"""Tells what a sentence reports of others: who says it behind which verb, what they demand, whether the owner takes it over."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from transforms.language.lexicon import CHANNELS, OPINIONS, SAYING_FORMS, WISHING_FORMS, parse_set
from transforms.language.speech.spelling import restore_spelling
from transforms.language.tokenizer import list_plain_words, split_pieces
from transforms.words import word_classes

TALKING_PERSONS = parse_set(
    "i we you u me us my our i'm i'd i'll i've we've we'd ich wir je nous eu nós yo nosotros io noi ik wij я мы"
)
"""First and second persons: what they say is the owner's or the agent's."""
_NOT_SUBJECTS = parse_set(
    """
    if when whenever unless until because since as like while whether once after before where why how what which that nobody
    nothing it there here please let let's make not never always should would could must will can to of
    """
)
"""Words that begin no report of somebody, or do not stand in one before its verb."""
_PREDICATES = parse_set("to must should shall can will may have are were need go")
_TELLING = parse_set("says said tells told demanded advises advised")
_PLURAL_SAYING = parse_set("say think argue insist reckon")
_PASSIVE = parse_set("is are was were be been being gets get got as")
MOST_SUBJECT_WORDS = 10
DEMAND_WORDS = 7
"""Words behind a verb of saying among which a demand begins."""
_DEMANDS = parse_set("must should shall never always ought supposed don't dont")
_DEMANDING_PAIRS = frozenset({"have to", "has to", "need to", "needs to", "do not", "no more"})
"""What makes of a reported sentence a rule of somebody, which the rules of assertions read as the owner's."""
MOST_BEHIND_WORDS = 5
_PRAISED = parse_set("he she they it that this he's she's they're it's that's hes shes thats theyre is are has")
_TAKING = parse_set("do make follow adopt apply keep take write add use")
_POINTED_AT = parse_set("it that this so as")
_OWN_ASSENTS = frozenset(
    {"from now on", "from here on", "from today on", "ok for me", "ok by me", "fine by me", "fine with me", "good for me"}
)
_AGREEING = parse_set("agree accept second")
_DEMANDING = SAYING_FORMS | WISHING_FORMS
_DENYING = word_classes.NEGATIONS | {"dont", "don't", "disagree"}


def find_saying(words: Sequence[str], forms: frozenset[str] = SAYING_FORMS) -> int | None:
    """Return the place of a verb of saying, one of `forms`, behind a third person at the beginning of a clause, or of the last
    word of "his view is"; None without one. The words are small."""
    for place, word in enumerate(words[: MOST_SUBJECT_WORDS + 1]):
        if word in forms and place:
            return None if words[place - 1] in _PASSIVE else place
        if word in _PLURAL_SAYING and place and (words[place - 1] in ("they", "people") or words[place - 1].endswith("s")):
            return place
        is_owned = place and (words[place - 1] in word_classes.POSSESSIVES_OF_OTHERS or words[place - 1].endswith(("'s", "’s")))
        if word in OPINIONS and is_owned:
            return place + 1 if words[place + 1 : place + 2] in (["is"], ["was"]) else place if len(words) == place + 1 else None
        if word in TALKING_PERSONS or word in _NOT_SUBJECTS:
            return None
    return None


def names_channel(words: Sequence[str]) -> int | None:
    """Return the place of a channel behind a third person and a preposition: "joão on slack", "marta im ticket"; else None."""
    for place, word in enumerate(words[: MOST_SUBJECT_WORDS + 1]):
        if word in CHANNELS and place > 1:
            return place
        if word in TALKING_PERSONS or (word in _NOT_SUBJECTS and word != "of"):
            return None
    return None


def cut_report(sentence: str) -> str:
    """Return what a sentence says that somebody demands, without who says it; the sentence where it reports nothing."""
    words = sentence.split()
    for place, word in enumerate(words[:-1]):
        if place and word.lower().strip(",:") in _DEMANDING and _starts_report(words[: place + 1]):
            return " ".join(words[place + 1 + (words[place + 1].lower() == "that") :])
    return sentence


def _starts_report(words: Sequence[str]) -> bool:
    return find_saying(list_plain_words(" ".join(words)), _DEMANDING) is not None


def reports_demand(sentence: str) -> bool:
    """Whether a sentence only tells what somebody else demands: "rui says we must never …", "use Matomo or nothing, she says".

    Where its owner demands something in the same sentence before it or behind it, they do.
    """
    pieces = split_pieces(sentence)
    if len(pieces) > 1 and is_said_behind(pieces[-1]):
        return TALKING_PERSONS.isdisjoint(word for piece in pieces[:-1] for word in piece)  # "we keep it, the accountant insists"
    for number, words in enumerate(pieces):
        place = (
            2 if words[:2] == ["according", "to"] and TALKING_PERSONS.isdisjoint(words[2:3]) else find_saying(words, _DEMANDING)
        )
        if place is not None:
            complement = words[place + 1 :] or next(iter(pieces[number + 1 :]), [])
            is_noun = bool(complement) and complement[0] in _PREDICATES  # "prod writes must stop", "it writes to the log"
            is_clause = bool(complement) and (not is_noun or (complement[0] == "to" and words[place] in _TELLING))
            is_alone = not any(map(demands, pieces[:number])) and not _turns_back(words[place + 1 :], pieces[number + 1 :])
            return is_clause and is_alone and demands(complement[:DEMAND_WORDS])
    return False


def demands(words: Sequence[str]) -> bool:
    """Whether words have one that demands: "must", "have to", "never"."""
    return not _DEMANDS.isdisjoint(words) or any(f"{first} {second}" in _DEMANDING_PAIRS for first, second in pairwise(words))


def is_said_behind(words: Sequence[str]) -> bool:
    """Whether words behind a sentence only say whose it is: "says rui on slack", "she says"."""
    if len(words) < 2 or len(words) > MOST_BEHIND_WORDS or not TALKING_PERSONS.isdisjoint(words):
        return False
    return words[0] in SAYING_FORMS or (words[-1] in SAYING_FORMS and find_saying(words) == len(words) - 1)


def _turns_back(words: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether the owner speaks in the same sentence again, behind what somebody says."""
    is_own = words[:1] not in (["i"], ["we"])  # else "and we" goes on with what is said
    return any(
        "but" in piece
        or "so" in piece
        or (number > 0 and piece[0] == "i")
        or (is_own and piece[:2] in (["and", "i"], ["and", "we"]))
        for number, piece in enumerate([words, *rest])
    )


def endorses(sentence: str) -> bool:
    """Whether a sentence takes over what another said before it: says that it is right, or orders what a pronoun points at."""
    if sentence.rstrip().endswith("?"):
        return False
    return any(_DENYING.isdisjoint(piece) and _takes_over(piece) for piece in split_pieces(restore_spelling(sentence)))


def _takes_over(words: Sequence[str]) -> bool:
    for place, word in enumerate(words):
        before, behind = words[max(place - 2, 0) : place], words[place + 1 : place + 2]
        is_praise = word in ("right", "point") and (
            not _PRAISED.isdisjoint(before) or any(name.endswith("'s") for name in before)
        )
        is_taking = word in _TAKING and not _POINTED_AT.isdisjoint(behind)
        is_own = word in _AGREEING and not {"i", "we"}.isdisjoint(before)
        is_assent = " ".join(words[place : place + 3]) in _OWN_ASSENTS
        if (
            is_praise
            or is_taking
            or is_own
            or is_assent
            or word == "agreed"
            or (word == "fair" and behind in (["point"], ["enough"]))
        ):
            return True
    return False
