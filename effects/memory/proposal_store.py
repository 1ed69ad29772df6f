"""The proposals of the lake during one step: changed in memory, then written in one commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

import polars as pl

from effects.machines.shared_lines import note_lines, write_missing_lines
from effects.store.forgotten import read_forgotten
from effects.store.memory_file import (
    list_memory_sections,
    read_former_memory,
    read_memory,
    render_empty_memory,
    write_memory,
)
from effects.store.run import Run
from effects.system.errors import PageError
from transforms.memory.promotion import Promotion, UnfitLineError, clean_line, is_line_missing, promote
from transforms.pages.memory_md import MAX_LINE_CHARS, Bullet, parse_memory
from transforms.quoting.line_doubts import LineDoubt, find_doubts, pack_doubt
from transforms.tables.enums import Actor, ProposalEventName, ProposalStatus
from transforms.tables.ids import allocate_ids, hash_text
from transforms.tables.rows import MemoryLineRow, PageRow, ProposalEventRow, ProposalRow
from transforms.tables.schema import MEMORY_LINES, PAGES, PROPOSAL_EVENTS, PROPOSALS, build_frame, read_rows

OWNER_ACTOR: Actor = "owner"
RECOLLECT: Actor = "recollect"
REMOVE = "Remove:"
"""Stands before the line of a removal on REVIEW.md."""
MEMORY_TRIES = 2
"""Attempts to write MEMORY.md when somebody saves it at the same moment."""


@dataclass
class ProposalStore:
    """All proposals by id, the events of this step, and problems for the owner. `withdrawn` lines leave MEMORY.md again."""

    run: Run
    rows: dict[str, ProposalRow]
    past: pl.DataFrame
    events: list[ProposalEventRow] = field(default_factory=list)
    lines: list[MemoryLineRow] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    forgotten: frozenset[str] = frozenset()
    withdrawn: list[str] = field(default_factory=list)
    doubted: set[str] = field(default_factory=set)
    restored: int = 0
    """Lines of other machines that MEMORY.md of this one got."""

    def list_pending(self) -> dict[str, ProposalRow]:
        """Return the proposals that wait for the owner, by id, without forgotten ones."""
        return {key: row for key, row in sorted(self.rows.items()) if row["status"] == "pending" and key not in self.forgotten}

    def list_expired(self) -> list[str]:
        """Return the proposals that expired, by id, without forgotten ones: a decision may have come a moment too late."""
        return [key for key, row in sorted(self.rows.items()) if row["status"] == "expired" and key not in self.forgotten]

    def list_unwritten(self) -> list[str]:
        """Return the proposals that the owner approved and that MEMORY.md could not take yet, by id."""
        fates = self.past.filter(pl.col("event").is_in(["unwritten", "promoted", "undone", "rejected"])).sort("at")
        last: dict[str, str] = dict(fates.select("proposal_id", "event").iter_rows())
        return [
            key for key, row in sorted(self.rows.items())
            if row["status"] == "approved" and last.get(key) == "unwritten" and key not in self.forgotten
        ]  # fmt: skip

    def find_stood(self, proposal_id: str) -> str | None:
        """Return the line that the last promotion took out, when the page had before what was approved; None when it had not."""
        own = self.past.filter(pl.col("proposal_id") == proposal_id)
        promoted_at = own.filter(pl.col("event") == "promoted")["at"].max()
        texts = own.filter((pl.col("event") == "stood") & (pl.col("at") == promoted_at))["text"].to_list()
        return (texts[0] or "") if texts else None

    def list_decision_times(self) -> list[datetime]:
        """Return when the owner decided on any proposal, oldest first; this step's decisions too."""
        past = self.past.filter(pl.col("actor") == OWNER_ACTOR)["at"].drop_nulls().to_list()
        return sorted([*past, *(event["at"] for event in self.events if event["actor"] == OWNER_ACTOR)])

    def list_owners_lines(self) -> set[str]:
        """Return the pending proposals that are the owner's or an agent's: those whose words the owner changed, and additions
        without evidence. No other line takes the place of one; removals without evidence are recollect's own."""
        edited = set(self.past.filter((pl.col("event") == "edited") & (pl.col("actor") == OWNER_ACTOR))["proposal_id"])
        asked = {key for key, row in self.rows.items() if not row["evidence_ids"] and row["op"] != "remove"}
        return self.list_pending().keys() & (edited | asked)

    def list_taken(self) -> dict[str, str]:
        """Return the proposals in whose place a model put another one, and which one, while that waits."""
        pending = self.list_pending()
        return {
            key: doubt.heir
            for key, doubt in sorted(self._find_doubts().items())
            if doubt.heir in pending and self.rows[key]["status"] == "merged" and key not in self.forgotten
        }

    def list_doubted(self) -> set[str]:
        """Return the proposals that a model took for wrong or outdated, by id, unless the owner worded them anew since."""
        return {key for key, doubt in self._find_doubts().items() if doubt.verdict != "reworded"}

    def doubt(self, doubt: LineDoubt) -> None:
        """Record what a model says of a proposal, unless it said that last. Of all that a step says of it the first counts."""
        is_new = doubt.proposal_id not in self.doubted and self._find_doubts().get(doubt.proposal_id) != doubt
        self.doubted.add(doubt.proposal_id)
        if is_new:
            self.record(doubt.proposal_id, "doubted", RECOLLECT, pack_doubt(doubt))

    def _find_doubts(self) -> dict[str, LineDoubt]:
        doubts = find_doubts(read_rows(PROPOSAL_EVENTS, self.past.sort("at", "event")))
        return {key: doubt for key, (doubt, _) in doubts.items()}

    def record(self, proposal_id: str, event: ProposalEventName, actor: Actor, text: str) -> None:
        """Record an event at the run's logical time.

        A decision, taking it back and deciding again with one `--as-of` keep their order and their keys: the events of a step
        that meets an earlier one of the same proposal and time are all a moment later.
        """
        recorded_at = self.events[0]["at"] if self.events else self.run.as_of
        past = self.past.filter((pl.col("proposal_id") == proposal_id) & (pl.col("at") == recorded_at))
        if not past.filter((pl.col("actor") == OWNER_ACTOR) | (pl.col("event") == event)).is_empty():
            taken = set(self.past["at"])
            while recorded_at in taken:
                recorded_at += timedelta(microseconds=1)
            self.events = [{**earlier, "at": recorded_at} for earlier in self.events]
        self.events.append({"proposal_id": proposal_id, "event": event, "at": recorded_at, "actor": actor, "text": text})

    def close(self, proposal_id: str, status: ProposalStatus, event: ProposalEventName, actor: Actor) -> None:
        """End a proposal; its text stays."""
        row = self.rows[proposal_id]
        row["status"], row["decided_at"] = status, self.run.as_of
        self.record(proposal_id, event, actor, row["text"])

    def find_touched_day(self, row: ProposalRow) -> date | None:
        """Return the local day from which it waits: first shown, or last edited by the owner; None when it was never shown.

        A line that was due while the owner decided on nothing waited for nobody: its days begin when the owner is back.
        """
        shown: datetime | None = row["first_shown_at"]
        if shown is None:
            return None
        is_edit = (pl.col("proposal_id") == row["proposal_id"]) & (pl.col("event") == "edited") & (pl.col("actor") == OWNER_ACTOR)
        edits = [edited_at for edited_at in self.past.filter(is_edit)["at"].to_list() if edited_at is not None]
        edit_key = (row["proposal_id"], "edited", OWNER_ACTOR)
        edits += [event["at"] for event in self.events if (event["proposal_id"], event["event"], event["actor"]) == edit_key]
        touched: datetime = max([shown, *edits])
        due = touched + timedelta(days=self.run.settings.review.expire_days)
        decided_at = self.list_decision_times()
        if not any(touched < time <= due for time in decided_at):
            touched = next((time for time in decided_at if time > due), touched)
        return touched.astimezone(self.run.zone).date()

    def is_marked_expiring(self, row: ProposalRow) -> bool:
        """Whether it was marked as expiring since it was last touched."""
        is_edit = (pl.col("proposal_id") == row["proposal_id"]) & (pl.col("event") == "expiring")
        touched = self.find_touched_day(row)
        marked = self.past.filter(is_edit)["at"].to_list()
        return touched is not None and any(marked_at.astimezone(self.run.zone).date() > touched for marked_at in marked)


