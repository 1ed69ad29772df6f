"""Decide whether two facts are restatements or opposites: words, numbers, names and polarity first, cosines second.

Opposites have closer vectors than rewordings. So a cosine never decides alone: it only raises the number of extra words that
one of two texts may have. Texts of one form share most words, those of grammar too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from transforms.language.lexicon import ALTERNATIVES, CHANGE_WORDS, PARTNERS
from transforms.language.sentences import split_words
from transforms.language.statement import Statement, select_content_words

Vectors = NDArray[np.float32]

EXTRA = 0.34
"""Share of extra content words in one text, relative to the shared ones, up to which words alone decide."""
EXTRA_NEAR = 0.67
"""The same share when the vectors agree."""
NEAR = 0.82
"""Cosine of all-MiniLM-L6-v2 from which vectors agree."""
ALIKE_SHARE = 0.7
"""Share of the words of the longer one that two texts of a form have in common, words of grammar too: they are the form."""
MIN_ALIKE = 3
"""Texts that make a form; two may be a coincidence."""
MIN_FORM_WORDS = 5
OPENING_WORDS = 2
"""Words with which all texts of a form begin: so each is compared with few others."""
_REVERSE_ROLE = {"to": "from", "from": "to", "before": "after", "after": "before"}
COSINE_DIGITS = 4
"""Cosines are rounded, so that the order of a sum in BLAS never decides."""


def compute_cosine(first: Vectors | None, second: Vectors | None) -> float | None:
    """Return the rounded cosine of two unit vectors; None when one is missing."""
    if first is None or second is None or len(first) != len(second):
        return None
    return round(float(np.dot(first.astype(np.float32), second.astype(np.float32))), COSINE_DIGITS)


def is_restatement(first: Statement, second: Statement, near: Callable[[], float | None] = lambda: None) -> bool:
    """Whether two texts make the same claim; symmetric. `near` returns the cosine of their vectors, None while one has none."""
    if first.sequence == second.sequence:
        return first.numbers == second.numbers
    if first.is_question != second.is_question:
        return False
    first_words, second_words = select_content_words(first), select_content_words(second)
    shared, only_first, only_second = first_words & second_words, first_words - second_words, second_words - first_words
    if not shared or (only_first and only_second):
        return False  # each side has a word of its own: another object, not another wording
    if len(shared) < 2 and not first.numbers and (only_first or only_second):
        return False
    more, extra = (first, only_first) if only_first else (second, only_second)
    if len(extra) > len(shared) * EXTRA_NEAR or extra & (more.scoped | more.names):
        return False  # "…in production", "…for `web`": a narrower claim
    if has_other_details(first, second) or is_opposite(first, second) or has_swapped_roles(first, second):
        return False
    return len(extra) <= len(shared) * EXTRA or (near() or 0.0) >= NEAR


def has_other_details(first: Statement, second: Statement) -> bool:
    """Whether two texts differ in numbers, versions, paths, identifiers or in force (may / must, only, unless)."""
    if not _has_same_numbers(first, second):
        return True
    if not (_covers_names(first, second) and _covers_names(second, first)):
        return True
    if first.limits != second.limits:
        return True
    permits = first.has_permission and not first.has_duty, second.has_permission and not second.has_duty
    duties = first.has_duty and not first.has_permission, second.has_duty and not second.has_permission
    return (permits[0] and duties[1]) or (permits[1] and duties[0])


def is_opposite(first: Statement, second: Statement) -> bool:
    """Whether one text affirms a statement that the other denies, or each has one word of a pair such as enable / disable."""
    for word in first.words & second.words:
        first_signs, second_signs = first.signs[word], second.signs[word]
        if first_signs != second_signs and (len(first_signs) == len(second_signs) == 1 or word in ALTERNATIVES):
            return True
    only_first, only_second = first.stems - second.stems, second.stems - first.stems
    return any(not only_second.isdisjoint(PARTNERS[word]) for word in only_first if word in PARTNERS)


def has_swapped_roles(first: Statement, second: Statement) -> bool:
    """Whether equal words have other roles: "client calls server" / "server calls client", from a to b / from b to a."""
    if (
        first.sequence != second.sequence
        and sorted(first.sequence) == sorted(second.sequence)
        and not _is_rotation(first, second)
    ):
        return True
    if any((_REVERSE_ROLE[role], word) in second.roles - first.roles for role, word in first.roles if role in _REVERSE_ROLE):
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
    """Whether the clauses are only reordered: "before a push run b" / "run b before a push"."""
    size = len(first.sequence)
    doubled = first.sequence * 2
    return any(doubled[shift : shift + size] == second.sequence for shift in range(1, size))


def _has_same_numbers(first: Statement, second: Statement) -> bool:
    """Whether the values are equal; units may be missing on one side."""
    values = {value for value, _ in first.numbers}, {value for value, _ in second.numbers}
    if values[0] != values[1]:
        return False
    units = ({unit for _, unit in statement.numbers if unit} for statement in (first, second))
    first_units, second_units = next(units), next(units)
    return not first_units or not second_units or first_units <= second_units or second_units <= first_units


def _covers_names(first: Statement, second: Statement) -> bool:
    """Whether every code-like name of `first` occurs in `second`, as a word or as the end of a path."""
    return all(
        name in second.words or any(other.endswith("/" + name) or name.endswith("/" + other) for other in second.names)
        for name in first.names
    )


def select_subject_words(statement: Statement) -> frozenset[str]:
    """Return the words of a claim's subject: content words without words of change."""
    return select_content_words(statement) - CHANGE_WORDS


def group_forms(texts: Sequence[str], counts: Sequence[int] | None = None) -> list[list[int]]:
    """Return the places of the texts that have one form, form by form; the first of each is like all others of it.

    Somebody says of every task the same words, with another name in them each time. `counts` tells how many each stands for.
    """
    forms: defaultdict[tuple[str, ...], list[tuple[frozenset[str], list[int]]]] = defaultdict(list)
    for place, text in enumerate(texts):
        listed = split_words(text)
        words = frozenset(listed)
        if len(words) < MIN_FORM_WORDS:
            continue
        of_opening = forms[tuple(listed[:OPENING_WORDS])]
        form = next((places for first, places in of_opening if _are_alike(words, first)), None)
        if form is None:
            of_opening.append((words, [place]))
        else:
            form.append(place)
    grouped = [places for of_opening in forms.values() for _, places in of_opening if len(places) > 1]
    return [places for places in grouped if sum(counts[place] if counts else 1 for place in places) >= MIN_ALIKE]


def _are_alike(words: frozenset[str], first: frozenset[str]) -> bool:
    return len(words & first) >= ALIKE_SHARE * max(len(words), len(first))
