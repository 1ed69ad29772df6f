"""Tells values that have the form of a public name: a model, a host, a part, a version, an id, a function.

A password may have the same form (`Velvet-987-Timber`), so no judge takes one for its form alone: the name of a secret has to
introduce it.
"""

from __future__ import annotations

from functools import lru_cache

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.named_values import is_id
from transforms.redaction.value_judge import compute_surprise

LEAST_RUN, MOST_SURPRISE = 2.0, 5.6
"""Characters of a run of one kind, and bits by which the letters surprise, in a part of capitals, small letters and digits; of
random ones one in a hundred reads so."""
MOST_SHORT = 5
"""Characters of a part that is too short to judge beside others."""
_QUESTION = compile_late(r"(?<=[^?])[?]\Z")
_MARKS = compile_late(r"[!$%^&*?\"'\\]|[^\x00-\x7f]")
"""Marks that stand in passwords and in no name."""
_MARKED_NUMBER = compile_late(r"[A-Za-z][@+=~]\d{3,}[A-Za-z]?\Z|\d[-_=]\Z")
"""A number behind such a mark, or a mark behind a number, at the end: `skog@2169`; versions have dots or few digits there."""
_NUMBERED = compile_late(r"[A-Za-z][\w./-]*#[A-Za-z]?\d+\Z")
"""An issue of a project, an order: `PO#4500012345`."""
_JOINTS = compile_late(r"[^A-Za-z0-9]+")
_RUN = compile_late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_DIGITS = compile_late(r"\d+")
_HEX_NUMBER = compile_late(r"0x[0-9A-Fa-f]+\Z")


@lru_cache(maxsize=8192)
def is_public_name(value: str) -> bool:
    """Whether each part of a value between its marks is a word, a number, a version, or an id in letters of one case.

    Ids of clients and services with their prefix are public names, too.
    """
    value = _QUESTION.sub("", value)
    if is_id(value):
        return True
    if _MARKS.search(value) or _MARKED_NUMBER.search(value) or ("#" in value and not _NUMBERED.match(value)):
        return False
    parts = [part for part in _JOINTS.split(value) if part]
    return all(_is_readable(part, len(parts)) for part in parts)


def _is_readable(part: str, count: int) -> bool:
    small = part.lower()
    if part in (small, part.upper()) or _HEX_NUMBER.match(part) or (count > 1 and len(part) <= MOST_SHORT):
        return True
    return len(part) >= LEAST_RUN * len(_RUN.findall(part)) and compute_surprise(_DIGITS.sub("", small))[0] <= MOST_SURPRISE
