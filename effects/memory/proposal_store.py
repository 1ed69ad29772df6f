"""The proposals and what happens to them in one step: changed in memory, then written in one commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import polars as pl

from effects.store.memory_file import list_memory_sections, read_memory, render_empty_memory, write_memory
from effects.store.run import Run
from transforms.memory.promotion import is_line_missing, promote
from transforms.tables.ids import text_hash
from transforms.tables.schema import MEMORY_LINES, PAGES, PROPOSAL_EVENTS, PROPOSALS, build_frame

Row = dict[str, Any]
OWNER, RECOLLECT = "owner", "recollect"


@dataclass
class ProposalStore:
    """All proposals by id, the events of this step, and what could not be done."""

    run: Run
    rows: dict[str, Row]
    past: pl.DataFrame
    events: list[Row] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    memory: str | None = None

    def pending(self) -> dict[str, Row]:
        """Proposals that wait for the owner, by id."""
        return {key: row for key, row in sorted(self.rows.items()) if row["status"] == "pending"}

    def record(self, proposal_id: str, event: str, actor: str, text: str) -> None:
        """Notes an event at the run's logical time."""
        row = {"proposal_id": proposal_id, "event": event, "at": self.run.as_of, "actor": actor, "text": text}
        self.events.append(row)

    def close(self, proposal_id: str, status: str, event: str, actor: str) -> None:
        """Ends a proposal; its text stays."""
        row = self.rows[proposal_id]
        row |= {"status": status, "decided_at": self.run.as_of}
        self.record(proposal_id, event, actor, row["text"])

    def touched_on(self, row: Row) -> date | None:
        """The local day on which it was first shown, or last edited by the owner; None when it was never shown."""
        shown: datetime | None = row["first_shown_at"]
        if shown is None:
            return None
        mine = (pl.col("proposal_id") == row["proposal_id"]) & (pl.col("event") == "edited") & (pl.col("actor") == OWNER)
        edits = [at for at in self.past.filter(mine)["at"].to_list() if at is not None]
        edits += [
            e["at"] for e in self.events if (e["proposal_id"], e["event"], e["actor"]) == (row["proposal_id"], "edited", OWNER)
        ]
        return max(shown, *edits).astimezone(self.run.zone).date() if edits else shown.astimezone(self.run.zone).date()

    def is_marked_expiring(self, row: Row) -> bool:
        """Whether it was marked as expiring since it was last touched."""
        mine = (pl.col("proposal_id") == row["proposal_id"]) & (pl.col("event") == "expiring")
        touched = self.touched_on(row)
        marked = self.past.filter(mine)["at"].to_list()
        return touched is not None and any(at.astimezone(self.run.zone).date() > touched for at in marked)


def open_proposals(run: Run) -> ProposalStore:
    """The proposals as they are stored."""
    rows = run.lake.read("proposals").drop("schema_version").iter_rows(named=True)
    return ProposalStore(run, {row["proposal_id"]: dict(row) for row in rows}, run.lake.read("proposal_events"))


def promote_approved(ledger: ProposalStore, approved: list[str]) -> int:
    """Puts approved proposals into MEMORY.md and ends them; how many lines were promoted.

    MEMORY.md is written before the lake: a crash in between leaves the page as the owner ticked it, and the next run
    finds the exact line and only records it. A friction fix for another file is approved, and that file is left alone.
    """
    before = read_memory(ledger.run)
    memory = before or render_empty_memory(ledger.run)
    order, promoted = list_memory_sections(ledger.run), 0
    for proposal_id in sorted(approved):
        row = ledger.rows[proposal_id]
        if not _is_for_memory(row):
            ledger.close(proposal_id, "approved", "approved", OWNER)
            continue
        day = (row["said_at"] or row["created_at"]).astimezone(ledger.run.zone).date()
        done = promote(memory, row, day, order)
        if done.result == "unsafe":
            ledger.problems.append(f"{proposal_id} waits: {done.problem}")
        elif done.result == "vanished":
            turn_into_addition(ledger, proposal_id)
        else:
            memory, promoted = done.text, promoted + 1
            ledger.record(proposal_id, "approved", OWNER, row["text"])
            ledger.close(proposal_id, "approved", "promoted", RECOLLECT)
            ledger.lines += [_build_memory_line(ledger, row, done.line)] if done.line else []
    if memory != before and promoted:
        write_memory(ledger.run, before, memory)
    return promoted


def turn_into_addition(ledger: ProposalStore, proposal_id: str) -> None:
    """The line to replace is gone (the owner edited it): the proposal waits on as an addition, which the page says."""
    row = ledger.rows[proposal_id]
    ledger.record(proposal_id, "vanished", RECOLLECT, row["old_text"] or "")
    ledger.problems.append(f"{proposal_id} waits: the line that it replaces is not in MEMORY.md any more; it adds a line now")
    row |= {"op": "add", "old_text": None}


def convert_vanished(ledger: ProposalStore) -> None:
    """Pending replacements of lines that are gone become additions; pending removals of such lines are pointless."""
    memory = read_memory(ledger.run)
    for proposal_id, row in ledger.pending().items():
        if _is_for_memory(row) and is_line_missing(memory, row):
            turn_into_addition(ledger, proposal_id)


def save_proposals(ledger: ProposalStore, page: Row | None = None) -> None:
    """Writes proposals, events, promoted lines and, when a page was read, its row, in one commit."""
    if not ledger.events and page is None:
        return
    lake = ledger.run.lake
    with lake.commit() as change:
        change.replace("proposals", build_frame(PROPOSALS, ledger.rows.values()))
        if ledger.events:
            change.append("proposal_events", build_frame(PROPOSAL_EVENTS, ledger.events))
        if ledger.lines:
            new = build_frame(MEMORY_LINES, ledger.lines)
            old = lake.read("memory_lines").drop("schema_version")
            kept = old.join(new, on="line_hash", how="anti")
            change.replace("memory_lines", pl.concat([kept, new]))
        if page is not None:
            others = lake.read("pages").drop("schema_version").filter(pl.col("path") != page["path"])
            change.replace("pages", pl.concat([others, build_frame(PAGES, [page])]))


def _is_for_memory(row: Row) -> bool:
    target = (row["target"] or "MEMORY.md").replace("\\", "/")
    return row["kind"] == "memory" or target.rsplit("/", 1)[-1] == "MEMORY.md"


def _build_memory_line(ledger: ProposalStore, row: Row, line: str) -> Row:
    return {
        "line_hash": text_hash(line),
        "proposal_id": row["proposal_id"],
        "section": row["section"],
        "text": line,
        "at": ledger.run.as_of,
    }
