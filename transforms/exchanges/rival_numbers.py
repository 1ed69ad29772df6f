"""Two numbers in two parts of one sentence, of which an older clause gave one: "512 px tiles, the 256 ones triple the requests".

No word of change is asked for, and no language: the part with the new number names what both are about, and the part with the
former one only says something about that number. A part that names its own subject ("the test server on 9010, the other one on
9020") gives a number to something else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from transforms.language.statement import parse_statement
from transforms.language.tokenizer import find_telling_words

MIN_SHARED = 0.5
"""Share of the telling words of the older clause that the part with the new number has."""
MAX_WORDS = 8
"""Telling words of the older clause: a longer one is about more than a number."""


class NumberedPart(NamedTuple):
    """A part of a sentence, its one number and the unit, and the words that may name something in any language."""

    value: str
    unit: str
    words: frozenset[str]


@lru_cache(maxsize=16_384)
def find_rival_numbers(text: str) -> tuple[NumberedPart, ...]:
    """Return the two parts of a sentence that have one number each; empty for any other sentence."""
    if ", " not in text or not any(map(str.isdigit, text)):
        return ()
    read = [(part, parse_statement(part).numbers) for part in text.split(", ")]
    parts = [NumberedPart(*next(iter(numbers)), find_telling_words(part)) for part, numbers in read if len(numbers) == 1]
    is_pair = len(parts) == 2 and parts[0].value != parts[1].value and not any(len(numbers) > 1 for _, numbers in read)
    return tuple(parts) if is_pair else ()


def is_former_number(older: str, newer: str) -> bool:
    """Whether the older clause gave its subject a number that the newer one tells beside the present one."""
    parts, numbers = find_rival_numbers(newer), parse_statement(older).numbers
    if not parts or len(numbers) != 1:
        return False
    ((value, unit),) = numbers
    first, second = parts
    if value not in (first.value, second.value):
        return False
    former, present = (first, second) if first.value == value else (second, first)
    words = find_telling_words(older) - {value}
    shared = words & present.words
    is_subject = 0 < len(words) <= MAX_WORDS and len(shared) >= MIN_SHARED * len(words)
    return is_subject and not words & former.words and present.unit in (former.unit, unit)
