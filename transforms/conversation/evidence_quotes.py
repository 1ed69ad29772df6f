"""Quotes the words of a source that support a fact, short enough for a line of evidence."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.patterns.late_pattern import compile_late

_SENTENCE = compile_late(r"(?<=[.!?…])\s+|\n+")
_EVIDENCE_WORD = compile_late(r"[\w./#-]{2,}")
MAX_QUOTE = 160


def find_best_quote(source: str, fact: str, limit: int = MAX_QUOTE) -> str:
    """Return the sentence of the source that shares most words with the fact, cut to `limit` characters; the first one on a tie.

    Sentences beside it come along as far as they fit: they may say whose it is, or deny it. Empty when the source is, when no
    sentence shares a word, and when the fact says just that.
    """
    wanted = _split_words(fact)
    sentences = [sentence.strip() for sentence in _SENTENCE.split(source) if sentence.strip()]
    best, best_score = -1, 0.0
    for place, sentence in enumerate(sentences):
        words = _split_words(sentence)
        shared = len(words & wanted)
        score = shared / (len(words) + len(wanted)) if shared else 0.0
        if score > best_score:
            best, best_score = place, score
    if best < 0:
        return ""
    quote = _add_neighbours(sentences, best, limit)
    if _split_words(quote) == wanted:
        return ""
    return quote if len(quote) <= limit else quote[: limit - 1].rsplit(" ", 1)[0] + "…"


def _add_neighbours(sentences: Sequence[str], place: int, limit: int) -> str:
    """Return a sentence with those right before and after it that fit, the ones before first."""
    first, last = place, place
    quote = sentences[place]
    while first > 0 and len(sentences[first - 1]) + 1 + len(quote) <= limit:
        first -= 1
        quote = f"{sentences[first]} {quote}"
    while last + 1 < len(sentences) and len(quote) + 1 + len(sentences[last + 1]) <= limit:
        last += 1
        quote = f"{quote} {sentences[last]}"
    return quote


def _split_words(text: str) -> set[str]:
    return {word.casefold().strip(".-/") for word in _EVIDENCE_WORD.findall(text)}