def open_proposals(run: Run) -> ProposalStore:
    """Return the proposals as they are stored."""
    rows = read_rows(PROPOSALS, run.lake.read("proposals"))
    forgotten = frozenset(read_forgotten(run.lake))
    return ProposalStore(run, {row["proposal_id"]: row for row in rows}, run.lake.read("proposal_events"), forgotten=forgotten)


def propose_removals(store: ProposalStore, ended: Sequence[tuple[Bullet, str]], limit: int | None = None) -> int:
    """Propose the removal of lines of MEMORY.md, each with its reason and only once; return how many were proposed."""
    reasons = {reason for _, reason in ended}
    offered = (
        row for row in store.rows.values() if {"remove", "pending"} & {row["op"], row["status"]} or row["pattern"] in reasons
    )
    quoted = {row["old_text"] for row in offered}
    new = [(bullet, reason) for bullet, reason in ended if bullet.is_one_line and bullet.line not in quoted][:limit]
    for bullet, reason in new:
        (proposal_id,) = allocate_ids(store.rows, store.past["proposal_id"].to_list(), store.run.today, 1)
        store.rows[proposal_id] = _build_removal(store.run, proposal_id, bullet, reason)
        store.record(proposal_id, "proposed", RECOLLECT, bullet.text)
    return len(new)


