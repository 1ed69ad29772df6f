"""Tells what a value may be whose name stands apart from it: a password, a key, or one of the many things that are neither."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.named_values import is_id
from transforms.redaction.value_forms import is_harmless, is_secret_hex, looks_random
from transforms.redaction.value_judge import compute_surprise

LEAST_PASSWORD, MOST_PASSWORD, LEAST_KEY, LEAST_SCRAMBLED = 5, 80, 12, 8
LEAST_CHANGES, WORD_SURPRISE = 3, 5.9
"""Changes between letters and digits of a random value in one case; bits from which letters alone are no word (most: 4.7)."""
_NO_PASSWORD = compile_late(
    r"(?:\.{0,2}/|~/|[A-Z]:\\|[@#:{<$%&*(=\[-])|[^/]*/.*/|\w+://|[\w@-]*(?:\.[\w@-]+)*\.(?:[a-z]{2,5}|[a-z]{1,3}\d|\d[\d.]*)(?::\d+)?\Z"
    r"|v?\d+(?:\.\d+)+\S*\Z|[\d.,:+\-/%xT]+[a-zA-Z]{0,3}\Z|\d{4}-\d\d|.*(?:\(|\$\{|\{\{|=>|->|::|&&|==)|\w+@\w[\w-]*\.\w|\w+[~^]\d*\Z|[\w-]+=[\w'\"]"
)
"""Paths, addresses, files, versions, numbers with units, dates, code."""
_TELLING = compile_late(r"[^\W\d_].{0,80}[0-9!#$%&*?@^~+=]|[0-9!#$%&*?@^~+=].{0,80}[^\W\d_]")
"""A letter, and a digit or a mark."""
_JOINT = compile_late("[-_.]")
_RUNS = compile_late(r"[A-Za-z]+|\d+")

_DIGITS = compile_late(r"\d")
_MARK = compile_late(r"[!#$%&*?^~]|[A-Za-z0-9]@[A-Za-z0-9!]")
_NUMBER_END = compile_late(r"\d{2,}[!?.]?\Z")
_NAME = compile_late(
    r"(?:[A-Za-z]+[-_.])*(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)[-_]\d{1,3}\Z|[A-Za-z]+\d\Z|[0-9a-f]{7,64}\Z|[A-Z]{2,8}-?\d+\Z"
    r"|(?:[A-Za-z]+\d*[-.]){2,}|0[ox]\d|[A-Za-z]{1,4}-?\d{1,4}\Z|[a-z]\d+\Z|[0-9a-f]{8}-[0-9a-f]{4}-"
)
"""Counted names (`worker-12`, `team2`), hashes, tickets and parts (`ABC-1234`), names of several words, octal numbers, UUIDs."""


def is_password(value: str) -> bool:
    """Whether a value may be a password that a name tells: letters with digits or marks among them, or letters of no word."""
    if not LEAST_PASSWORD <= len(value) <= MOST_PASSWORD:
        return False
    if not (is_no_word(value) if value.isalpha() else _TELLING.search(value) is not None):
        return False
    return not (is_harmless(value) or _NO_PASSWORD.match(value) or is_id(value))


def may_be_password(value: str, is_tight: bool = False) -> bool:
    """Whether a value is a password for its form: two digits among letters, or a digit and both cases, or a mark inside.

    `is_tight`: nothing but a slash or a colon stands before it, as in a path; then digits stand at its end, or it is no word.
    """
    if not is_password(value) or _NAME.match(value):
        return False
    if _MARK.search(value[:-1]):
        return True
    digits = len(_DIGITS.findall(value))
    if is_tight:
        return _NUMBER_END.search(value) is not None or is_scrambled(value) or not is_public_name(value)
    return digits >= 2 or (digits == 1 and any(map(str.isupper, value[1:])) and any(map(str.islower, value)))


def is_key(value: str) -> bool:
    """Whether a value may be a key or a token that a name tells: random in any form, also in one case or hexadecimal."""
    if len(value) < LEAST_KEY or is_harmless(value) or is_id(value) or _NO_PASSWORD.match(value):
        return False
    if is_secret_hex(value) or is_scrambled(value):
        return True
    return looks_random(value, LEAST_KEY) and not _is_worded(value) and not (_JOINT.search(value) and is_public_name(value))


def is_scrambled(value: str) -> bool:
    """Whether a value is random in one case: letters and digits change places often, as in no name with a number."""
    if len(value) < LEAST_SCRAMBLED or not value.isalnum() or not value.isascii():
        return False
    if value not in (value.lower(), value.upper()):
        return False
    changes = sum(first.isdigit() != second.isdigit() for first, second in pairwise(value))
    return changes >= LEAST_CHANGES and compute_surprise(value)[0] >= WORD_SURPRISE


@lru_cache(maxsize=16384)
def is_no_word(value: str) -> bool:
    """Whether letters alone are no word of a language that sessions are written in."""
    return len(value) >= LEAST_SCRAMBLED and value.isalpha() and value.isascii() and compute_surprise(value)[0] >= WORD_SURPRISE


def _is_worded(value: str) -> bool:
    """Whether the letters of a value are words in the main: `prod-payments-db2`, `KeyVersion2`."""
    runs = [run for run in _RUNS.findall(value) if run.isalpha()]
    return sum(len(run) for run in runs if len(run) >= 4 and compute_surprise(run.lower())[0] <= 5.4) * 2 > len(value)
