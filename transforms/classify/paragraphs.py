"""Paragraphs of a user entry with the features that tell the owner's words from pasted ones.

A mixed entry is told apart paragraph by paragraph: a person types a line over or under a pasted review, and each part has a
register of its own. Register shows in words, spelling and form; the length against the whole entry and the place in it help.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from transforms.classify.features import FORM_WEIGHT, extract_features

_GAP = re.compile(r"\n[ \t]*\n\s*")
MAX_PARAGRAPHS = 40
"""Further paragraphs are judged as one: a paste of a thousand paragraphs needs no thousand judgements."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Character offsets of a stretch between blank lines."""

    start: int
    end: int


def paragraphs_of(text: str) -> list[Paragraph]:
    """Return the paragraphs of `text` in order; together they hold everything but blank lines."""
    paragraphs: list[Paragraph] = []
    start = 0
    for gap in _GAP.finditer(text):
        if text[start : gap.start()].strip() and len(paragraphs) < MAX_PARAGRAPHS - 1:
            paragraphs.append(Paragraph(start, gap.start()))
            start = gap.end()
    if text[start:].strip():
        paragraphs.append(Paragraph(start, len(text)))
    return paragraphs


def paragraph_features(text: str, paragraphs: Sequence[Paragraph], number: int, before: str) -> dict[str, float]:
    """Return the named features of paragraph `number` of `text`."""
    part = paragraphs[number]
    features = extract_features(text[part.start : part.end], before)
    place = {
        "alone": len(paragraphs) == 1,
        "first": number == 0,
        "last": number == len(paragraphs) - 1,
        "follows a colon": number > 0 and text[: part.start].rstrip().endswith(":"),
        "ends with a colon": text[part.start : part.end].rstrip().endswith(":"),
        "long entry": len(text) > 600,
        "very long entry": len(text) > 2500,
        "one of many": len(paragraphs) > 4,
    }
    for name, holds in place.items():
        if holds:
            features[f"place:{name}"] = FORM_WEIGHT
    return features
