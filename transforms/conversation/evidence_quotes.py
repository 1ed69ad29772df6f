"""Quotes the words of a source that support a fact, short enough for a line of evidence."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

_SENTENCE = compile_late(r"(?<=[.!?…])\s+|\n+")
_EVIDENCE_WORD = compile_late(r"[\w./#-]{2,}")
MAX_QUOTE = 160


def find_best_quote(source: str, fact: str, limit: int = MAX_QUOTE) -> str:
    """Return the sentence of the source that shares most words with the fact, cut to `limit` characters; the first one on a tie.

    Empty when the source is, when no sentence shares a word, and when the fact says just that.
    """
    wanted = _split_words(fact)
    best, best_score = "", 0.0
    for sentence in _SENTENCE.split(source):
        words = _split_words(sentence)
        shared = len(words & wanted)
        score = shared / (len(words) + len(wanted)) if shared else 0.0
        if score > best_score:
            best, best_score = sentence.strip(), score
    if _split_words(best) == wanted:
        return ""
    return best if len(best) <= limit else best[: limit - 1].rsplit(" ", 1)[0] + "…"


def _split_words(text: str) -> set[str]:
    return {word.casefold().strip(".-/") for word in _EVIDENCE_WORD.findall(text)}
