"""Puts the owner's newer words before what they replace among the hits of a question, and says since when the older is over.

Mostly a fact that was retired is known to be over. But the turn, the segment and the period that tell the former value are no
facts, and a request ("raise it to 120") retires little. Here the question has already found both. So less proof is asked for than
where a fact is retired: the newer hit says which value it replaces, or its words retire a clause of the older one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from transforms.language.sentences import split_words
from transforms.language.similarity import select_subject_words
from transforms.language.statement import parse_statement, split_claim
from transforms.memory.claim_clauses import find_asserted_clauses, find_carrying_clauses
from transforms.memory.replaced_values import find_replaced_words, list_among, list_words
from transforms.memory.supersession import find_retirement
from transforms.recall.newer_values import Folded
from transforms.recall.question import Question
from transforms.recall.rank import MEMORY, PERFECT_SCORE
from transforms.recall.ranking_features import OWNER_ROLE
from transforms.recall.ranking_record import RankingRecord, is_summary
from transforms.tables.enums import PERSON_KINDS

MOST_LEAD = 8.0 / PERFECT_SCORE
"""Score by which what is replaced may lead what replaces it, and still go behind it."""
MOST_CHARS = 600
"""Longer texts have many subjects: one that replaces something in them replaces little of it."""
MOST_QUESTIONS = 0.5
"""Share of questions from which a text asks whether something shall change."""
STATED_KIND = "decision"
"""The kind as which hits are compared: a turn has none."""
_NUMBER = re.compile(r"(?<![\w.,:])(?P<value>\d+(?:[.,:]\d+)*)(?:\s?(?P<unit>[^\W\d_]+))?")


def put_replaced_last(rows: Sequence[RankingRecord], folded: Folded, question: Question) -> Folded:
    """Return the hits, which have their texts, with each one right behind the first of the owner's that replaces it.

    What is replaced is marked in its row with the moment (`until`). Nothing moves for a question about the past, and no hit moves
    before one that leads it by far: the question asks for something else there.
    """
    hits = list(folded)
    if question.is_past:
        return hits
    newer = [candidate.index for candidate, _ in hits if _is_owners(rows[candidate.index])]
    moments: dict[int, datetime] = {}
    for place in range(len(hits)):
        older = hits[place][0].index
        by = [index for index in newer if index not in moments and _is_replaced(rows[older], rows[index])]
        if not by:
            continue
        moments[older] = min(said_at for index in by if (said_at := rows[index]["said_at"]) is not None)
        rows[older]["until"] = moments[older]
        behind = [other for other in range(place + 1, len(hits)) if hits[other][0].index in by]
        if behind and hits[place][0].score - hits[behind[0]][0].score <= MOST_LEAD:
            hits = _move(hits, behind[0], place)
    return hits


def put_summaries_behind(rows: Sequence[RankingRecord], folded: Folded) -> Folded:
    """Return the hits with something that was said in front: a summary of a compaction is an agent's, and never leads."""
    said = next((place for place, (candidate, _) in enumerate(folded) if not is_summary(rows[candidate.index])), 0)
    return _move(list(folded), said, 0) if said else list(folded)


def _move(hits: Folded, start: int, end: int) -> Folded:
    """Return the hits with one of them further in front; each place keeps its score."""
    scores = [candidate.score for candidate, _ in hits]
    moved = [*hits[:end], hits[start], *hits[end:start], *hits[start + 1 :]]
    return [(replace(candidate, score=score), others) for (candidate, others), score in zip(moved, scores, strict=True)]


def _is_owners(row: RankingRecord) -> bool:
    """Whether a hit is the owner's and holds: a turn of his own words, or a fact in his."""
    if row["superseded_by"] or row["said_at"] is None or (row["question_share"] or 0.0) >= MOST_QUESTIONS:
        return False
    is_turn = row["source"] == "turn" and row["position"] is not None and row["speaker"] == OWNER_ROLE and not row.get("quoted")
    is_fact = row["source"] == "observation" and row["kind"] in PERSON_KINDS | {"request"}
    return (is_turn or is_fact) and len(row.get("text") or "") <= MOST_CHARS


def _is_replaced(older: RankingRecord, newer: RankingRecord) -> bool:
    if older["said_at"] is None or newer["said_at"] is None or older["said_at"] >= newer["said_at"]:
        return False
    if older["source"] == MEMORY or older.get("project") != newer.get("project"):
        return False  # what the owner keeps has its place, and another project its own values
    return says_replaced(older.get("text") or "", newer.get("text") or "")


@lru_cache(maxsize=256)  # pieces of one message and facts of one turn are compared with the same hits
def says_replaced(older: str, newer: str) -> bool:
    """Whether the newer text says that a value of the older one, a short text, is over."""
    if len(older) > MOST_CHARS:
        return False
    claim = split_claim(newer).claim
    clauses = find_asserted_clauses(claim)
    if any(_takes_number(older, clause.text, is_explicit=clause.is_explicit) for clause in clauses):
        return True
    if any(_drops_name(older, clause.text, newer) for clause in clauses):
        return True
    carrying = find_carrying_clauses(split_claim(older).claim)
    return bool(find_retirement((STATED_KIND, carrying), (STATED_KIND, clauses), is_same_project=True))


def _takes_number(older: str, clause: str, *, is_explicit: bool) -> bool:
    """Whether a clause names a number of the older text as the former one beside a new one, of the same unit or subject."""
    old, new = _list_numbers(older), _list_numbers(clause)
    named = {word for word in find_replaced_words(clause) if any(map(str.isdigit, word))}
    former = {value for value in new if value in old and (value in named or (is_explicit and not named))}
    come = new.keys() - old.keys()
    if not former or not come:
        return False
    units = {unit for value in former for unit in old[value]} & {unit for value in come | former for unit in new[value]}
    subject = select_subject_words(parse_statement(older)) & select_subject_words(parse_statement(clause))
    return bool(units or subject)


def _drops_name(older: str, clause: str, newer: str) -> bool:
    """Whether a clause drops a name of the older text, and both texts share another word."""
    words, named = list_words(older), find_replaced_words(clause)
    gone = list_among(words, named)
    is_name = bool(gone) and not any(any(map(str.isdigit, word)) for word in named)
    come = select_subject_words(parse_statement(clause)) - named
    come -= list_among(frozenset(come), words)  # a text with both names compares them
    return is_name and bool(come) and bool(list_among(words, list_words(newer)) - gone)


@lru_cache(maxsize=1024)
def _list_numbers(text: str) -> dict[str, set[str]]:
    """Return the numbers of a text, each with the words behind it."""
    numbers: dict[str, set[str]] = {}
    for match in _NUMBER.finditer(text):
        numbers.setdefault(match["value"], set()).update(split_words(match["unit"] or ""))
    return numbers
