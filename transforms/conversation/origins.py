"""Origins of facts: the owner's words, an agent's finding, a tool's output, a summary, or somebody else's text.

It is read off the cited entries, so that it is the same for every engine. What is condensed or proposed from several facts
has the least trusted of their origins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.language.sentences import find_content_words
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import SETTLING_KINDS, FactKind, Origin

SPOKEN_KINDS: frozenset[FactKind] = SETTLING_KINDS | {"request", "question"}
"""Kinds that somebody says; facts of every other kind are found or shown."""
_LETTERS_AND_DIGITS = compile_late(r"[^\W_]+")
_QUOTATION = compile_late(r'[^":]{1,60}: "(?P<words>[^"]+)"(?: \(|$)')
"""A fact that only quotes, as the offline engine writes it; notes may stand behind."""
STEM_CHARS = 4
OWN_STEMS = 2
"""Words of a fact that the owner's part of an entry has when the fact may rest on it, whatever a paste beside it has."""
ASSENT_WORDS = 4
"""A typed message of at most so many words ("yes, always") may adopt an agent's proposal in any words."""
MOST = 0.5
"""Of the content words of a fact that cites a summary, a message has more than this share when it says the fact."""


def find_origin(kind: FactKind, text: str, cited: Sequence[Entry], answers: Collection[int]) -> Origin:
    """Return the origin of a fact: the owner when they said, chose or agreed to some of it, else that of its first citation.

    A change of state that an agent reports first is the owner's only when they said most of it or agreed.
    A fact that cites a summary is in a model's words: it is the owner's or the agent's only when a cited message of theirs has
    most of these, and the summary's else. A tool's output and pasted text stay what they are.
    `answers` are the ordinals of tool results that answer a question to the owner.
    """
    if any(_quotes_owner(text, entry) for entry in cited):
        return "owner"
    origin: Origin = _find_origin_of(text, cited[0], answers) if cited else "other"
    is_owners = kind in SPOKEN_KINDS and any(_is_owners(text, entry, cited, answers) for entry in cited)
    if is_owners and not (kind == "state_change" and origin == "agent" and not _is_adopted(text, cited, answers)):
        origin = "owner"
    if origin not in ("owner", "agent") or all(entry.entry_type not in SUMMARY_TYPES for entry in cited):
        return origin
    said = [_find_adopted_words(entry, cited, answers) for entry in cited] if origin == "owner" else _list_replies(cited)
    return origin if _has_most_words(said, text) else "summary"


def is_said_by_owner(text: str, cited: Sequence[Entry]) -> bool:
    """Whether a text rests on words that the owner typed in one of the entries that it cites, whatever is cited first."""
    return any(entry.owner_words and _is_owners(text, entry, cited, ()) for entry in cited)


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


def _is_adopted(text: str, cited: Sequence[Entry], answers: Collection[int]) -> bool:
    """Whether the owner said most of what an agent reports, agreed to it in a few words, or chose it."""
    said = [_find_adopted_words(entry, cited, answers) for entry in cited if entry.owner_words or entry.ordinal in answers]
    return any(entry.ordinal in answers for entry in cited) or _has_most_words(said, text)


def _quotes_owner(text: str, entry: Entry) -> bool:
    """Whether a text is a quotation of the owner's words in an entry, letter by letter: however short they are, and whatever was
    pasted or called beside them."""
    quoted = _QUOTATION.match(text)
    words = f" {' '.join(entry.owner_words.split())} "
    return quoted is not None and f" {' '.join(quoted['words'].split())} " in words


def _has_most_words(messages: Sequence[str], text: str) -> bool:
    """Whether one of some messages has most of the content words of a text."""
    wanted = find_content_words(text)
    return any(len(wanted & find_content_words(message)) > MOST * len(wanted) for message in messages)


def _list_replies(cited: Sequence[Entry]) -> list[str]:
    return [entry.text for entry in cited if entry.role == "assistant"]


def _find_adopted_words(entry: Entry, cited: Sequence[Entry], answers: Collection[int]) -> str:
    """Return what the owner says in an entry: their words, or an answer as the tool tells it; of a short assent also the words of
    the last cited message of the agent before it."""
    if entry.ordinal in answers:
        return entry.text
    if not 0 < len(_LETTERS_AND_DIGITS.findall(entry.owner_words)) <= ASSENT_WORDS:
        return entry.owner_words
    earlier = [other for other in cited if other.role == "assistant" and other.ordinal < entry.ordinal]
    offered = max(earlier, key=lambda other: other.ordinal).text if earlier else ""
    return f"{offered}\n{entry.owner_words}"


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
