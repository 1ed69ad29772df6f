"""Orders the hits of an answer by their sentence that is closest to the question, by the value that it asks for, and by time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from math import fsum

from transforms.answers.cause_hits import put_causes_first
from transforms.answers.excerpts import split_shown_sentences
from transforms.answers.exchange_context import list_beside
from transforms.answers.near_words import NearWords, cover_words
from transforms.answers.owner_answers import put_answers_first
from transforms.language.tokenizer import write_numbers
from transforms.recall.answerability import EVIDENCE_HITS
from transforms.recall.rank import MEMORY
from transforms.recall.types import Hit

CLOSEST_SHARE = 0.25
"""Score that a sentence with all of the question's words adds to its hit's, a share of 1: about what separates the first hit from
the tenth. With .15 and .4 the same questions but one are right."""
VALUE_SHARE = 0.1
"""Score that a value of the type which the question asks for ("which port", "how long") adds to its hit's. From .05 to .2 it wins
about as much; a hit that leads by more is about the subject, and the value of a far one is another's."""

LATER_SHARE = 0.25
"""Score that the latest session of the hits has more than the earliest; those between by their place in time. From .15 to .4
about as many questions are right. Of those that ask for no value and say no "now", an early session answers as often."""


def put_closest_first(
    hits: Sequence[Hit],
    weights: Mapping[str, float],
    near: NearWords,
    value: re.Pattern[str] | None = None,
    *,
    is_present: bool = False,
) -> list[Hit]:
    """Return hits, best first, in the order of their scores and of how close their best sentence is to a question.

    A sentence beside a hit counts, too. The score of a long turn is that of its piece; the answer is one sentence of it. A hit
    that has a `value` of the type asked for goes before one without. For a question about the present (`is_present`) one of a
    later session goes before one of an earlier session: what was said again holds as it was said last. What was replaced, is
    about to change, is said of another project or stands in MEMORY.md keeps its place: their order has its reasons.
    A hit of which a part changed may fall, and never passes the hit in front of it: that one may say what holds now.
    """
    places = [place for place, hit in enumerate(hits) if _is_movable(hit)]
    total = fsum(weights.values())
    ordered = list(hits)
    if not total:
        return ordered
    later = _rank_in_time([hits[place] for place in places]) if is_present else {}
    closeness = {
        place: hits[place].score
        + CLOSEST_SHARE * _measure_closest(hits[place], weights, near) / total
        + VALUE_SHARE * (value is not None and value.search(write_numbers(hits[place].text)) is not None)
        + LATER_SHARE * later.get(hits[place].session_id, 0.0)
        for place in places
    }
    for ahead, place in pairwise(places):
        if hits[place].changed:
            closeness[place] = min(closeness[place], closeness[ahead])
    for place, taken in zip(places, sorted(places, key=lambda place: -closeness[place]), strict=True):
        ordered[place] = hits[taken]
    return ordered


def put_near_hits_first(
    hits: Sequence[Hit],
    weights: Mapping[str, float],
    near: NearWords,
    value: re.Pattern[str] | None = None,
    *,
    is_present: bool = False,
    is_past: bool = False,
    is_why: bool = False,
) -> list[Hit]:
    """Return hits with the first EVIDENCE_HITS of them in the order of `put_closest_first`; each place keeps its score."""
    first = put_closest_first(hits[:EVIDENCE_HITS], weights, near, value, is_present=is_present)
    first = put_causes_first(first) if is_why else first
    first = first if is_past else put_answers_first(first, weights, near, value)
    scores = [hit.score for hit in hits]
    return [replace(hit, score=score) for hit, score in zip([*first, *hits[EVIDENCE_HITS:]], scores, strict=True)]


def _rank_in_time(hits: Iterable[Hit]) -> dict[str | None, float]:
    """Return the place of each session among those of the hits: 0 for the first, 1 for the last. Inside of a session
    the later hit is not the better one."""
    begins: dict[str | None, datetime] = {}
    for hit in hits:
        if hit.said_at is not None and hit.session_id is not None:
            begins[hit.session_id] = min(hit.said_at, begins.get(hit.session_id, hit.said_at))
    ordered = sorted(begins, key=lambda session: (begins[session], session))
    return {session: number / (len(ordered) - 1) for number, session in enumerate(ordered)} if len(ordered) > 1 else {}


def _is_movable(hit: Hit) -> bool:
    return hit.source != MEMORY and not (hit.superseded_by or hit.until or hit.waits or hit.elsewhere)


def _measure_closest(hit: Hit, weights: Mapping[str, float], near: NearWords) -> float:
    """Return the weight of the question's words that the best sentence of a hit or of its context covers."""
    texts = [hit.text, *(line.text for line in list_beside(hit.context))]
    sentences = [sentence for text in texts for sentence in split_shown_sentences(text)]
    return max((fsum(cover_words(sentence, weights, near).values()) for sentence in sentences), default=0.0)
