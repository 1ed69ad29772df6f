"""What became of proposals, counted by fate, by section and over time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from transforms.report.proposal_yield import compute_yield, describe_yield
from transforms.tables.schema import PROPOSAL_EVENTS, PROPOSALS, build_frame

NOW = datetime(2026, 5, 18, tzinfo=UTC)


def proposal(number: int, status: str, section: str = "Patterns", days: int = 1, kind: str = "memory") -> dict[str, Any]:
    made = NOW - timedelta(days=days)
    return {"proposal_id": f"p-{number}", "kind": kind, "section": section, "status": status, "created_at": made}


def event(number: int, name: str, actor: str = "owner", text: str = "") -> dict[str, Any]:
    return {"proposal_id": f"p-{number}", "event": name, "actor": actor, "text": text, "at": NOW - timedelta(days=1)}


PROPOSED = [
    proposal(1, "approved"), proposal(2, "approved", "Hard Rules"), proposal(3, "rejected"), proposal(4, "expired", "Hard Rules"),
    proposal(5, "merged"), proposal(6, "pending", kind="friction"), proposal(7, "approved", days=90),
]  # fmt: skip
EVENTS = [
    event(1, "approved"), event(2, "edited"), event(2, "approved"), event(3, "edited", "recollect"),
    event(0, "reflected", "recollect", '{"windows": [], "waiting": [], "dropped": {"minor": 3, "agent_alone": 9}}'),
]  # fmt: skip


def yield_since(since: datetime | None = None) -> Any:
    return compute_yield(build_frame(PROPOSALS, PROPOSED), build_frame(PROPOSAL_EVENTS, EVENTS), since)


def test_every_proposal_has_one_fate() -> None:
    """An approved one counts apart when the owner changed its words; one overtaken by newer evidence is merged."""
    figures = yield_since()
    assert dict(figures.fates) == {
        "approved": 2, "approved in other words": 1, "rejected": 1, "expired": 1, "merged": 1, "pending": 1,
    }  # fmt: skip
    assert figures.proposed == len(PROPOSED)
    assert sum(sum(fates.values()) for fates in figures.sections.values()) == len(PROPOSED)
    assert figures.sections["Hard Rules"] == {"approved in other words": 1, "expired": 1}
    assert "Friction Fixes" in figures.sections


def test_a_period_counts_only_proposals_made_in_it() -> None:
    figures = yield_since(NOW - timedelta(days=28))
    assert figures.proposed == 6
    assert figures.accepted_share == pytest.approx(2 / 3), "what expired was not decided on"


def test_a_proposal_that_was_offered_again_counts_in_the_period_of_the_offer() -> None:
    """REVIEW.md shows it, so the line above counts it as well."""
    rows = build_frame(PROPOSALS, [proposal(1, "pending", days=113), proposal(2, "expired", days=113)])
    events = build_frame(PROPOSAL_EVENTS, [event(1, "proposed", "recollect")])
    assert describe_yield(compute_yield(rows, events, NOW - timedelta(days=28))) == "1 proposed: 1 pending"


def test_the_line_says_what_was_never_proposed_and_why() -> None:
    text = describe_yield(yield_since())
    assert text.startswith("7 proposed: 2 approved, 1 approved in other words, 1 rejected, 1 expired, 1 merged, 1 pending; never")
    assert text.endswith("9 said by an agent alone, 3 of minor importance")


def test_before_the_first_proposal_there_is_no_share() -> None:
    empty = compute_yield(build_frame(PROPOSALS, []), build_frame(PROPOSAL_EVENTS, []))
    assert empty.accepted_share is None
    assert describe_yield(empty) == "0 proposed"
