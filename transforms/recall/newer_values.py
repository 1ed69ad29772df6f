"""Puts the hit that gives another value before the older one whose value it takes up, in a language that no rule reads.

Offline nothing retires a value there: what replaces it is told by verbs ("wir gehen auf 21 Tage"). Its place is told by numbers:
the newer hit names the older one's number with the word beside it, and a number that the older one lacks; or both are nearly the
same words around different numbers. A wrong exchange costs two hits their order, and nothing is lost.

Wishes that were said later in another project than the question's are found here, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from transforms.language.entities import separate_scripts
from transforms.language.sentences import is_unspaced, split_words
from transforms.language.tokenizer import tokenize, write_numbers
from transforms.recall.question import Question
from transforms.recall.question_language import is_unread
from transforms.recall.rank import MEMORY, PERFECT_SCORE, REACH, RankedCandidate
from transforms.recall.ranking_record import RankingRecord

Folded = list[tuple[RankedCandidate, list[int]]]

LEAST_COVERAGE, MOST_LEAD = 0.6, REACH / PERFECT_SCORE
"""Share of the older one's words of the question that the newer one has, and score by which the older one may lead: else the
question asks for something else in it."""
SAME_WORDS = 0.5
"""Share of the older one's words from which both say the same but for the numbers."""
LEAST_LETTERS, STEM_LETTERS = 4, 5
"""Letters of a word that both may share, and those of it that are compared."""
_NUMBER_IN_PLACE = r"(?:(?P<before>[^\W\d_]+)[\s$€£¥]*)?(?<![\w.,:])(?P<number>\d+(?:[.:,]\d+)*)\s*(?P<after>[^\W\d_]+)?"


@dataclass(frozen=True, slots=True)
class _Values:
    """The numbers of a text, each with the words beside it, and the text's words without them."""

    places: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    all_words: frozenset[str]
    subject: frozenset[str]


def put_newer_values_first(rows: Sequence[RankingRecord], folded: Folded, question: Question) -> Folded:
    """Return the hits, which have their texts, with the newer of two before the older whose value it takes up.

    Hits in English, which have their own rules, and those of a question about the past stay as they are.
    """
    texts = [rows[candidate.index].get("text") or "" for candidate, _ in folded]
    if question.is_past or not is_unread(texts):
        return folded
    hits = list(folded)
    for place in range(len(hits)):
        for later in range(place + 1, len(hits)):
            first, second = hits[place][0], hits[later][0]
            is_near = second.coverage >= LEAST_COVERAGE * first.coverage and first.score - second.score <= MOST_LEAD
            if is_near and _takes_up(rows[first.index], rows[second.index]):
                hits[place], hits[later] = _exchange(hits[place], hits[later])
    return hits


def _exchange(
    first: tuple[RankedCandidate, list[int]], second: tuple[RankedCandidate, list[int]]
) -> tuple[tuple[RankedCandidate, list[int]], tuple[RankedCandidate, list[int]]]:
    """Return two hits in the other order, each with the score of its new place."""
    before, after = replace(second[0], score=first[0].score), replace(first[0], score=second[0].score)
    return (before, second[1]), (after, first[1])


def _takes_up(older: RankingRecord, newer: RankingRecord) -> bool:
    """Whether the second hit was said later than the first and gives another value for one of its."""
    if older["said_at"] is None or newer["said_at"] is None or older["said_at"] >= newer["said_at"]:
        return False
    if older["source"] == MEMORY or newer["superseded_by"]:
        return False  # what the owner keeps, and what is known to be over, have their places
    old, new = _read_values(older.get("text") or ""), _read_values(newer.get("text") or "")
    if not old.numbers or not new.numbers - old.numbers:
        return False
    shared = old.subject & new.subject
    is_named = any(number in new.numbers and word in new.all_words for number, word in old.places)
    is_same = len(shared) >= SAME_WORDS * len(old.subject) and bool(_list_units(old) & _list_units(new))
    return bool(shared) and (is_named or is_same)


def _list_units(values: _Values) -> set[str]:
    return {word for _, word in values.places}


@lru_cache(maxsize=256)  # a hit is compared with all others
def _read_values(text: str) -> _Values:
    spaced = separate_scripts(write_numbers(text)).lower()
    places: set[tuple[str, str]] = set()
    for match in re.finditer(_NUMBER_IN_PLACE, spaced):
        places |= {(match["number"], word) for side in ("before", "after") for word in _cut_word(match[side], side)}
    numbers = frozenset(match["number"] for match in re.finditer(_NUMBER_IN_PLACE, spaced))
    beside = {word for _, word in places}
    pairs = {pair for pair in tokenize(text) if is_unspaced(pair) and len(pair) > 1}
    stems = {word[:STEM_LETTERS] for word in split_words(text) if len(word) >= LEAST_LETTERS and word.isalpha()}
    subject = frozenset(pairs | stems) - {word[:STEM_LETTERS] for word in beside}
    return _Values(frozenset(places), numbers, frozenset(split_words(spaced)) | beside, subject)


def _cut_word(word: str | None, side: str) -> list[str]:
    """Return the word beside a number: of a script without spaces the nearest character."""
    if not word:
        return []
    return [word[-1] if side == "before" else word[0]] if is_unspaced(word) else [word]


def find_newer_elsewhere(rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate]) -> set[int]:
    """Return the places of the owner's wishes in other projects that were said after the best hit of the question's own ones.

    How somebody wants to be answered, and what an agent may do, seldom ends at a folder: the latest word on it may stand in
    another project, and what was said here before it comes behind.
    """
    own = next((rows[candidate.index] for candidate in ranked if not rows[candidate.index].get("is_elsewhere")), None)
    said_at = own and own["said_at"]
    if said_at is None:
        return set()
    return {
        number
        for number, row in enumerate(rows)
        if row.get("is_elsewhere")
        and row["source"] == "observation"
        and row.get("origin") == "owner"
        and row["superseded_by"] is None
        and row["said_at"] is not None
        and row["said_at"] > said_at
    }
