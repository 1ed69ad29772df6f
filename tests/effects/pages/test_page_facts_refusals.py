"""A wish that its owner refused binds no agent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from effects.pages.page_facts import list_refused_facts
from transforms.memory.line_evidence import list_refusals
from transforms.tables.schema import MEMORY_LINES, OBSERVATIONS, PROPOSALS, build_frame

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


def fact(key: str, kind: str, text: str, days: int = 0, heir: str | None = None) -> dict[str, object]:
    at = {"said_at": SAID + timedelta(days=days), "day": SAID.date()}
    return {"observation_id": key, "kind": kind, "text": text, "superseded_by": heir, "verdict": "allow"} | at


def refused(facts: list[dict[str, object]], proposals: list[dict[str, object]], *lines: str, promoted: str = "") -> list[str]:
    """Return the ids of what binds nobody any more; `lines` are those of MEMORY.md, `promoted` one that came from p-1."""
    observations = build_frame(OBSERVATIONS, facts)
    row = {"line_hash": "h", "proposal_id": "p-1", "section": "Patterns", "text": promoted, "at": SAID + timedelta(days=1)}
    memory_lines = build_frame(MEMORY_LINES, [row] if promoted else [])
    return list_refused_facts(
        observations, list_refusals(build_frame(PROPOSALS, proposals), memory_lines, observations, list(lines))
    )


def proposal(number: int, status: str, op: str, *evidence: str, **more: object) -> dict[str, object]:
    decided = None if status == "pending" else SAID + timedelta(days=1)
    row = {"proposal_id": f"p-{number}", "kind": "memory", "status": status, "op": op, "evidence_ids": list(evidence)}
    return row | {"decided_at": decided} | more


def test_a_refused_rule_is_on_no_briefing_until_its_owner_says_it_again() -> None:
    """A refused decision may hold without a line, and a refused change of a line says nothing about its fact."""
    facts = [
        fact("o-1", "rule", "Never commit to main"),
        fact("o-2", "rule", "Run the tests first", days=3),
        fact("o-3", "decision", "The queue is Redis"),
        fact("o-4", "rule", "Say it in French"),
    ]
    struck = [proposal(1, "rejected", "add", "o-1", "o-2", "o-3"), proposal(2, "rejected", "replace", "o-4")]
    assert refused(facts, [*struck, proposal(3, "pending", "add", "o-4")]) == ["o-1"]
    assert refused(facts, []) == []
    again = fact("o-5", "rule", "Never commit to main", days=2, heir="o-1")
    assert refused([*facts, again], struck) == []


LINE = "- (2026-03-02) Never commit to main without a review"


def test_a_rule_whose_line_its_owner_took_out_of_memory_binds_no_agent() -> None:
    """A lost file is no decision, and neither is a line in other words, or one that a proposal replaced."""
    facts, approved = [fact("o-1", "rule", "Never commit to main without a review")], [proposal(1, "approved", "add", "o-1")]
    other = "- (2026-03-02) Tests run with make"
    assert refused(facts, approved, other, promoted=LINE) == ["o-1"]
    assert refused(facts, approved, LINE, other, promoted=LINE) == []
    assert refused(facts, approved, promoted=LINE) == []
    assert refused(facts, approved, "- Without a review never commit to main, please", promoted=LINE) == []
    assert refused(facts, [*approved, proposal(2, "approved", "remove", old_text=LINE)], other, promoted=LINE) == []
    assert refused([fact("o-1", "rule", "Never commit to main without a review", days=2)], approved, other, promoted=LINE) == []
