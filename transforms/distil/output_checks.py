"""Checks of an engine's whole output: empty, degenerate, or with gaps between its segments."""

from __future__ import annotations

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow
from transforms.model_answers.repetition import is_degenerate


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
