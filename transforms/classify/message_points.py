"""Where the points of a message begin: people who write lists put another matter into each point."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from transforms.classify.features import ITEM_MARK
from transforms.classify.paragraphs import PARAGRAPH_GAP

MIN_POINTS = 3
"""With two a message is as often one thought in two lines."""


def find_points(typed: str) -> list[int]:
    """Return where the points of a message begin, in order; empty for one that is no list.

    Points are lines with a mark, where there are enough, else paragraphs. Words before the first point are a point of their own.
    """
    marks = list(ITEM_MARK.finditer(typed))
    if len(marks) >= MIN_POINTS:
        has_lead = bool(typed[: marks[0].start()].strip())
        return [0] * has_lead + [mark.end() for mark in marks]
    paragraphs = [0, *(gap.end() for gap in PARAGRAPH_GAP.finditer(typed) if gap.start() > 0 and gap.end() < len(typed))]
    return paragraphs if len(paragraphs) >= MIN_POINTS else []


def number_sentences(sentences: Sequence[str], typed: str) -> list[int]:
    """Return the number of the point in which each sentence of a message stands; all 0 for a message that is no list.

    A sentence that does not stand in the message as it is belongs to the point of the one before.
    """
    starts, numbers, end = find_points(typed), list[int](), 0
    for sentence in sentences:
        place = typed.find(sentence, end)
        if place >= 0:
            end = place + len(sentence)
        numbers.append(max(0, bisect_right(starts, place) - 1) if place >= 0 else numbers[-1] if numbers else 0)
    return numbers
