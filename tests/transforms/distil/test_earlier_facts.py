"""The numbered earlier observations, and which of them a fact may retire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

from transforms.distil.earlier_facts import EarlierFact, find_retired, format_earlier, select_earlier
from transforms.tables.enums import FactKind, Priority

NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)


def earlier(name: str, text: str, kind: FactKind = "decision", priority: Priority = "high", hours: float = 1) -> EarlierFact:
    return EarlierFact(0, name, text, kind, priority, NOW - timedelta(hours=hours))


FACTS = [
    earlier("o-low", "The agent asked which port to use", "question", "low", 0.2),
    earlier("o-old", "The cache TTL is 300 s", "decision", "high", 100),
    earlier("o-new", "Never restart the broker by hand", "rule", "high", 3),
]


def test_important_facts_come_first_and_new_ones_before_old_ones() -> None:
    """Numbers, kinds and ages tell the model what it may close or replace."""
    chosen = select_earlier(FACTS)
    assert [fact.observation_id for fact in chosen] == ["o-new", "o-old", "o-low"]
    assert format_earlier(chosen, NOW) == [
        "E1 rule, 3 h before: Never restart the broker by hand",
        "E2 decision, 4 days before: The cache TTL is 300 s",
        "E3 question, 12 min before: The agent asked which port to use",
    ]
    assert select_earlier(FACTS, limit=20) == chosen[:1]


def test_a_fact_retires_only_what_it_names_and_is_about() -> None:
    """A number that was not given and a fact about something else retire nothing."""
    assert find_retired("The cache TTL is 60 s now", "decision", [2, 9, 0], [*select_earlier(FACTS)]) == ("o-old",)
    assert find_retired("The cache TTL is 60 s now", "decision", [1], [*select_earlier(FACTS)]) == ()


def test_only_the_owners_words_retire_the_owners_words() -> None:
    """What happened to a broker does not lift a rule about it."""
    chosen = select_earlier(FACTS)
    assert find_retired("The broker was restarted by hand", "completion", [1], chosen) == ()
    assert find_retired("The broker may be restarted by hand again", "rule", [1], chosen) == ("o-new",)
    assert {fact.kind for fact in FACTS} <= set(get_args(FactKind))
