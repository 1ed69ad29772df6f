"""Recognises a model that looped: lines that come again, and texts that repeat themselves."""

from __future__ import annotations

from collections.abc import Iterable

from transforms.language.sentences import split_words

MIN_LOOP_LINES = 20
MIN_DISTINCT_LINES = 0.5
"""Share of distinct lines below which a long list is a loop."""
MIN_LOOP_CHARS = 2_000
MIN_TRIPLES = 12
MIN_DISTINCT_TRIPLES = 0.6
"""Share of distinct word triples below which a text is repetitive."""


def is_degenerate(texts: Iterable[str]) -> bool:
    """Whether a model looped: most of many lines are the same, or a long text is mostly repetition."""
    lines = [" ".join(split_words(text)) for text in texts]
    return (len(lines) >= MIN_LOOP_LINES and len(set(lines)) < MIN_DISTINCT_LINES * len(lines)) or any(
        len(line) > MIN_LOOP_CHARS and is_repetitive(line) for line in lines
    )


def is_repetitive(text: str) -> bool:
    """Whether a text repeats many of its word triples; short texts never do."""
    text_words = split_words(text)
    triples = [tuple(text_words[start : start + 3]) for start in range(len(text_words) - 2)]
    return len(triples) >= MIN_TRIPLES and len(set(triples)) < MIN_DISTINCT_TRIPLES * len(triples)
