"""Judges by its form alone whether a value is like a password, a code or code of a program: mixed, strong, with a random part."""

from __future__ import annotations

from itertools import pairwise

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.value_forms import CAMEL_PART, compute_entropy, is_harmless, looks_random
from transforms.redaction.value_judge import STRONG_MARKS

_ENDING = compile_late(r"[.,:;!?)\]*_]+$")
_FILE_LIKE = compile_late(r"^[\w@.-]*\.(?:[a-z]{1,5}|[a-z]{2,4}\d|[A-Z]{2,4})(?::\d+)*$")
_PLAIN_PART = compile_late(r"[A-Za-z]*\d{0,3}[a-z]?")
_CODE_LIKE = compile_late(
    r"^(?:\.{0,2}/|~/|https?:|git@|[-@#%&*=+.$/])|://|/.*/|\w\(|=>|->|::|&&|\$\{|\$\(|%[sd]|\{\{|\[redacted|^\w+="
)
HEX_ID = compile_late(r"(?i)^(?:[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-[a-z]{2}\d{1,2})?$")
_VALUE_MARKS = compile_late(r"[-_.!#$%^&*?+@~=/:]")
_VALUE_JOINTS = compile_late(r"[-_.:/+=@#~&?%]")
_SHORT_HEX = compile_late(r"(?:[0-9a-f]{6,16}|[0-9A-F]{6,16})$")


def cut_ending(value: str) -> str:
    """Return a value without the marks of the sentence around it; `!` and `?` may belong to a password."""
    ending = _ENDING.search(value)
    return value if not ending or set(ending[0]) <= {"!", "?"} else value[: ending.start()]


def is_code_like(value: str) -> bool:
    """Whether a value is code, a path, an address or a placeholder, and so no password."""
    return is_harmless(value) or bool(_CODE_LIKE.search(value))


def is_mixed(value: str) -> bool:
    """Return whether a value is more than a word, a name, a number, a file or a version."""
    if not 6 <= len(value) <= 100 or _FILE_LIKE.match(value) or HEX_ID.match(value):
        return False
    if all(_PLAIN_PART.fullmatch(part) for part in _VALUE_JOINTS.split(value)):
        return has_random_part(value)
    return looks_random(value, 6) or has_random_part(value)


def is_strong(value: str) -> bool:
    """Return whether a value looks like a password in the middle of prose."""
    if len(value) < 8 or sum(map(str.isalpha, value)) < 3:
        return False
    has_digit, has_special = any(map(str.isdigit, value)), any(char in STRONG_MARKS for char in value[:-1])
    has_cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    return (has_digit and has_special) or (has_digit and has_cases and _count_changes(value) >= 3) or has_random_part(value)


def has_random_part(value: str) -> bool:
    """Return whether a part between marks is random: letters in changing case, or letters and digits mixed."""
    return any(is_random_part(part) for part in _VALUE_MARKS.split(value))


def is_random_part(part: str) -> bool:
    """Whether one part of a value is random by its letters and digits."""
    if len(part) < 6 or not part.isascii():
        return False
    if part.isalpha():
        return len(CAMEL_PART.findall(part)) >= 0.4 * len(part) and not part.isupper()
    digits = sum(map(str.isdigit, part))
    if part.isalnum() and digits >= 3 and len(part) - digits >= 2 and not _SHORT_HEX.match(part) and part[0].isdigit():
        return True
    return (
        part.isalnum()
        and digits >= 2
        and not _SHORT_HEX.match(part)
        and _count_changes(part) >= 2
        and compute_entropy(part) >= 2.2
        and digits < len(part)
    )


def _count_changes(value: str) -> int:
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else "m" for char in value]
    return sum(first != second for first, second in pairwise(kinds))