def _build_removal(run: Run, proposal_id: str, bullet: Bullet, reason: str) -> ProposalRow:
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "remove", "section": bullet.section, "text": bullet.text,
        "old_text": bullet.line, "target": "MEMORY.md", "evidence_ids": [], "severity": None, "origin": "owner", "project": None,
        "said_at": run.as_of, "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "is_everywhere": None, "evidence_sources": None,
        "pattern": reason,
    }  # fmt: skip


def set_words(store: ProposalStore, proposal_id: str, text: str) -> bool:
    """Give a proposal the owner's words, and return whether they are a line; else it keeps its own, and `problems` says so.

    Words for a line that would go, even its own, keep it: the removal becomes a replacement, unless "Remove:" still stands there.
    """
    try:
        words = clean_line(text)
    except UnfitLineError as error:
        problem = f"{proposal_id} waits with its former words: {error}"
        store.problems.append(f"{problem}, at most {MAX_LINE_CHARS}" if error.size else problem)
        return False
    row = store.rows[proposal_id]
    if row["op"] == "remove" and words.startswith(REMOVE):
        return True
    if words != row["text"] or row["op"] == "remove":
        row["op"], row["text"] = "replace" if row["op"] == "remove" else row["op"], words
        store.record(proposal_id, "edited", OWNER_ACTOR, words)
    return True


def promote_approved(store: ProposalStore, approved: Iterable[str]) -> int:
    """Put approved proposals into MEMORY.md, end them, and return the number of promoted lines.

    MEMORY.md is written before the lake: after a crash in between the page is as the owner ticked it, and the next run only
    records what the former one did. What MEMORY.md cannot take (it has an open code fence, it cannot be written) stays
    approved as `unwritten`, and the next review tries again. A friction fix for another file is approved, that file left alone.
    """
    _write_lines_of_other_machines(store)
    promoted = 0
    for proposal_id, promotion in _write_promotions(store, sorted(set(approved))):
        row = store.rows[proposal_id]
        if promotion is None:
            store.close(proposal_id, "approved", "approved", OWNER_ACTOR)
        elif promotion.result == "vanished":
            row["status"], row["decided_at"] = "pending", None
            _settle_vanished(store, proposal_id, promotion.text)
        else:
            promoted += _record_promotion(store, row, promotion)
    return promoted


