"""Cuts excerpts: the stretch of a text with most of the question's words, plain and on one line."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.conversation.shown_lines import split_shown_lines
from transforms.language.sentences import cut_at_word, join_sentences, split_sentences
from transforms.language.tokenizer import tokenize

FIRST_LINE_CHARS, LINE_CHARS = 300, 180
"""Characters of the first line of an answer and of the others."""
GAP_CHARS = 2
"""Most characters between two sentences of an excerpt."""


def cut_excerpt(text: str, weights: Mapping[str, float], limit: int = LINE_CHARS) -> str:
    """Return the stretch of whole sentences or lines, at most `limit` characters, with most of the question's term weight, plain
    and on one line."""
    sentences = split_shown_sentences(text)
    if len(whole := join_sentences(sentences)) <= limit:
        return whole
    term_weights = [{word: weights[word] for word in tokenize(sentence) if word in weights} for sentence in sentences]
    best_weight, excerpt = -1.0, ""
    for start in range(len(sentences)):
        end, size, covered = start + 1, len(sentences[start]), dict(term_weights[start])
        while end < len(sentences) and size + GAP_CHARS + len(sentences[end]) <= limit:
            size += GAP_CHARS + len(sentences[end])
            covered |= term_weights[end]
            end += 1
        weight = sum(covered.values())
        if weight > best_weight + 1e-9:
            best_weight, excerpt = weight, join_sentences(sentences[start:end])
    return excerpt if len(excerpt) <= limit else cut_at_word(excerpt, limit - 1) + "…"


def split_shown_sentences(text: str) -> list[str]:
    """Return the sentences of a text, plain; the day that ends a condensed line stays with its sentence."""
    sentences: list[str] = []
    for part in (part for line in split_shown_lines(text) for part in split_sentences(line)):
        is_day = part.startswith("(") and part.strip("()-").replace("-", "").isdigit()
        sentences[-1:] = [f"{sentences[-1]} {part}"] if is_day and sentences else [*sentences[-1:], part]
    return sentences
