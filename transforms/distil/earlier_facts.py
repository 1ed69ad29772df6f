"""The earlier observations of a session, as a model gets them with a window: numbered, with kind and age, important first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from transforms.distil.row_grounding import escape_row
from transforms.language.similarity import select_subject_words
from transforms.language.statement import parse_statement
from transforms.tables.enums import PERSON_KINDS, PERSONAL_KINDS, PRIORITY_ORDER, FactKind, Priority
from transforms.tables.tokens import count_tokens

EARLIER_TOKENS = 1_200
"""Room for earlier observations in a prompt."""


class EarlierFact(NamedTuple):
    """A stored fact of a former window of the session; `first_ordinal` is the beginning of that window."""

    first_ordinal: int
    observation_id: str
    text: str
    kind: FactKind
    priority: Priority
    said_at: datetime


def select_earlier(facts: Sequence[EarlierFact], limit: int = EARLIER_TOKENS) -> list[EarlierFact]:
    """Return the facts that fit within `limit` tokens in the order of their numbers: high ones first, and new before old."""
    selected: list[EarlierFact] = []
    for fact in sorted(facts, key=lambda fact: (PRIORITY_ORDER[fact.priority], -fact.said_at.timestamp(), fact.observation_id)):
        limit -= count_tokens(fact.text) + 8
        if limit < 0:
            break
        selected.append(fact)
    return selected


def format_earlier(facts: Sequence[EarlierFact], now: datetime) -> list[str]:
    """Return `E1 decision, 3 h before: text` for each; `now` is the beginning of the window."""
    return [
        f"E{number} {fact.kind}, {_format_age(now, fact.said_at)} before: {escape_row(fact.text)}"
        for number, fact in enumerate(facts, 1)
    ]


def find_retired(text: str, kind: FactKind, numbers: Sequence[int], earlier: Sequence[EarlierFact]) -> tuple[str, ...]:
    """Return the ids of the earlier facts that a fact retires: those with these numbers and a word of its subject.

    The owner's rules, preferences and corrections are retired by the owner's words only.
    """
    subject = select_subject_words(parse_statement(text))
    named = [earlier[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(earlier)]
    return tuple(
        fact.observation_id
        for fact in named
        if (kind in PERSON_KINDS or fact.kind not in PERSONAL_KINDS)
        and subject & select_subject_words(parse_statement(fact.text))
    )


def _format_age(now: datetime, then: datetime) -> str:
    minutes = max(int((now - then).total_seconds() // 60), 0)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} days"
