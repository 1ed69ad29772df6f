"""The decisions of a person who went through the proposals, taking the last ones back, and what came of them in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from effects.memory.proposal_store import (
    OWNER_ACTOR,
    RECOLLECT,
    ProposalStore,
    open_proposals,
    promote_approved,
    save_proposals,
    set_words,
)
from effects.store.memory_file import list_memory_sections, read_memory, write_memory
from effects.store.run import Counts, Run
from transforms.pages.memory_md import UnsafeEditError, add_bullet, replace_line, take_out_added
from transforms.tables.rows import ProposalEventRow, ProposalRow
from transforms.tables.schema import PROPOSAL_EVENTS, PROPOSALS, read_rows

EventKey = tuple[object, ...]
EVENT_WORDS = {
    "promoted": "added", "approved": "approved", "rejected": "rejected", "edited": "edited", "expired": "expired",
    "undone": "taken back", "vanished": "changed", "proposed": "proposed", "merged": "merged",
}  # fmt: skip
"""Events that are told, by the word for each; of one proposal the last of them counts."""
_ORDER = ("promoted", "approved", "rejected", "undone", "edited", "vanished", "expired", "merged", "proposed")


def decide(run: Run, approved: Sequence[str], rejected: Sequence[str], edited: Mapping[str, str]) -> Counts:
    """Carry out decisions on proposals that still wait, and return counts; one that ended meanwhile is named in `problems`.

    `edited` are the words of approved proposals that are to be promoted in place of those proposed. What expired meanwhile may
    still be approved.
    """
    store = open_proposals(run)
    waiting, expired = store.list_pending().keys(), store.list_expired()
    refused = [proposal_id for proposal_id in rejected if proposal_id in waiting]
    wanted = [proposal_id for proposal_id in approved if proposal_id in waiting or proposal_id in expired]
    ended = [key for key in approved if key not in wanted] + [key for key in rejected if key not in refused]
    store.problems += [f"{proposal_id} does not wait any more; nothing was done about it" for proposal_id in ended]
    unfit = {key for key, text in edited.items() if key in wanted and not set_words(store, key, text)}
    for proposal_id in refused:
        store.close(proposal_id, "rejected", "rejected", OWNER_ACTOR)
    fit = [proposal_id for proposal_id in wanted if proposal_id not in unfit]
    promoted = promote_approved(store, fit)
    save_proposals(store)
    return {
        "approved": len(fit),
        "promoted": promoted,
        "edited": len(edited) - len(unfit),
        "rejected": len(refused),
        "problems": store.problems,
    }


def undo_last(run: Run) -> Counts:
    """Take back the owner's last decisions, all of one time: they wait again, and their lines leave MEMORY.md; return counts.

    A line that the owner changed since stays, and so does its approval: `problems` names it. What MEMORY.md had before the
    decision stays, too. A second call takes back the decisions before these. Lines that a decision removed come back at the end
    of their section.
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
        for rival_id, rival in store.list_pending().items():
            if row["old_text"] and rival["old_text"] == row["old_text"] and rival_id not in last:
                store.close(rival_id, "merged", "merged", RECOLLECT)  # one open change of a line
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
    if row["proposal_id"] in store.list_unwritten():
        return memory
    if (removed := store.find_stood(row["proposal_id"])) is not None:
        if row["op"] != "remove":
            store.problems.append(f"{row['proposal_id']} waits again; its line stays in MEMORY.md, where it stood before")
        return _put_back(store, row, memory, removed) if removed else memory
    old = row["old_text"] or ""
    if row["op"] == "remove":
        return _put_back(store, row, memory, old)
    lines = store.run.lake.read("memory_lines").filter(pl.col("proposal_id") == row["proposal_id"])["text"].to_list()
    line = next(iter(lines), None)
    if line is None or line not in memory.splitlines():
        return None
    if row["op"] == "replace":
        return replace_line(memory, line, old)
    return take_out_added(memory, row["section"], line, list_memory_sections(store.run))


def _put_back(store: ProposalStore, row: ProposalRow, memory: str, line: str) -> str | None:
    """Return MEMORY.md with a line that was taken out, at the end of its section; None when its place is not safe."""
    try:
        return add_bullet(memory, row["section"], line, list_memory_sections(store.run))
    except UnsafeEditError:
        return None


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """The fate of one proposal: `added` to MEMORY.md, `rejected`, `edited`, …, with its words and its section."""

    word: str
    proposal_id: str
    section: str
    text: str


def count_events(run: Run) -> Counter[EventKey]:
    """Return every event of the lake; the difference of two calls is the effect of the run in between."""
    return Counter(_make_key(row) for row in read_rows(PROPOSAL_EVENTS, run.lake.read("proposal_events")))


def list_decisions(run: Run, before: Counter[EventKey]) -> list[DecisionLine]:
    """Return a line for each proposal that got an event since `before`, in the order of ids."""
    new = count_events(run) - before
    rows = {row["proposal_id"]: row for row in read_rows(PROPOSALS, run.lake.read("proposals"))}
    lines: dict[str, str] = {}
    for proposal_id, event, *_ in new:
        known = str(proposal_id)
        if known in rows and event in EVENT_WORDS and _ORDER.index(str(event)) <= _ORDER.index(lines.get(known, "proposed")):
            lines[known] = str(event)
    return [_describe(rows[key]["section"], event, key, rows[key]["text"] or "", rows[key]["op"], rows[key]["old_text"] or "")
            for key, event in sorted(lines.items())]  # fmt: skip


def format_decision(line: DecisionLine) -> str:
    """Return the line for a terminal."""
    return f"{line.word:10} {line.proposal_id}  {line.section}: {line.text}"


def _describe(section: str, event: str, proposal_id: str, text: str, operation: str, old_text: str) -> DecisionLine:
    word = EVENT_WORDS[event]
    if event == "promoted" and operation == "remove":
        return DecisionLine("removed", proposal_id, section, old_text)
    if event == "promoted" and operation == "replace":
        word = "replaced"
    return DecisionLine(word, proposal_id, section, text)


def _make_key(row: ProposalEventRow) -> EventKey:
    return row["proposal_id"], row["event"], row["at"], row["actor"], row["text"]
