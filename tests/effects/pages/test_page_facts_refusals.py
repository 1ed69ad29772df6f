"""A wish that its owner refused binds no agent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl

from effects.pages.page_facts import drop_refused_facts

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_refused_rule_is_on_no_briefing_until_its_owner_says_it_again() -> None:
    """A refused decision may hold without a line, and a refused change of a line says nothing about its fact."""
    observations = pl.DataFrame(
        {
            "observation_id": ["o-1", "o-2", "o-3", "o-4"],
            "kind": ["rule", "rule", "decision", "rule"],
            "said_at": [SAID, SAID + timedelta(days=3), SAID, SAID],
        }
    )
    proposals = pl.DataFrame(
        {
            "status": ["rejected", "rejected", "pending"], "op": ["add", "replace", "add"],
            "evidence_ids": [["o-1", "o-2", "o-3"], ["o-4"], ["o-4"]],
            "decided_at": [SAID + timedelta(days=1), SAID + timedelta(days=1), None],
        }
    )  # fmt: skip
    assert drop_refused_facts(observations, proposals)["observation_id"].to_list() == ["o-2", "o-3", "o-4"]
    assert drop_refused_facts(observations, proposals.clear()).equals(observations)
