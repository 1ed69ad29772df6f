"""Coverage, friction and recall of the report: every entry and every document is counted once."""

from __future__ import annotations

from datetime import date

import polars as pl

from transforms.report.upkeep import count_coverage, summarise_friction, summarise_recall
from transforms.tables.schema import PROPOSALS, build_frame

DAY = date(2026, 5, 17)


def test_every_entry_has_one_fate_in_words() -> None:
    """A state that this version does not know keeps its name."""
    rows = [
        ("skipped", "copied", 2), ("pending", "open: may still grow until noon", 3), ("pending", "open: again", 4),
        ("pending", "", 5), ("distilled", "", 60), ("skipped", "unheard_of", 7), ("lost", "", 8),
    ]  # fmt: skip
    bars = count_coverage(pl.DataFrame(rows, schema=["status", "reason", "entries"], orient="row"))
    assert bars == (
        ("distilled", 60), ("wait: the session may go on", 7), ("wait for the next night", 5),
        ("skipped: a fork repeats them", 2), ("skipped", 7), ("lost", 8),
    )  # fmt: skip


def test_friction_names_the_tools_that_fail_most_and_what_is_proposed() -> None:
    """A tool is one row, however its client writes the name."""
    results = pl.DataFrame({
        "day": [DAY] * 4, "tool_name": ["bash", "Bash", "edit", None], "results": [9, 1, 5, 1], "failed": [1, 1, 0, 1],
    })  # fmt: skip
    proposal = {"proposal_id": "f-1", "kind": "friction", "pattern": "repeated_failure", "status": "pending", "text": "use uv"}
    friction = summarise_friction(
        results, build_frame(PROPOSALS, [proposal, {**proposal, "proposal_id": "p-1", "kind": "memory"}])
    )
    assert (friction.results, friction.failed, friction.failed_by_day) == (16, 3, {DAY: 3})
    assert friction.by_tool == (("bash", 2), ("unknown", 1))
    assert friction.proposals == (("repeated failure", "pending", "use uv"),)


def test_documents_are_counted_by_their_source() -> None:
    recall = summarise_recall(
        {"entries/2026-05-17": (9, 4), "entries/2026-05-16": (1, 0), "memory": (2, 2), "observations/x": (3, 3)}
    )
    assert (recall.documents, recall.with_vectors) == (15, 9)
    assert recall.by_source == (("lines of MEMORY.md", 2), ("facts, replaced ones too", 3), ("pieces of conversations", 10))
