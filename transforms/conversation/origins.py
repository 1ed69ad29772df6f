"""Origins of facts: the owner's words, an agent's finding, a tool's output, a summary, or somebody else's text.

It is read off the cited entries, so that it is the same for every engine. What is condensed or proposed from several facts
has the least trusted of their origins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import FactKind, Origin

SPOKEN_KINDS: frozenset[FactKind] = frozenset(
    {"preference", "rule", "decision", "correction", "convention", "state_change", "request", "question"}
)
"""Kinds that somebody says; facts of every other kind are found or shown."""
_LETTERS_AND_DIGITS = compile_late(r"[^\W_]+")
STEM_CHARS = 4
OWN_STEMS = 2
"""Words of a fact that the owner's part of an entry has when the fact may rest on it, whatever a paste beside it has."""
ASSENT_WORDS = 4
"""A typed message of at most so many words ("yes, always") may adopt an agent's proposal in any words."""


def find_origin(kind: FactKind, text: str, cited: Sequence[Entry], answers: Collection[int]) -> Origin:
    """Return the origin of a fact: the owner when they said, chose or agreed to some of it, else that of its first citation.

    `answers` are the ordinals of tool results that answer a question to the owner.
    """
    if kind in SPOKEN_KINDS and any(_is_owners(text, entry, cited, answers) for entry in cited):
        return "owner"
    return _find_origin_of(text, cited[0], answers) if cited else "other"


def rests_on_others(text: str, entry: Entry) -> bool:
    """Whether a fact rests on the words of others in an entry: the owner's beside them share at most one with it, and fewer."""
    if not entry.foreign_words:
        return False
    stems = _list_stems(text)
    own, foreign = (len(stems & _list_stems(words)) for words in (entry.owner_words, entry.foreign_words))
    return own < min(max(foreign, 1), OWN_STEMS)


def find_least_trusted(origins: Iterable[Origin | None]) -> Origin | None:
    """Return the least trusted of some origins; None when one of them is unknown or there is none."""
    listed = list(origins)
    if not listed or None in listed:
        return None
    return max((origin for origin in listed if origin), key=TRUST.index)


TRUST: tuple[Origin, ...] = ("owner", "agent", "summary", "tool", "other")
"""Origins, most trusted first: words of a person or an agent count more than the output of a page or a program."""


def _is_owners(text: str, entry: Entry, cited: Sequence[Entry], answers: Collection[int]) -> bool:
    """Whether the owner said some of a text in an entry, agreed to it there, or chose it in answer to a question."""
    if entry.ordinal in answers:
        return True
    if rests_on_others(text, entry):
        return False
    words = _LETTERS_AND_DIGITS.findall(entry.owner_words.lower())
    if 0 < len(words) <= ASSENT_WORDS and any(other.role == "assistant" for other in cited):
        return True
    return bool(_list_stems(entry.owner_words) & _list_stems(text))


def _list_stems(text: str) -> set[str]:
    return {word[:STEM_CHARS] for word in _LETTERS_AND_DIGITS.findall(text.lower()) if len(word) >= STEM_CHARS}


def _find_origin_of(text: str, entry: Entry, answers: Collection[int]) -> Origin:
    if rests_on_others(text, entry):
        return "other"
    if entry.ordinal in answers or entry.owner_words:
        return "owner"
    if entry.entry_type in SUMMARY_TYPES:
        return "summary"
    if entry.role in ("toolResult", "bashExecution"):
        return "tool"
    return "agent" if entry.role == "assistant" else "other"
