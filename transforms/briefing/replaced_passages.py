"""Finds passages of agents that tell what a later fact replaced: only facts are compared with each other, a passage never is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

import polars as pl

from transforms.language.sentences import find_content_words, split_prose, split_sentences
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import SETTLING_KINDS
from transforms.tables.fact_notes import cut_notes

REPLACED_SHARE = 0.6
"""Share of a sentence's words from which it tells a replaced fact, as of a narrative."""
_OUTCOME = compile_late(r"\s(?:Outcome|Reply|Answer|Cause): ")
MIN_SHARED = 3
"""Words that they share at least: two may be the subject alone."""


def find_replaced_passages(passages: pl.DataFrame, observations: pl.DataFrame) -> frozenset[str]:
    """Return the ids of those `passages` (facts of one project) whose first sentence tells what a later fact replaced.

    The first sentence has most of its words from a replaced fact of the project, more than from any fact that holds, and the
    passage was said before the replacement. `observations` are all facts.
    """
    of_project = observations.filter(pl.col("project").is_in(passages["project"].unique().to_list()))
    facts = of_project.filter((pl.col("verdict") == "allow") & pl.col("kind").is_in(SETTLING_KINDS))
    is_gone = pl.col("superseded_by").is_not_null()
    replacements = _find_replacements(facts.filter(is_gone), observations)
    replaced = _SharedWords([words for words, _ in replacements])
    holding: _SharedWords | None = None  # most facts hold: their words are found when the first passage needs them
    outdated = set()
    for key, text, said_at in passages.select("observation_id", "text", "said_at").iter_rows():
        words = find_content_words(next(iter(split_prose(text)), ""))
        least = next((count for count in range(MIN_SHARED, len(words) + 1) if count / len(words) >= REPLACED_SHARE), 0)
        if not (shared := least and replaced.count_most(words, least, _make_filter(said_at, replacements))):
            continue
        if holding is None:
            holding = _SharedWords([_find_claim_words(text) for text in facts.filter(~is_gone)["text"]])
        if not holding.count_most(words, shared):
            outdated.add(key)
    return frozenset(outdated)


def _make_filter(said_at: datetime, replacements: Sequence[tuple[frozenset[str], datetime]]) -> Callable[[int], bool]:
    """Return whether a fact, by its place, was replaced after a moment."""
    return lambda place: said_at < replacements[place][1]


class _SharedWords:
    """The words of many texts, by which those that share enough of them with another text are found without reading all."""

    def __init__(self, texts: Sequence[frozenset[str]]) -> None:
        self.texts = texts
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(texts):
            for word in words:
                self.places[word].append(place)

    def count_most(self, words: frozenset[str], least: int, is_asked: Callable[[int], bool] | None = None) -> int:
        """Return the largest number of the words that a text has, of those texts whose place `is_asked`; 0 below `least`.

        A text with so many of the words has one of those that are left when all but `least` - 1 of them are taken away.
        """
        rarest = sorted(words, key=lambda word: (len(self.places.get(word, ())), word))[: len(words) - least + 1]
        near = {place for word in rarest for place in self.places.get(word, ()) if is_asked is None or is_asked(place)}
        most = max((len(words & self.texts[place]) for place in near), default=0)
        return most if most >= least else 0


def drop_refused_sentences(narrative: str, refused: Collection[str], holding: Collection[str]) -> str:
    """Return a narrative without the sentences that tell a refused fact, more than any fact that holds."""
    if not refused:
        return narrative
    gone, kept = [_find_claim_words(text) for text in refused], [_find_claim_words(text) for text in holding]
    sentences = []
    for sentence in split_sentences(narrative):
        words = find_content_words(sentence)
        share = _share_most(words, gone)
        if share < REPLACED_SHARE or share <= _share_most(words, kept):
            sentences.append(sentence)
    return " ".join(sentences)


def _find_replacements(gone: pl.DataFrame, observations: pl.DataFrame) -> list[tuple[frozenset[str], datetime]]:
    """Return the words of each fact that another one replaced, with the time of the other; what one absorbed still holds."""
    heirs = observations.filter(pl.col("observation_id").is_in(gone["superseded_by"].unique().to_list()))
    said: dict[str, tuple[datetime, frozenset[str]]] = {
        key: (at, frozenset(also or ())) for key, at, also in heirs.select("observation_id", "said_at", "also").iter_rows()
    }
    entries: defaultdict[str, set[str]] = defaultdict(set)
    for key, session, cited in gone.select("observation_id", "session_id", "entry_ids").iter_rows():
        entries[key] |= {f"{session}:{entry}" for entry in cited or ()}
    return [
        (_find_claim_words(text), said[heir][0])
        for key, text, heir in gone.select("observation_id", "text", "superseded_by").sort("observation_id").iter_rows()
        if heir in said and not entries[key] & said[heir][1]
    ]


def _find_claim_words(text: str) -> frozenset[str]:
    """Return the words of a fact without its notes and without what came of it, which may hold longer than the fact."""
    return find_content_words(_OUTCOME.split(cut_notes(text))[0])


def _share_most(words: frozenset[str], texts: Collection[frozenset[str]]) -> float:
    """Return the largest share of the words that a text has; 0 when it has fewer than MIN_SHARED of them."""
    most = max((len(words & text) for text in texts), default=0)
    return most / len(words) if most >= MIN_SHARED else 0.0
