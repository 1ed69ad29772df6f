"""The values that a clause names as replaced, in a slot of its grammar: "moved from 9477 to 9500", "nats instead of rabbit"."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from transforms.language.statement import parse_statement, profile_words
from transforms.patterns.late_pattern import compile_late

MAX_SLOT_WORDS = 4
"""Words of a slot: a longer stretch is a clause of its own."""
MAX_UNEXPLAINED = 1
"""Words of the older clause, its verb perhaps, that the newer one need not name."""
MIN_COMMON_START = 5
"""Letters that a short name shares with the long one: rabbit, rabbitmq."""

_BREAK = r"(?=\s+(?:for|in|on|at|as|with|by|to|into|onto|because|since|and|but|so)\b|[,;:.!?](?:\s|$)|\s+[-–—]\s|$)"
_SLOT = r"(?P<old>[^,;:!?]+?)"
_BEFORE = rf"(?:^|[,;:]\s+|\band\s+){_SLOT}"
_BE = r"\s+(?:is|are|was|were|has been|have been|gets?|got|goes|went)"
_ENDS = ("out", "gone", "away", "dead", "off", "over", "history", "replaced", "dropped", "removed", "retired", "superseded")
_SLOTS = tuple(
    compile_late(pattern, re.I)
    for pattern in (
        rf"\bfrom\s+{_SLOT}\s+(?:to|into|onto|over to)\s+\S",
        rf"\b(?:instead of|rather than|in place of|no longer|not)\s+{_SLOT}{_BREAK}",
        rf"{_BEFORE}\s*(?:→|[-=]>)\s*\S",
        rf"{_BEFORE}{_BE}\s+(?:{'|'.join(_ENDS)})\b",
        rf"\b(?:drop(?:ped)?|ditch(?:ed)?|remov(?:e|ed)|replac(?:e|ed|es|ing)|retir(?:e|ed|es))\s+{_SLOT}{_BREAK}",
        rf"(?:^|\s)(?P<old>\d[\d.,:]*\s?[^\W\d]*){_BE}\s+(?:\w+\s+)?too\s+[^\W\d]",
    )
)
_VALUE = r"(?:(?!(?:for|in|on|as|at)\s)[^\s,;:.!?]+\s+){0,2}[^\s,;:!?]+?"
_EXCHANGE = compile_late(
    r"^(?:(?:ok(?:ay)?|no|yes|so|actually|now)[\s,]+)*(?:(?:we|i|let's|lets|let us|please)\s+)?(?:(?:will|now|just)\s+|'ll\s+)?"
    rf"(?:(?:use|take|pick|choose|adopt|go with|switch to|move to|go to)\s+{_VALUE}\s+(?:instead of|rather than)\s+{_VALUE}"
    rf"|(?:replace|swap)\s+{_VALUE}\s+(?:with|by|for)\s+{_VALUE})(?:[,;:.!?]|$)",
    re.I,
)
"""A value that takes the place of another one, and no word about what it is for."""
_PARTS_OF_SLOTS = (
    ("from",), ("instead of", "rather than", "in place of", "no longer", "not"), ("->", "=>"), _ENDS,
    ("drop", "ditch", "remov", "replac", "retir"), ("too",),
)  # fmt: skip
"""For each pattern of a slot parts of which a text in ASCII has one, in small letters; most texts have none."""


@lru_cache(maxsize=65_536)
def find_replaced_words(text: str) -> frozenset[str]:
    """Return the words of the values that a clause names as replaced; empty when it names none."""
    replaced_words: set[str] = set()
    lower, is_ascii = text.lower(), text.isascii()  # another alphabet has letters that only a pattern takes for one of these
    for pattern, parts in zip(_SLOTS, _PARTS_OF_SLOTS, strict=True):
        if is_ascii and not any(part in lower for part in parts):
            continue
        for match in pattern.finditer(text):
            if len(match["old"].split()) <= MAX_SLOT_WORDS:
                replaced_words |= profile_claim_words(match["old"])
    return frozenset(replaced_words)


@lru_cache(maxsize=65_536)
def _find_new_words(text: str) -> frozenset[str]:
    """Return the words of a clause outside of the slots of replaced values."""
    return profile_claim_words(blank_replaced(text))


def blank_replaced(text: str) -> str:
    """Return a clause without the values that it names as replaced: "cdo instead of esmf for the grid" chooses cdo."""
    for pattern in _SLOTS:
        text = pattern.sub(_blank_slot, text)
    return text


def list_named_starts(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a clause, in and beside the slots of replaced values: an older clause of which it
    names a value as replaced (`is_value_named`) has at most `MAX_UNEXPLAINED` words with another beginning."""
    return list_starts(_find_new_words(text) | find_replaced_words(text))


