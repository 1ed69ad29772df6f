"""Judges by the form of two messages how likely the later one objects to the earlier one, in any language.

Word rules and the learned acts tell an objection in English alone; in other languages what an agent claimed stood as a fact
beside the words that denied it. People who object write at some length, take up the agent's words, give another number or
insist with "??", and seldom ask or answer a question. No word decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

from transforms.words.sentence_marks import QUESTION_MARKS


class ObjectionWeights(NamedTuple):
    """Log-odds that a message corrects the agent's words before it, as weights of its features."""

    bias: float
    chars: float
    """Of the logarithm of its width in letters; a wide character counts twice."""
    words: float
    """Of the logarithm of the number of its words."""
    asks: float
    """Of a question mark."""
    insists: float
    """Of two marks of a question or an outcry in a row."""
    answers: float
    """Of an agent's text that ends with a question."""
    repeats: float
    """Of the share of the agent's telling words that it takes up."""
    opens_short: float
    """Of a short first word with a mark behind it."""
    reply_chars: float
    """Of the logarithm of the width of the agent's text."""
    other_number: float
    """Of a number that the agent's text, which has some, does not have."""


OBJECTION_WEIGHTS = ObjectionWeights(-7.97, 1.22, -0.53, -1.13, 2.25, -1.35, 3.47, -0.88, 0.41, 0.71)
"""Fitted by `benchmarks/distil/objections.py` on the voices of writers who had not seen the rules."""
MIN_OBJECTION = 0.12
"""From this probability on an agent's claims are doubted; of all messages behind an agent's words .085 correct them."""
JUDGED_CHARS = 600
"""The beginning of a message and the end of an agent's text that are compared."""
OPENING_CHARS = 8
_MARKS = ".,:;!?()[]`*"


def describe_objection(before: str, typed: str, repeated: float) -> tuple[float, ...]:
    """Return the features of a typed message behind an agent's text, in the order of the weights.

    `repeated` is the share of the agent's telling words that the message takes up, both within JUDGED_CHARS.
    """
    said, ours = before[-JUDGED_CHARS:], typed[:JUDGED_CHARS]
    numbers = _find_numbers(said)
    first = next(iter(ours.split()), "")
    return (
        math.log1p(_measure_width(typed)),
        math.log1p(len(typed.split())),
        float(any(mark in typed for mark in QUESTION_MARKS)),
        float(any(mark in typed for mark in ("??", "?!", "!?", "!!"))),
        float(before.rstrip().endswith(QUESTION_MARKS)),
        repeated,
        float(len(first) <= OPENING_CHARS and first[-1:] in set(".,!:;…")),
        math.log1p(_measure_width(said)),
        float(bool(numbers) and not _find_numbers(ours) <= numbers),
    )


def judge_objection(features: Sequence[float], weights: ObjectionWeights = OBJECTION_WEIGHTS) -> float:
    """Return the probability that a message corrects the agent's words before it."""
    bias, *factors = weights
    odds = bias + math.fsum(factor * feature for factor, feature in zip(factors, features, strict=True))
    return round(1 / (1 + math.exp(-odds)), 5)


def _find_numbers(text: str) -> set[str]:
    """Return the words with a digit, without the marks around them."""
    return {word.strip(_MARKS) for word in text.split() if any(map(str.isdigit, word))}


def _measure_width(text: str) -> int:
    """Return the width of a text in letters: a syllable of Hangul or a Chinese character says as much as several letters."""
    return len(text) if text.isascii() else sum(1 + (east_asian_width(character) in "WF") for character in text)
