"""Judges whether a value that no name tells is a secret: a logistic regression over its form, its place and the words around it.

The weights are in `transforms/redaction/bare_weights.py`, which `benchmarks/learning/bare_secrets.py` writes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import lru_cache
from operator import mul

from transforms.redaction.bare_values import BareValue, describe_bare, hash_names, list_bare_values, name_form
from transforms.redaction.bare_weights import CONSTANTS, FORM_WEIGHTS, PACKED_SLOTS, SLOT_SCALE, TYPED_WEIGHTS
from transforms.redaction.value_judge import describe_value

LEAST_ODDS, LEAST_TYPED_ODDS = 2.0, 2.0
"""Log-odds from which a value is a secret: one that is shown, and one that a person typed."""
MOST_OF_PLACE, MOST_OF_TYPED_PLACE = 4.5, 6.0
"""What place and words add to the log-odds at most; a value whose form is further below is not looked at."""
LEAST_TOKEN = 20

_SLOT_WEIGHTS = [(code - 128) * SLOT_SCALE for code in base64.b85decode("".join(PACKED_SLOTS))]


def find_bare_secrets(text: str, is_user: bool, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets without a name begin and end in a text, and their family; those that begin from `start` to `end`."""
    for value in list_bare_values(text, is_user, start, end):
        least = LEAST_TYPED_ODDS if is_user else LEAST_ODDS
        word = text[value.start : value.end]
        if _weigh_form(word, is_user) + (MOST_OF_TYPED_PLACE if is_user else MOST_OF_PLACE) > least and judge_bare(text, value, is_user) > least:
            yield value.start, value.end, "password" if len(word) < LEAST_TOKEN else "token"


def judge_bare(text: str, value: BareValue, is_user: bool) -> float:
    """Return the log-odds that a value is a secret."""
    form = describe_value(text[value.start : value.end])
    place, slots = describe_bare(text, value, is_user)
    odds = CONSTANTS[0] + sum(map(mul, (*form, *place), FORM_WEIGHTS)) + sum(_SLOT_WEIGHTS[slot] for slot in slots)
    return odds + (CONSTANTS[1] + sum(map(mul, (*form, *place), TYPED_WEIGHTS)) if is_user else 0.0)


def may_be_secret(word: str, is_user: bool) -> bool:
    """Whether a word of raw JSON has a form that may be a secret's in some place."""
    least = LEAST_TYPED_ODDS - MOST_OF_TYPED_PLACE if is_user else LEAST_ODDS - MOST_OF_PLACE
    return any(_weigh_form(word[value.start : value.end], is_user) > least for value in list_bare_values(word, is_user))


@lru_cache(maxsize=16384)
def _weigh_form(word: str, is_user: bool) -> float:
    """Return the part of the log-odds that a value has in any place."""
    form = describe_value(word)
    odds = CONSTANTS[0] + sum(map(mul, form, FORM_WEIGHTS)) + sum(_SLOT_WEIGHTS[slot] for slot in hash_names(name_form(word, is_user)))
    return odds + (CONSTANTS[1] + sum(map(mul, form, TYPED_WEIGHTS)) if is_user else 0.0)