def _write_lines_of_other_machines(store: ProposalStore) -> None:
    """Bring MEMORY.md up to what other machines wrote into theirs, and record what the owner took out of this one."""
    try:
        lines = write_missing_lines(store.run, store.rows, store.past, store.forgotten)
    except (PageError, OSError) as error:
        store.problems.append(f"lines of other machines wait to be written into MEMORY.md: {error}")
        return
    store.restored, store.problems = lines.written, store.problems + lines.problems
    for line in lines.taken_out:
        store.record(line.proposal_id, "vanished", RECOLLECT, line.line)


def _write_promotions(store: ProposalStore, approved: Sequence[str]) -> list[tuple[str, Promotion | None]]:
    """Write MEMORY.md, and return what came of each proposal; None for one that is not for MEMORY.md."""
    problem = ""
    for _ in range(MEMORY_TRIES):
        try:
            before = read_memory(store.run)
            memory, promotions = _promote_in_turn(store, before, approved)
            if memory != before and any(promotion and promotion.result in ("done", "stood") for _, promotion in promotions):
                write_memory(store.run, before, memory)
            own = _find_unrecorded(store, before, promotions)
            return [(proposal_id, own.get(proposal_id, promotion)) for proposal_id, promotion in promotions]
        except PageError as error:
            problem = error.message
    unwritten = Promotion("", "", "unsafe", problem)
    return [(proposal_id, unwritten if _is_for_memory(store.rows[proposal_id]) else None) for proposal_id in approved]


def _promote_in_turn(
    store: ProposalStore, memory: str, approved: Iterable[str]
) -> tuple[str, list[tuple[str, Promotion | None]]]:
    """Return a text of MEMORY.md with the approved changes, and what came of each."""
    order, promotions = list_memory_sections(store.run), list[tuple[str, Promotion | None]]()
    memory = memory or render_empty_memory(store.run)
    for proposal_id in approved:
        row = store.rows[proposal_id]
        day = (row["said_at"] or row["created_at"]).astimezone(store.run.zone).date()
        promotion = promote(memory, row, day, order) if _is_for_memory(row) else None
        memory = promotion.text if promotion else memory
        promotions.append((proposal_id, promotion))
    return memory, promotions


def _find_unrecorded(
    store: ProposalStore, memory: str, promotions: Iterable[tuple[str, Promotion | None]]
) -> dict[str, Promotion | None]:
    """Return what a run did that wrote MEMORY.md and died before the lake, by proposal; else its lines count as the owner's.

    It is known when the same changes of the former MEMORY.md make the present one, byte for byte, and nobody recorded them.
    """
    stood = [proposal_id for proposal_id, promotion in promotions if promotion and promotion.result == "stood"]
    if not stood or (former := read_former_memory(store.run)) == memory:
        return {}
    again, unrecorded = _promote_in_turn(store, former, stood)
    settled = {row["old_text"] for row in store.rows.values() if row["status"] == "approved" and row["old_text"]}
    recorded = {store.rows[proposal_id]["old_text"] for proposal_id in stood} & settled
    lines = {hash_text(promotion.line) for _, promotion in unrecorded if promotion}
    if again != memory or recorded or lines & set(store.run.lake.read("memory_lines")["line_hash"]):
        return {}
    return dict(unrecorded)


def _record_promotion(store: ProposalStore, row: ProposalRow, promotion: Promotion) -> bool:
    """Record an approval and what came of it, and return whether MEMORY.md has it. The time of an earlier approval stays."""
    proposal_id, is_new = row["proposal_id"], row["status"] != "approved"
    if is_new:
        store.close(proposal_id, "approved", "approved", OWNER_ACTOR)
    if promotion.result == "unsafe":
        if is_new:
            store.record(proposal_id, "unwritten", RECOLLECT, row["text"])
        store.problems.append(f"{proposal_id} is approved and waits to be written: {promotion.problem}")
        return False
    store.record(proposal_id, "promoted", RECOLLECT, row["text"])
    if row["old_text"] and (
        same := parse_memory(promotion.text).find_line(row["old_text"])
    ):  # perhaps of another thing: who knows
        store.problems.append(
            f"{proposal_id}: the line that it changed stood twice in MEMORY.md; it still stands below `{same.section}`, and stays"
        )
    line = _build_memory_line(store, row, promotion.line) if promotion.line else None
    if promotion.result == "stood":
        store.record(proposal_id, "stood", RECOLLECT, promotion.removed)
        if line and line["line_hash"] in set(store.run.lake.read("memory_lines")["line_hash"]):
            line = None  # it came from another proposal
    store.lines += [line] if line else []
    return True


