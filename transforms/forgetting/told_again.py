"""Tells which titles, narratives and lines have the words of something forgotten."""

from __future__ import annotations

from collections.abc import Collection
from html import unescape

from transforms.forgetting.retellings import MIN_SAME_WORDS, list_quotations
from transforms.language.sentences import split_sentences
from transforms.patterns.late_pattern import compile_late

_WORD = compile_late(r"\w+")


def list_words(text: str) -> str:
    """Return the words of a text alone: a page escapes signs, and a copy of it loses marks and quotes."""
    return " ".join(_WORD.findall(unescape(text).casefold()))


def quotes_entry(texts: Collection[str | None], entry: str) -> bool:
    """Whether one of the texts, a sentence or a quotation in it stands in an entry, begins it, or has all of it."""
    said = list_words(entry)
    whole = [list_words(text) for text in texts if text]
    parts = [list_words(part) for text in texts if text for part in (*split_sentences(text), *list_quotations(text))]
    is_begun = any(text and f"{said} ".startswith(f"{text} ") for text in whole)  # a short title
    is_whole = _is_long(said) and any(f" {said} " in f" {text} " for text in whole)
    return is_begun or is_whole or any(f" {part} " in f" {said} " for part in (*whole, *parts) if _is_long(part))


def is_worded_by(line: str, forgotten: Collection[str], remembered: Collection[str]) -> bool:
    """Whether a line shares more words with a forgotten fact than with each remembered one that it rests on, too."""
    words = set(list_words(line).split())

    def count_shared(facts: Collection[str]) -> int:
        """Return how many words of the line the fact has that has most of them."""
        return max((len(words.intersection(list_words(fact).split())) for fact in facts), default=0)

    return count_shared(forgotten) > count_shared(remembered)


def _is_long(words: str) -> bool:
    return words.count(" ") >= MIN_SAME_WORDS - 1
