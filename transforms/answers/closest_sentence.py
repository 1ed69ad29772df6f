"""Orders the hits of an answer by their sentence that is closest to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from transforms.answers.excerpts import split_shown_sentences
from transforms.answers.near_words import NearWords, cover_words
from transforms.recall.rank import MEMORY
from transforms.recall.types import Hit

CLOSEST_SHARE = 0.25
"""Score that a sentence with all of the question's words adds to its hit's, a share of 1: about what separates the first hit from
the tenth. With .15 and .4 the same questions but one are right."""


def put_closest_first(hits: Sequence[Hit], weights: Mapping[str, float], near: NearWords) -> list[Hit]:
    """Return hits, best first, in the order of their scores and of how close their best sentence is to a question.

    A sentence beside a hit counts, too. The score of a long turn is that of its piece; the answer is one sentence of it. What was
    replaced, is about to change, is said of another project or stands in MEMORY.md keeps its place: their order has its reasons.
    """
    places = [place for place, hit in enumerate(hits) if _is_movable(hit)]
    total = fsum(weights.values())
    ordered = list(hits)
    if not total:
        return ordered
    closeness = {
        place: hits[place].score + CLOSEST_SHARE * _measure_closest(hits[place], weights, near) / total for place in places
    }
    for place, taken in zip(places, sorted(places, key=lambda place: -closeness[place]), strict=True):
        ordered[place] = hits[taken]
    return ordered


def _is_movable(hit: Hit) -> bool:
    return hit.source != MEMORY and not (hit.superseded_by or hit.until or hit.waits or hit.changed or hit.elsewhere)


def _measure_closest(hit: Hit, weights: Mapping[str, float], near: NearWords) -> float:
    """Return the weight of the question's words that the best sentence of a hit or of its context covers."""
    texts = [hit.text, *(line.text for line in hit.context)]
    sentences = [sentence for text in texts for sentence in split_shown_sentences(text)]
    return max((fsum(cover_words(sentence, weights, near).values()) for sentence in sentences), default=0.0)