def convert_vanished(store: ProposalStore) -> None:
    """Settle pending changes of lines that MEMORY.md does not have any more."""
    memory = read_memory(store.run)
    for proposal_id, row in store.list_pending().items():
        if _is_for_memory(row) and is_line_missing(memory, row):
            _settle_vanished(store, proposal_id, memory)


def _settle_vanished(store: ProposalStore, proposal_id: str, memory: str) -> None:
    """Let the owner's own edit of a line decide about the change that was offered for it.

    A removal has nothing left to do, a replacement neither when the line was changed to another value or the page says what it
    says: they end. A line that was only reworded is the one to be replaced now. One that was deleted leaves an addition.
    """
    from transforms.memory.same_claim import find_line_edit  # loads numpy: not for each session's start

    row = store.rows[proposal_id]
    (old,) = parse_memory(row["old_text"] or "").bullets[:1] or (None,)
    edit, line = ("done", "") if row["op"] == "remove" else ("deleted", "")
    if old is not None and edit != "done":
        edit, line = find_line_edit(old.text, row["section"], row["text"], parse_memory(memory).bullets)
    if edit == "done":
        store.close(proposal_id, "merged", "merged", RECOLLECT)
        return
    store.record(proposal_id, "vanished", RECOLLECT, row["old_text"] or "")
    if edit == "reworded":
        row["old_text"] = line
        store.problems.append(f"{proposal_id} waits: you reworded the line that it replaces, so it now replaces your wording")
        return
    store.problems.append(f"{proposal_id} waits: the line that it replaces is gone from MEMORY.md, so it now adds a line")
    row["op"], row["old_text"] = "add", None


def write_rows(store: ProposalStore) -> None:
    """Write the proposals alone, in one commit: nothing happened to them."""
    with store.run.lake.commit() as change:
        change.replace("proposals", build_frame(PROPOSALS, store.rows.values()))


def save_proposals(store: ProposalStore, page: PageRow | None = None) -> None:
    """Write proposals, events, promoted lines and, when a page was read, its row, in one commit."""
    if not store.events and page is None:
        return
    lake = store.run.lake
    with lake.commit() as change:
        change.replace("proposals", build_frame(PROPOSALS, store.rows.values()))
        if store.events:
            change.append("proposal_events", build_frame(PROPOSAL_EVENTS, store.events))
        if store.lines or store.withdrawn:
            new = build_frame(MEMORY_LINES, store.lines)
            old = lake.read("memory_lines").drop("schema_version").filter(~pl.col("proposal_id").is_in(store.withdrawn))
            unchanged = old.join(new, on="line_hash", how="anti")
            change.replace("memory_lines", pl.concat([unchanged, new]))
        if page is not None:
            others = lake.read("pages").drop("schema_version").filter(pl.col("path") != page["path"])
            change.replace("pages", pl.concat([others, build_frame(PAGES, [page])]))
    by_event = {
        name: [event["proposal_id"] for event in store.events if event["event"] == name] for name in ("promoted", "undone")
    }
    with suppress(OSError):  # then the next night compares again
        note_lines(store.run, by_event["promoted"], by_event["undone"])


def _is_for_memory(row: ProposalRow) -> bool:
    target = (row["target"] or "MEMORY.md").replace("\\", "/")
    return row["kind"] == "memory" or target.rsplit("/", 1)[-1] == "MEMORY.md"


def _build_memory_line(store: ProposalStore, row: ProposalRow, line: str) -> MemoryLineRow:
    return {
        "line_hash": hash_text(line),
        "proposal_id": row["proposal_id"],
        "section": row["section"],
        "text": line,
        "at": store.run.as_of,
    }
