"""Whether two facts say the same, or the opposite: guards on words, numbers, names and polarity first, cosines second.

Opposites embed closer than rewordings (a merge by cosine alone would fold opposite rules together 87 % of the time: flow
#32 in the research notes; measured here: "never/always push to main" 0.96, a true rewording 0.57). So a cosine never merges
anything by itself: it only widens how much one of two texts may say beyond the other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from transforms.language.lexicon import ALTERNATIVES, CHANGE_WORDS, PARTNERS
from transforms.language.statement import Statement, content

Vectors = NDArray[np.float32]

EXTRA = 0.34
"""Content words that only one text has, as a share of those that both have: up to this, words alone decide."""
EXTRA_NEAR = 0.67
"""The same when the vectors agree. On the labelled pairs of the tests 0.34 alone keeps 2 of 34 duplicates apart."""
NEAR = 0.82
"""Cosine of all-MiniLM-L6-v2 from which the vectors count as agreeing."""
_BACK = {"to": "from", "from": "to", "before": "after", "after": "before"}
COSINE_DIGITS = 4
"""Cosines are rounded, so that the order of a sum in BLAS never decides."""


def cosine(first: Vectors | None, second: Vectors | None) -> float | None:
    """The rounded cosine of two unit vectors; None when one is missing."""
    if first is None or second is None or len(first) != len(second):
        return None
    return round(float(np.dot(first.astype(np.float32), second.astype(np.float32))), COSINE_DIGITS)


def is_same(first: Statement, second: Statement, near: Callable[[], float | None] = lambda: None) -> bool:
    """Whether both say the same thing; symmetric. `near` gives the cosine of their vectors, None when one has none yet."""
    if first.sequence == second.sequence:
        return first.numbers == second.numbers
    if first.is_question != second.is_question:
        return False
    one, other = content(first), content(second)
    shared, only_first, only_second = one & other, one - other, other - one
    if not shared or (only_first and only_second):
        return False  # a word replaced on each side: another object, not another wording
    if len(shared) < 2 and not first.numbers and (only_first or only_second):
        return False
    more, extra = (first, only_first) if only_first else (second, only_second)
    if len(extra) > len(shared) * EXTRA_NEAR or extra & (more.scoped | more.names):
        return False  # "…in production", "…for `web`": a narrower claim
    if differs(first, second) or opposes(first, second) or is_turned_round(first, second):
        return False
    return len(extra) <= len(shared) * EXTRA or (near() or 0.0) >= NEAR


def differs(first: Statement, second: Statement) -> bool:
    """Whether they name other numbers, versions, paths or identifiers, or bind differently (may / must, only, unless)."""
    if not _same_numbers(first, second):
        return True
    if not (_covers(first, second) and _covers(second, first)):
        return True
    if first.limits != second.limits:
        return True
    permits = first.has_permission and not first.has_duty, second.has_permission and not second.has_duty
    duties = first.has_duty and not first.has_permission, second.has_duty and not second.has_permission
    return (permits[0] and duties[1]) or (permits[1] and duties[0])


def opposes(first: Statement, second: Statement) -> bool:
    """Whether one affirms what the other denies, or they hold one pole each of a pair such as enable / disable."""
    for word in first.words & second.words:
        one, other = first.signs[word], second.signs[word]
        if one != other and (len(one) == len(other) == 1 or word in ALTERNATIVES):
            return True
    only_first, only_second = first.stems - second.stems, second.stems - first.stems
    return any(not only_second.isdisjoint(PARTNERS[word]) for word in only_first if word in PARTNERS)


def is_turned_round(first: Statement, second: Statement) -> bool:
    """Whether the same words stand in other roles: "client calls server" / "server calls client", from a to b / from b to a."""
    if (
        first.sequence != second.sequence
        and sorted(first.sequence) == sorted(second.sequence)
        and not _is_rotation(first, second)
    ):
        return True
    if any((_BACK[role], word) in second.roles - first.roles for role, word in first.roles if role in _BACK):
        return True
    roles_first, roles_second = dict(sorted(first.roles)), dict(sorted(second.roles))
    return any(
        roles_first[role] != roles_second[role]
        and roles_first[role] in second.words
        and roles_second[role] in first.words
        and role not in dict(first.roles & second.roles)
        for role in roles_first.keys() & roles_second.keys()
    )


def _is_rotation(first: Statement, second: Statement) -> bool:
    """ "before a push run b" / "run b before a push": the same clauses in another order."""
    size = len(first.sequence)
    doubled = first.sequence * 2
    return any(doubled[at : at + size] == second.sequence for at in range(1, size))


def _same_numbers(first: Statement, second: Statement) -> bool:
    """Equal values; units may be missing on one side."""
    values = {value for value, _ in first.numbers}, {value for value, _ in second.numbers}
    if values[0] != values[1]:
        return False
    units = ({unit for _, unit in one.numbers if unit} for one in (first, second))
    left, right = next(units), next(units)
    return not left or not right or left <= right or right <= left


def _covers(first: Statement, second: Statement) -> bool:
    """Whether every code-like name of `first` is found in `second`, as a word or as the end of a path."""
    return all(
        name in second.words or any(other.endswith("/" + name) or name.endswith("/" + other) for other in second.names)
        for name in first.names
    )


def subject(one: Statement) -> frozenset[str]:
    """The words that say what a claim is about: content without the words of change."""
    return content(one) - CHANGE_WORDS
