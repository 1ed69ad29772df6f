"""Finds decisions of the owner that a later finding of the agent is about: what was decided may have failed.

"Query by id and filter by timestamp" was decided, tried and pushed; half an hour later the agent finds that "timestamp filtering
is fundamentally broken", and another method takes its place, which nobody decides. No words of failure are read: a fact that
reports an error or a cause says that something went wrong, and its subject, the first words of a sentence, says what. Two words
side by side there and in the decision are one thing in one talk. The decision stays, with the finding beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from transforms.language.statement import split_claim, split_clauses
from transforms.language.tokenizer import STOP_WORDS, tokenize
from transforms.tables.fact_notes import cut_notes

SUBJECT_WORDS = 4
"""Words at the beginning of a sentence that may be its subject."""
LEAST_LETTERS = 3
"""Letters of a word of the pair; "the file", "of it" and "v 2" stand everywhere."""


class FoundFact(NamedTuple):
    """A fact; `is_decision` of the owner and in force, `is_finding` an error or a cause that the agent told."""

    id: str
    session: str
    said_at: datetime
    text: str
    is_decision: bool
    is_finding: bool


def find_found_wrong(facts: Iterable[FoundFact]) -> dict[str, str]:
    """Return the id of each decision → the first later finding of its session that is about a thing which it names."""
    by_session: defaultdict[str, list[FoundFact]] = defaultdict(list)
    for fact in facts:
        by_session[fact.session].append(fact)
    wrong: dict[str, str] = {}
    for rows in by_session.values():
        findings = [(row, _list_subjects(row.text)) for row in sorted(rows, key=_find_place) if row.is_finding]
        for decision in (row for row in rows if row.is_decision and findings):
            things = _pair_words(split_claim(cut_notes(decision.text)).claim)
            later = (row.id for row, subjects in findings if row.said_at > decision.said_at and things & subjects)
            if finding := next(later, None):
                wrong[decision.id] = finding
    return wrong


def _find_place(fact: FoundFact) -> tuple[datetime, str]:
    return fact.said_at, fact.id


def _list_subjects(text: str) -> set[tuple[str, str]]:
    """Return the pairs of words at the beginning of the sentences of a finding; what it quotes of a report is no finding."""
    lead, quote, rest = text.partition('"')
    words = rest.partition('": ')[2] if quote and lead.endswith("for ") else text
    return {pair for clause in split_clauses(cut_notes(words)) for pair in _pair_words(clause, SUBJECT_WORDS)}


def _pair_words(text: str, most: int | None = None) -> set[tuple[str, str]]:
    """Return the pairs of telling words side by side among the first words of a text: parts of a name in code are none."""
    words = [word.strip("`\"'“”‘’.,;:!?()[]") for word in text.split()][:most]
    return {(_take_stem(first), _take_stem(second)) for first, second in pairwise(words) if _tells(first) and _tells(second)}


def _take_stem(word: str) -> str:
    return next(iter(tokenize(word)), word)


def _tells(word: str) -> bool:
    return len(word) >= LEAST_LETTERS and word.isalpha() and word.casefold() not in STOP_WORDS
