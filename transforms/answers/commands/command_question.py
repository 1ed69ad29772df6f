"""Reads from a question whether it asks how something is run, and for what: "how do I run the tests?" asks for tests."""

from __future__ import annotations

from typing import NamedTuple

from transforms.habits.command_purpose import STARTING_WORDS
from transforms.habits.command_row import COMMAND_KIND
from transforms.language.lexicon import VAGUE_WORDS
from transforms.language.tokenizer import list_plain_words
from transforms.recall.question import Question
from transforms.words.word_classes import FIRST_PERSONS, MODALS, NEGATIONS, PRESENT_COPULAS, SECOND_PERSONS

_RUN = "run"
_WHO_RUNS = FIRST_PERSONS | SECOND_PERSONS | {"one"}
_FORMS = PRESENT_COPULAS | MODALS | {"to"}
_DENIALS = NEGATIONS - {"no"}
""""With no cache" only says how."""


class AskedWork(NamedTuple):
    """The words of the work for which a question asks how it is run; `is_run`: the question itself speaks of running, so that a
    word that memory does not know says nothing against a command ("the test suite")."""

    words: tuple[str, ...]
    is_run: bool


def read_asked_work(question: Question) -> AskedWork | None:
    """Return the work for which a question asks how it is run; None for any other question.

    Grammar tells it: "how" before an auxiliary or "to", or "what" and "which" in a sentence about running. What was done once
    is no habit, what is denied ("what must I not run?") no success, and "how does the build know …" asks how something works.
    """
    words = [word.replace("’", "'").casefold() for word in list_plain_words(question.text)]
    if question.is_past or not words or any(word in _DENIALS or word.endswith("n't") for word in words):
        return None
    is_run = any(word in question.words for word in (_RUN, COMMAND_KIND))
    asks_how = any(
        word == "how" and (behind in _FORMS or (behind in ("do", "does") and (is_run or who in _WHO_RUNS)))
        for word, behind, who in zip(words, words[1:], [*words[2:], ""], strict=False)
    )
    asks_what = is_run and words[0].partition("'")[0] in ("what", "which") and "did" not in words
    if not (asks_how or asks_what):
        return None
    work = tuple(word for word in question.words if word not in STARTING_WORDS | VAGUE_WORDS | {COMMAND_KIND})
    return AskedWork(work, is_run) if work else None
