"""Judges by the form of two messages how likely the later one objects to the earlier one, in any language.

Word rules and the learned acts tell an objection in English alone. In other languages what an agent claimed stood as a fact beside
the words that denied it. People who object write at some length, take up the agent's words, give another number, insist
with "??", and seldom plainly ask or answer a question; no word decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from transforms.exchanges.exchange import Exchange
from transforms.language.sentences import QUESTION_MARKS, has_question_mark
from transforms.language.tokenizer import find_telling_words
from transforms.patterns.late_pattern import compile_late


class ObjectionWeights(NamedTuple):
    """Log-odds that a message corrects the agent's words before it, as weights of its features."""

    bias: float
    chars: float
    """Of the logarithm of its length."""
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
    """Of the logarithm of the length of the agent's text."""
    other_number: float
    """Of a number that the agent's text, which has some, does not have."""


OBJECTION_WEIGHTS = ObjectionWeights(-8.01, 1.23, -0.55, -1.13, 2.28, -1.35, 3.47, -0.9, 0.42, 0.74)
"""Fitted by `benchmarks/learning/objections.py` on the voices of writers who had not seen the rules."""
MIN_OBJECTION = 0.12
"""From this probability on an agent's claims are doubted: of messages behind an agent's words one in twelve corrects them."""
JUDGED_CHARS = 600
"""The beginning of a message and the end of an agent's text that are compared."""
OPENING_CHARS = 8
_NUMBER = compile_late(r"\d+(?:[.,:]\d+)*")


def describe_objection(before: str, typed: str) -> tuple[float, ...]:
    """Return the features of a typed message behind an agent's text, in the order of the weights."""
    said, ours = before[-600:], typed[:JUDGED_CHARS]
    telling = find_telling_words(said)
    numbers = set(_NUMBER.findall(said))
    first = next(iter(ours.split()), "")
    return (
        math.log1p(len(typed)),
        math.log1p(len(typed.split())),
        float(has_question_mark(typed)),
        float(any(mark in typed for mark in ("??", "?!", "!?", "!!"))),
        float(before.rstrip().endswith(QUESTION_MARKS)),
        len(telling & find_telling_words(ours)) / max(1, len(telling)),
        float(len(first) <= OPENING_CHARS and first[-1:] in set(".,!:;…")),
        math.log1p(len(said)),
        float(bool(numbers) and not set(_NUMBER.findall(ours)) <= numbers),
    )


def judge_objection(features: Sequence[float], weights: ObjectionWeights = OBJECTION_WEIGHTS) -> float:
    """Return the probability that a message corrects the agent's words before it."""
    bias, *factors = weights
    odds = bias + math.fsum(factor * feature for factor, feature in zip(factors, features, strict=True))
    return round(1 / (1 + math.exp(-odds)), 5)


def mark_doubted(exchanges: Sequence[Exchange], weights: ObjectionWeights = OBJECTION_WEIGHTS) -> list[Exchange]:
    """Return the exchanges of a language that no rule reads; those to which the next message may object are doubted."""
    marked = [
        replace(exchange, is_doubted=_may_be_objected(exchange, later, weights)) for exchange, later in pairwise(exchanges)
    ]
    return [*marked, *exchanges[-1:]]


def _may_be_objected(exchange: Exchange, later: Exchange, weights: ObjectionWeights) -> bool:
    if not (exchange.agent_messages and later.typed.strip()):
        return False
    return judge_objection(describe_objection(exchange.agent_messages[-1].text, later.typed), weights) >= MIN_OBJECTION
