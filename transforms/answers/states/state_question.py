"""Reads what a question asks about the state of a piece of work: whether it was merged, closed, pushed, tagged, released; what is
open.

Grammar tells it from a question about a rule or a thing: "is it merged?", "did we push it?", but not "do we merge by squash?" or
"is the commit hook slow?".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.language.lexicon import PREPOSITIONS, VAGUE_WORDS, parse_set, parse_stems
from transforms.language.tokenizer import list_plain_words, stem, tokenize
from transforms.recall.question import Question
from transforms.recall.question_type import NAMED_WORK, QUESTION_WORD, WORK_WORDS, asks_for_open_work
from transforms.words.word_classes import AUXILIARIES, FIRST_PERSONS

_MERGING, _OUT = frozenset({"merged", "closed", "reopened"}), frozenset({"deployed", "published", "tagged", "deleted"})
_DECIDING = {
    "merge": _MERGING, "close": _MERGING, "reopen": _MERGING, "open": _MERGING | {"is open"},
    "push": frozenset({"pushed", "merged"}), "commit": frozenset({"committed"}), "rebase": frozenset({"rebased"}),
    "tag": frozenset({"tagged", "deleted"}), "release": _OUT, "publish": _OUT, "deploy": _OUT,
    "delete": frozenset({"deleted"}),
}  # fmt: skip
"""Verb of a question -> the deeds of rows that answer it, whichever is the newest."""
_DEEDS_OF_STEM = {stem(verb): deeds for verb, deeds in _DECIDING.items()}
EVERY_END = frozenset().union(*_DECIDING.values()) - {"committed", "pushed", "is open", "reopened"}
OPEN = stem("open")
PULL_WORDS, ISSUE_WORDS = parse_stems("pull pr prs mr mrs"), parse_stems("issue issues ticket tickets bug bugs")
_THING_NOUNS = parse_stems("branch branches tag tags repository repo commit request change fix")
_STATE_NOUNS = parse_stems("state status")
_STATES = (AUXILIARIES - {"do", "does", "did"}) | parse_set("isn't aren't wasn't weren't hasn't haven't")
_DID = parse_set("did didn't")
_PRONOUNS = FIRST_PERSONS | parse_set("you they he she somebody anybody anyone someone")
_BEHIND = PREPOSITIONS | parse_set("yet already now again and or then so since still")
"""Words behind a verb that tells a state; behind one before its noun ("the deployed version") stands the noun."""
OTHER_WORDS = 1
"""Words beside the number of a piece of work, in whatever language, with which a question can ask for nothing but its state."""


@dataclass(frozen=True, slots=True)
class StateQuestion:
    """A question for a state: the deeds that decide it, the stems of its verbs, the kind of thing ("" for any), and the numbers
    or words of the thing."""

    deciding: frozenset[str]
    stems: frozenset[str]
    thing: str
    numbers: frozenset[str]
    subject: tuple[str, ...]


def read_state_question(question: Question) -> StateQuestion | None:
    """Return what a question asks of the state of one piece of work, as yes or no; None for any other question."""
    numbers, thing = list_numbers(question.text), find_thing(question)
    if question.is_past:
        return None
    stems = _find_state_verbs([word.replace("’", "'").casefold() for word in list_plain_words(question.text)])
    if not stems:
        is_bare = bool(numbers and thing) and _asks_for_nothing_else(question, numbers)
        return StateQuestion(EVERY_END, stems, thing, numbers, ()) if is_bare else None
    left_out = stems | WORK_WORDS | _THING_NOUNS | VAGUE_WORDS | numbers
    subject = drop_parts([word for word in question.words if word not in left_out])
    if not (numbers or subject) or QUESTION_WORD.search(question.text) or (OPEN in stems and not (thing or numbers)):
        return None  # "is it merged?", "which ones were merged?", "is the sidebar open by default?"
    return StateQuestion(frozenset().union(*(_DEEDS_OF_STEM[word] for word in stems)), stems, thing, numbers, subject)


def drop_parts(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words without those that are a part of another one: "minimal-header" is one name, and not three words."""
    pieces = {
        stem(piece)
        for word in words
        for piece in "".join(sign if sign.isalnum() else " " for sign in word).split()
        if piece != word
    } | {part for word in words for part in words if part != word and "-" in part and part in word.split("/")}
    return tuple(word for word in words if word not in pieces)


def _find_state_verbs(words: Sequence[str]) -> frozenset[str]:
    """Return the stems of the verbs that a question asks for as a state: a past or "open" behind "is", "was" or "has", or alone
    at the end; a verb behind who did it; a deed as a noun behind "did the", whose outcome is asked for."""
    opening = words[0] if words else ""
    stems = set[str]()
    for place, (word, behind) in enumerate(pairwise([*words, ""])):
        root = stem(word)
        if root not in _DEEDS_OF_STEM:
            continue
        is_state = word.endswith("ed") or root == OPEN
        is_end = not behind or behind in _BEHIND
        is_asked = opening in _STATES | _DID or (not behind and _STATES.isdisjoint(words))
        is_deed = words[place - 1] in _PRONOUNS and (opening in _DID or (opening in _STATES and is_state))
        is_outcome = opening in _DID and place == len(("did", "the")) and behind in PREPOSITIONS
        if (is_state and is_end and is_asked) or is_deed or is_outcome:
            stems.add(root)
    return frozenset(stems)


def _asks_for_nothing_else(question: Question, numbers: frozenset[str]) -> bool:
    """Whether beside the number of a thing there is next to nothing: "PR #52 ?" in any language, or "the status of PR 52"."""
    if not _STATE_NOUNS.isdisjoint(question.words):
        return True
    words = [word for word in question.text.split() if not numbers.intersection(tokenize(word))]
    named = [word for word in words if not WORK_WORDS.intersection(tokenize(word))]
    return len(named) <= OTHER_WORDS and question.text.rstrip().endswith(("?", "？"))


def asks_which_are_open(question: Question) -> bool:
    """Return whether a question asks what is open, of requests and issues or of all that is left to do."""
    return asks_for_open_work(question.text)


def find_thing(question: Question) -> str:
    """Return the kind of thing that a question names: a pull request or an issue; empty for neither."""
    if not PULL_WORDS.isdisjoint(question.words):
        return "pull request"
    return "issue" if not ISSUE_WORDS.isdisjoint(question.words) else ""


def list_numbers(text: str) -> frozenset[str]:
    """Return the numbers that name pieces of work: "PR 53", "#53"."""
    written = text.replace("#", " # ").split()
    words = [word.strip(".,;:?!()\"'") for word in written]
    named = zip(["", *written], words, strict=False)
    return frozenset(
        word for before, word in named if word.isdigit() and (before == "#" or not NAMED_WORK.isdisjoint(tokenize(before)))
    )
