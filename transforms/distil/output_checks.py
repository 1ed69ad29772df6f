"""Checks of an engine's whole output: empty, degenerate, or with gaps between its segments."""

from __future__ import annotations

from collections.abc import Iterable

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow
from transforms.language.sentences import words

MIN_LOOP_LINES = 20
MIN_DISTINCT_LINES = 0.5
"""Share of distinct lines below which a long list is a loop."""
MIN_LOOP_CHARS = 2_000
MIN_TRIPLES = 12
MIN_DISTINCT_TRIPLES = 0.6
"""Share of distinct word triples below which a text is repetitive."""


def find_output_failure(distilled: DistilledWindow, entries: list[Entry]) -> str:
    """Why a window's result must not be committed; empty when it may."""
    if not distilled.segments:
        return "empty output"
    if any(not segment.narrative.strip() for segment in distilled.segments):
        return "a segment without narrative"
    texts = [segment.narrative for segment in distilled.segments] + [
        fact.text for segment in distilled.segments for fact in segment.facts
    ]
    if is_degenerate(texts):
        return "degenerate output"
    at = -1
    for segment in distilled.segments:
        if segment.first_ordinal <= at or segment.last_ordinal < segment.first_ordinal:
            return "segments out of order"
        at = segment.last_ordinal
    outside = [
        entry.ordinal
        for entry in entries
        if not any(one.first_ordinal <= entry.ordinal <= one.last_ordinal for one in distilled.segments)
    ]
    return f"segments leave out entry {outside[0]}" if outside else ""


def is_degenerate(texts: Iterable[str]) -> bool:
    """Whether a model looped: of 20 and more lines most are the same, or one text is mostly repetition."""
    lines = [" ".join(words(text)) for text in texts]
    return (len(lines) >= MIN_LOOP_LINES and len(set(lines)) < MIN_DISTINCT_LINES * len(lines)) or any(
        len(line) > MIN_LOOP_CHARS and is_repetitive(line) for line in lines
    )


def is_repetitive(text: str) -> bool:
    """Whether more than 40 % of a text's word triples repeat (short texts do not count)."""
    found = words(text)
    triples = [tuple(found[at : at + 3]) for at in range(len(found) - 2)]
    return len(triples) >= MIN_TRIPLES and len(set(triples)) < MIN_DISTINCT_TRIPLES * len(triples)
