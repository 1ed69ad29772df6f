"""Finds words that a person calls a password with other words between: "I set it to … as the password", "the secret, which is …"."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.account_pairs import may_be_password
from transforms.redaction.apart.value_kinds import is_no_word
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import COPULA
from transforms.redaction.named_values import find_names
from transforms.redaction.names import translated_names
from transforms.redaction.names.introductions import is_of_one_sentence
from transforms.redaction.numbers.access_codes import is_small_word

MOST_CHARS, MOST_BETWEEN = 70, 24
"""Characters between a name and its value behind it, and between a value and the name behind it."""
_VALUE = compile_late(
    r"(?<![A-Za-z0-9_/.@:=#&?~$-])[^\s\"'`“”„«»<>,;()\[\]{}|/\\:=\u2e80-\uffff]{5,64}(?![A-Za-z0-9_/@(\[{=:]|\.\w)"
)
_TRAILING = compile_late(r"[.,:;?)\]*_]+\Z")
_SETS = compile_late(
    rf"(?:^|\s)(?:to|auf|zu|na|на|til|till|naar|{COPULA})\s*[\"'`*“„«]{{0,2}}\Z",
)
"""What says right before a value that it is one: a verb, or the word of setting something to it."""
_BEFORE_NAME = compile_late(r"[\"'`*”»]{0,2}\s(?:[^\W\d_]{1,5}\s){1,2}(?:[^\W\d_]{2,12}[ -])?\Z")
_NEXT_WORD = compile_late(r"\w{0,20}[\s\"'`*]{1,4}(?P<word>[^\W\d_]{4,})")
_CLASSES = frozenset({"password", "secret"})


def find_told_around(text: str) -> Iterator[SecretSpan]:
    """Yield the values that a name in the same sentence calls a secret, before or behind them: in words that a person typed."""
    values = list(_list_values(text))
    if not values:
        return
    lower = lower_keeping_length(text)
    names = [(start, stop, name) for start, stop, name in find_names(text, lower) if name in _CLASSES]
    names += [
        (-1, stop, "password") for stop, kind in translated_names.find_names(lower, True) if kind == translated_names.PASSWORD
    ]
    for start, end, is_random in values:
        if any(_tells(text, name, start, end, is_random) for name in names):
            yield start, end, "password"


def _list_values(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where words begin and end that may be passwords, and whether they are letters of no word."""
    for match in _VALUE.finditer(text):
        start, end = match.span()
        if trailing := _TRAILING.search(text, start, end):
            end = trailing.start()
        value = text[start:end]
        if value.isalpha() and not value.isascii():
            continue
        if (is_random := is_no_word(value)) or may_be_password(value):
            yield start, end, is_random


def _tells(text: str, name: tuple[int, int, str], start: int, end: int, is_random: bool) -> bool:
    """Whether a name tells a value: behind it with a verb between, or a name of a password before a few short words."""
    first, stop, kind = name
    if stop <= start:
        between = text[stop:start]
        is_told = len(between) <= MOST_CHARS and is_of_one_sentence(between) and _SETS.search(between) is not None
        return is_told and (is_random or kind == "password")
    if first < end or kind != "password" or is_random or first - end > MOST_BETWEEN:
        return False
    following = _NEXT_WORD.match(text, stop)
    is_other = following is not None and not is_small_word(following["word"])
    return not is_other and _BEFORE_NAME.match(text[end:first]) is not None