def _blank_slot(match: re.Match[str]) -> str:
    is_slot = len(match["old"].split()) <= MAX_SLOT_WORDS
    return match[0].replace(match["old"], " ", 1) if is_slot else match[0]


def is_value_named(older: str, newer: str) -> bool:
    """Whether the newer clause names a value of the older one as replaced, about the same subject, and says something new."""
    if not (replaced := find_replaced_words(newer)):
        return False
    if list_starts(profile_claim_words(older)).isdisjoint(list_starts(replaced)):
        return False  # nothing of the older clause is among the replaced values: most pairs end here
    new = _find_new_words(newer)
    words = profile_claim_words(older)
    gone = list_among(words, replaced) - list_among(words, new)
    measured = {word for word in replaced if any(map(str.isdigit, word))}
    if measured and measured.isdisjoint(gone):
        return False  # "green #00ff00 → #b5bd68": the name of the value stays, and the older clause gave another value
    subject = (words - gone) & (list_among(words, new) | list_among(words, replaced))
    come = new - list_among(new, words)
    if gone == words and come:
        return bool(_EXCHANGE.match(newer))  # the older clause is only a value, and the newer one has no other subject
    if gone and come and len(words) - len(gone) <= MAX_UNEXPLAINED and _changes_only_measure(older, newer):
        return True
    return bool(gone and subject and come) and len(words) - len(gone) - len(subject) <= MAX_UNEXPLAINED


def names_measure(text: str) -> bool:
    """Whether a clause names a measure as replaced."""
    return any(any(map(str.isdigit, word)) for word in find_replaced_words(text))


def _changes_only_measure(older: str, newer: str) -> bool:
    """ "Every 15 minutes is fine" → "every 15 minutes is too slow, make it every 5 minutes": the same measure, and one more."""
    old, new = parse_statement(older).numbers, parse_statement(newer).numbers
    units = {unit for _, unit in old if unit}
    return len(old) == 1 == len(units) and old < new and all(unit in units for _, unit in new)


@lru_cache(maxsize=16_384)
def list_starts(words: frozenset[str]) -> frozenset[str]:
    """Return the beginnings of words: of one word that is among others (`list_among`), theirs have the beginning."""
    return frozenset(intern(word[:MIN_COMMON_START]) for word in words)


def names_same_change(older: str, newer: str) -> bool:
    """Whether both clauses name the same value as replaced: the newer one may only tell of the change that the older one made."""
    return bool(find_replaced_words(older) & find_replaced_words(newer))


def list_among(words: frozenset[str], others: frozenset[str]) -> set[str]:
    """Return the words that are among others: equal, or the longer one begins with the shorter, of `MIN_COMMON_START` letters."""
    starts, others_and_starts = list_starts(others), _add_starts(others)
    return {
        word
        for word in words
        if word in others_and_starts
        or (word[:MIN_COMMON_START] in starts and any(word[:size] in others for size in range(MIN_COMMON_START, len(word))))
    }


@lru_cache(maxsize=65_536)
def _add_starts(words: frozenset[str]) -> frozenset[str]:
    return words.union(word[:size] for word in words for size in range(MIN_COMMON_START, len(word)))


@lru_cache(maxsize=16_384)
def profile_claim_words(text: str) -> frozenset[str]:
    """Return the content words and the values of a text."""
    profile = profile_words(text)
    return frozenset(word.strip(".,;:") for word in profile.content | profile.values)
