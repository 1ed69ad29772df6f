"""Puts what the owner decided about an agent's proposal before the proposal, and his next words beside it.

Of both the proposal has more of the question's words: it spells out what the owner answers with "don't integrate it, separate
script!". Read alone it stands as what holds, whatever was answered. Which fact answers which turn is told by what it cites: the
owner's message first, and the agent's turn before it. Whether that was a refusal need not be known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum

from transforms.answers.near_words import NO_NEAR_WORDS, NearWords, cover_words
from transforms.answers.next_words import LEADING_HITS
from transforms.answers.replaced_hits import MOST_LEAD
from transforms.language.tokenizer import write_numbers
from transforms.quoting.speaker_labels import AGENT_ROLE
from transforms.recall.newer_values import LEAST_COVERAGE, Folded
from transforms.recall.question import Question
from transforms.recall.question_type import classify_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit
from transforms.tables.enums import PERSON_KINDS

ANSWERING_KINDS = PERSON_KINDS | {"rejected"}
"""Kinds of facts in which an owner says what he wants of something that was proposed."""
LEAST_SHARE = 0.5
"""Share of the question's words that the owner's answer has at least: with fewer the question asks for another part of a proposal
that says many things ("pages of 200, 30 requests")."""
OWNER = "owner"
"""Origin of a fact that the owner stated."""
MOST_FACTS = 24
"""Best facts of the sessions of the leading hits whose citations are looked up."""


def list_answering_facts(
    rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], folded: Folded, question: Question
) -> list[RankedCandidate]:
    """Return the best candidates that may answer an agent's turn among the leading hits; their rows need the reader's columns.

    A question about the past has none: what was proposed is what it asks for.
    """
    sessions = {
        rows[candidate.index]["session_id"] for candidate, _ in folded[:LEADING_HITS] if _is_agents(rows[candidate.index])
    }
    if question.is_past or not sessions:
        return []
    facts = (candidate for candidate in ranked if _may_answer(rows[candidate.index], sessions))
    return [candidate for candidate, _ in zip(facts, range(MOST_FACTS), strict=False)]


def add_owner_answers(
    rows: Sequence[RankingRecord], folded: Folded, facts: Sequence[RankedCandidate], question: Question
) -> Folded:
    """Return the hits, each agent's turn among the leading ones behind the best of these facts that answers it, if that has most
    of its words of the question and the value that is asked for, and is not led by far."""
    value = classify_question(question.text).answer_pattern
    hits = list(folded)
    for candidate, _ in folded[:LEADING_HITS]:
        row = rows[candidate.index]
        if not _is_agents(row):
            continue
        answer = next((fact for fact in facts if _may_lead(fact, candidate) and _is_answer(rows[fact.index], row, value)), None)
        place = next(number for number, (hit, _) in enumerate(hits) if hit.index == candidate.index)
        if answer is None or any(answer.index in (hit.index, *beside) for hit, beside in hits[: place + 1]):
            continue
        others = next((beside for hit, beside in hits if hit.index == answer.index), [])
        rest = [(hit, [other for other in beside if other != answer.index]) for hit, beside in hits if hit.index != answer.index]
        hits = [*rest[:place], (replace(answer, score=candidate.score), others), *rest[place:]]
    return hits


def put_answers_first(
    hits: Sequence[Hit], weights: Mapping[str, float], near: NearWords = NO_NEAR_WORDS, value: re.Pattern[str] | None = None
) -> list[Hit]:
    """Return hits with each fact of the owner before the first agent's turn that it answers, if it has enough of the question's
    words, and a `value` of the type that is asked for if that turn has one."""
    ordered, least = list(hits), LEAST_SHARE * fsum(weights.values())
    facts = [hit for hit in hits if hit.source == "observation" and hit.kind in ANSWERING_KINDS and hit.origin == OWNER]
    for fact in [fact for fact in facts if not fact.superseded_by]:
        place = ordered.index(fact)
        first = next((number for number, hit in enumerate(ordered[:place]) if _answers(fact, hit, value)), place)
        if first < place and fsum(cover_words(fact.text, weights, near).values()) >= least:
            ordered.insert(first, ordered.pop(place))
    return ordered


def _is_agents(row: RankingRecord) -> bool:
    return row["source"] == "turn" and row["position"] is not None and row["speaker"] == AGENT_ROLE


def _may_answer(row: RankingRecord, sessions: set[str | None]) -> bool:
    is_fact = row["source"] == "observation" and row["kind"] in ANSWERING_KINDS and not row["superseded_by"]
    return is_fact and row["session_id"] in sessions


def _may_lead(fact: RankedCandidate, turn: RankedCandidate) -> bool:
    return turn.score - fact.score <= MOST_LEAD and fact.coverage >= max(LEAST_SHARE, LEAST_COVERAGE * turn.coverage)


def _is_answer(fact: RankingRecord, turn: RankingRecord, value: re.Pattern[str] | None) -> bool:
    if fact.get("origin") != OWNER or fact["session_id"] != turn["session_id"]:
        return False
    cites = _cites_before(fact.get("entry_ids") or (), fact.get("lines") or (), turn.get("entry_ids") or ())
    return cites and not _lacks_value(fact.get("text") or "", turn.get("text") or "", value)


def _answers(fact: Hit, turn: Hit, value: re.Pattern[str] | None) -> bool:
    is_turn = turn.source == "turn" and turn.speaker == AGENT_ROLE and turn.session_id == fact.session_id
    return is_turn and _cites_before(fact.entry_ids, fact.lines, turn.entry_ids) and not _lacks_value(fact.text, turn.text, value)


def _cites_before(entries: Sequence[str], lines: Sequence[int], turn: Sequence[str]) -> bool:
    """Whether a fact that cites these entries at these lines has one of a turn before its first one, the owner's message."""
    return any(entry in turn and line < lines[0] for entry, line in zip(entries[1:], lines[1:], strict=False))


def _lacks_value(fact: str, turn: str, value: re.Pattern[str] | None) -> bool:
    """Whether a turn alone has a value of the type that a question asks for: what was answered concerns another part of it."""
    return value is not None and bool(value.search(write_numbers(turn))) and not value.search(write_numbers(fact))
