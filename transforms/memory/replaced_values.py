"""Finds the value that a clause names as replaced ("moved from port 9477 to 9500", "nats instead of rabbit"), by the slots of its
grammar, and whether an older clause gave that value to the same subject.
"""

from __future__ import annotations

import re
from functools import lru_cache

from transforms.language.statement import profile_words

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
_SLOTS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\bfrom\s+{_SLOT}\s+(?:to|into|onto|over to)\s+\S",
        rf"\b(?:instead of|rather than|in place of|no longer|not)\s+{_SLOT}{_BREAK}",
        rf"{_BEFORE}\s*(?:→|[-=]>)\s*\S",
        rf"{_BEFORE}{_BE}\s+(?:out|gone|away|dead|off|over|history|replaced|dropped|removed|retired|superseded)\b",
        rf"\b(?:drop(?:ped)?|ditch(?:ed)?|remov(?:e|ed)|replac(?:e|ed|es|ing)|retir(?:e|ed|es))\s+{_SLOT}{_BREAK}",
    )
)


@lru_cache(maxsize=8_192)
def find_replaced_words(text: str) -> frozenset[str]:
    """Return the words of the values that a clause names as replaced; empty when it names none."""
    found: set[str] = set()
    for pattern in _SLOTS:
        for match in pattern.finditer(text):
            if len(match["old"].split()) <= MAX_SLOT_WORDS:
                found |= _list_words(match["old"])
    return frozenset(found)


@lru_cache(maxsize=8_192)
def _find_new_words(text: str) -> frozenset[str]:
    """Return the words of a clause outside of the slots of replaced values."""
    for pattern in _SLOTS:
        text = pattern.sub(_blank_slot, text)
    return _list_words(text)


def _blank_slot(match: re.Match[str]) -> str:
    is_slot = len(match["old"].split()) <= MAX_SLOT_WORDS
    return match[0].replace(match["old"], " ", 1) if is_slot else match[0]


def key_value(word: str) -> str:
    """Return the key under which a clause that gives a value and one that replaces it find each other."""
    return f"value {word[:MIN_COMMON_START]}"


def is_value_named(older: str, newer: str) -> bool:
    """Whether the newer clause names a value of the older one as replaced, about the same subject, and says something new."""
    replaced, new = find_replaced_words(newer), _find_new_words(newer)
    words = _list_words(older)
    gone = {word for word in words if _is_among(word, replaced) and not _is_among(word, new)}
    subject = {word for word in words - gone if _is_among(word, new) or _is_among(word, replaced)}
    come = {word for word in new if not _is_among(word, words)}
    return bool(gone and subject and come) and len(words) - len(gone) - len(subject) <= MAX_UNEXPLAINED


def _is_among(word: str, others: frozenset[str]) -> bool:
    if word in others:
        return True
    return len(word) >= MIN_COMMON_START and any(
        len(other) >= MIN_COMMON_START and (other.startswith(word) or word.startswith(other)) for other in others
    )


def _list_words(text: str) -> frozenset[str]:
    profile = profile_words(text)
    return frozenset(word.strip(".,;:") for word in profile.content | profile.values)
