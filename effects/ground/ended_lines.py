"""Proposes to remove lines of MEMORY.md that name the day until which they hold, once it has passed."""

from __future__ import annotations

from collections.abc import Sequence

from effects.memory.proposal_store import RECOLLECT, ProposalStore
from effects.store.run import Run
from transforms.language.relative_dates import find_stated_end
from transforms.memory.proposal_ids import allocate_ids
from transforms.pages.memory_md import Bullet
from transforms.tables.rows import ProposalRow


def propose_ended_lines(store: ProposalStore, bullets: Sequence[Bullet]) -> int:
    """Propose the removal of each line whose end has passed, once, and return how many were proposed.

    A line's own date tells from when "until Friday" counts; without one only an end with its year can have passed.
    """
    run = store.run
    quoted = {row["old_text"] for row in store.rows.values() if row["op"] == "remove" or row["status"] == "pending"}
    proposed = 0
    for bullet in bullets:
        end = find_stated_end(bullet.text, bullet.dated or run.today)
        if end is None or end >= run.today or not bullet.is_one_line or bullet.line in quoted:
            continue
        (proposal_id,) = allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, 1)
        store.rows[proposal_id] = _build_row(run, proposal_id, bullet, f"Ended on {end}")
        store.record(proposal_id, "proposed", RECOLLECT, bullet.text)
        proposed += 1
    return proposed


def _build_row(run: Run, proposal_id: str, bullet: Bullet, reason: str) -> ProposalRow:
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "remove", "section": bullet.section, "text": bullet.text,
        "old_text": bullet.line, "target": "MEMORY.md", "evidence_ids": [], "severity": None, "origin": "owner", "project": None,
        "said_at": run.as_of, "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "pattern": reason,
    }  # fmt: skip
