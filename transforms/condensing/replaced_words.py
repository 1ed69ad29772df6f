"""Narratives and what later facts replaced: sentences that tell it go, or say what holds instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transforms.condensing.day_inputs import SessionFacts
from transforms.language.sentences import split_prose
from transforms.language.statement import find_content_words
from transforms.tables.fact_notes import cut_additions

REPLACED_SHARE = 0.6
"""Share of a sentence's words from which it tells a fact, when no other fact that holds has as many of them."""


def drop_replaced_sentences(narrative: str, session_facts: SessionFacts) -> str:
    """Return a narrative without the sentences that tell a replaced fact: nothing beside them would say that it is replaced."""
    replaced, holding = (
        [find_content_words(text) for text in texts] for texts in (session_facts.replaced, session_facts.holding)
    )
    sentences = []
    for sentence in split_prose(narrative):
        words = find_content_words(sentence)
        share = _share_most(words, replaced)
        if share < REPLACED_SHARE or share <= _share_most(words, holding):
            sentences.append(sentence)
    return " ".join(sentences)


def mark_changed_sentences(narrative: str, changed: Mapping[str, str], others: Iterable[str] = ()) -> str:
    """Return a narrative in which sentences that tell a fact of which a part was replaced say what holds there. What goes on to
    hold beside a fact is said behind the fact alone.

    `changed` holds the text of each such fact with what is said of it; a sentence that is nearer to one of the `others` stays,
    and so does one that tells the change itself.
    """
    changed = {text: over for text, mark in changed.items() if (over := cut_additions(mark))}
    if not changed:
        return narrative
    known = {text: find_content_words(text) for text in changed}
    other_words = [find_content_words(text) for text in others if text not in changed]
    sentences = []
    for sentence in split_prose(narrative):
        words = find_content_words(sentence)
        nearest = max(known, key=lambda text: (_share_most(words, [known[text]]), text))
        share = _share_most(words, [known[nearest]])
        is_fact = share >= REPLACED_SHARE and share > _share_most(words, other_words)
        mark = f" ({changed[nearest]})" if is_fact and not tells_change(sentence, changed[nearest], nearest) else ""
        end = sentence[-1] if mark and sentence[-1] in ".!?。" else ""
        sentences.append(f"{sentence.removesuffix(end)}{mark}{end}")
    return " ".join(sentences)


def tells_change(text: str, changed: str, fact: str) -> bool:
    """Whether a text says what holds instead of a part of a fact: most of the words and values that are new behind the day."""
    new = _list_words(changed.partition(": ")[2]) - _list_words(fact)
    return changed in text or (bool(new) and len(new & _list_words(text)) >= REPLACED_SHARE * len(new))


def _list_words(text: str) -> frozenset[str]:
    """Return the content words of a text and whatever has a digit: 04:15 is no word."""
    values = (word.strip(".,;:()`'\"").lower() for word in text.split() if any(map(str.isdigit, word)))
    return find_content_words(text).union(values)


def _share_most(words: frozenset[str], facts: Iterable[frozenset[str]]) -> float:
    """Return the largest share of the words that one of some facts has."""
    return max((len(words & known) / len(words) for known in facts), default=0.0) if words else 0.0
