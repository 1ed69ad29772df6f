"""Checks of an engine's whole output: empty, degenerate, or with gaps between its segments."""

from __future__ import annotations

from collections.abc import Iterable

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow
from transforms.language.sentences import split_words

MIN_LOOP_LINES = 20
MIN_DISTINCT_LINES = 0.5
"""Share of distinct lines below which a long list is a loop."""
MIN_LOOP_CHARS = 2_000
MIN_TRIPLES = 12
MIN_DISTINCT_TRIPLES = 0.6
"""Share of distinct word triples below which a text is repetitive."""


def find_output_failure(distilled: DistilledWindow, entries: list[Entry]) -> str:
    """Return why the result of a window must not be stored; empty when it may be."""
    if not distilled.segments:
        return "empty output"
    if any(not segment.narrative.strip() for segment in distilled.segments):
        return "a segment without narrative"
    texts = [segment.narrative for segment in distilled.segments] + [
        fact.text for segment in distilled.segments for fact in segment.facts
    ]
    if is_degenerate(texts):
        return "degenerate output"
    last_ordinal = -1
    for segment in distilled.segments:
        if segment.first_ordinal <= last_ordinal or segment.last_ordinal < segment.first_ordinal:
            return "segments out of order"
        last_ordinal = segment.last_ordinal
    uncovered = [
        entry.ordinal
        for entry in entries
        if not any(segment.first_ordinal <= entry.ordinal <= segment.last_ordinal for segment in distilled.segments)
    ]
    return f"segments leave out entry {uncovered[0]}" if uncovered else ""


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
