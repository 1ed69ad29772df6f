"""The decisions of a person who went through the proposals one by one, and taking the last ones back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from effects.memory.proposal_store import OWNER_ACTOR, ProposalStore, open_proposals, promote_approved, save_proposals
from effects.store.memory_file import list_memory_sections, read_memory, write_memory
from effects.store.run import Counts, Run
from transforms.pages.memory_md import UnsafeEditError, add_bullet, remove_line, replace_line
from transforms.tables.rows import ProposalRow


def decide(run: Run, approved: Sequence[str], rejected: Sequence[str], edited: Mapping[str, str]) -> Counts:
    """Carry out decisions on proposals that still wait, and return counts; one that ended meanwhile is named in `problems`.

    `edited` are the words of approved proposals that are to be promoted in place of those proposed.
    """
    store = open_proposals(run)
    waiting = store.list_pending().keys()
    ended = [proposal_id for proposal_id in (*approved, *rejected) if proposal_id not in waiting]
    store.problems += [f"{proposal_id} does not wait any more; nothing was done about it" for proposal_id in ended]
    for proposal_id, text in edited.items():
        if proposal_id in waiting and text != store.rows[proposal_id]["text"]:
            store.rows[proposal_id]["text"] = text
            store.record(proposal_id, "edited", OWNER_ACTOR, text)
    for proposal_id in rejected:
        if proposal_id in waiting:
            store.close(proposal_id, "rejected", "rejected", OWNER_ACTOR)
    promoted = promote_approved(store, [proposal_id for proposal_id in approved if proposal_id not in ended])
    save_proposals(store)
    return {
        "approved": len(approved) - sum(decided_id in ended for decided_id in approved),
        "promoted": promoted,
        "edited": len(edited),
        "rejected": len(rejected) - sum(decided_id in ended for decided_id in rejected),
        "problems": store.problems,
    }


def undo_last(run: Run) -> Counts:
    """Take back the owner's last decisions, all of one time: they wait again, and their lines leave MEMORY.md; return counts.

    A line that the owner changed since stays, and so does its approval: `problems` names it. A second call takes back the
    decisions before these. Lines that a decision removed come back at the end of their section.
    """
    store = open_proposals(run)
    last = _find_last_decisions(store)
    before = memory = read_memory(run)
    undone = 0
    for proposal_id in last:
        row = store.rows[proposal_id]
        if row["status"] == "approved":
            changed = _take_back_line(store, row, memory)
            if changed is None:
                store.problems.append(f"{proposal_id} stays approved: its line in MEMORY.md was changed since; edit it there")
                continue
            memory = changed
            store.withdrawn.append(proposal_id)
        row["status"], row["decided_at"], row["first_shown_at"] = "pending", None, run.as_of
        store.record(proposal_id, "undone", OWNER_ACTOR, row["text"])
        undone += 1
    if memory != before:
        write_memory(run, before, memory)
    save_proposals(store)
    return {"undone": undone, "problems": store.problems}


def _find_last_decisions(store: ProposalStore) -> list[str]:
    """Return the proposals of the owner's last decisions that hold, by id."""
    decided = store.past.filter(
        (pl.col("actor") == OWNER_ACTOR)
        & pl.col("event").is_in(["approved", "rejected", "undone"])
        & pl.col("proposal_id").is_in(
            [key for key, row in store.rows.items() if row["status"] in ("approved", "rejected") and key not in store.forgotten]
        )
    )
    latest = decided.group_by("proposal_id").agg(pl.col("at").max())
    return sorted(latest.filter(pl.col("at") == pl.col("at").max())["proposal_id"].to_list())


def _take_back_line(store: ProposalStore, row: ProposalRow, memory: str) -> str | None:
    """Return MEMORY.md with an approval undone; None when that would touch other text."""
    if row["kind"] == "friction" and (row["target"] or "MEMORY.md").rsplit("/", 1)[-1] != "MEMORY.md":
        return memory
    old = row["old_text"] or ""
    if row["op"] == "remove":
        try:
            return add_bullet(memory, row["section"], old, list_memory_sections(store.run))
        except UnsafeEditError:
            return None
    lines = store.run.lake.read("memory_lines").filter(pl.col("proposal_id") == row["proposal_id"])["text"].to_list()
    line = next(iter(lines), None)
    if line is None or line not in memory.splitlines():
        return None
    return replace_line(memory, line, old) if row["op"] == "replace" else remove_line(memory, line)
