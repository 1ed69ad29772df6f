"""Words the effect of a review line by line, from the events that it left in the lake."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from effects.store.run import Run
from transforms.tables.rows import ProposalEventRow
from transforms.tables.schema import PROPOSAL_EVENTS, PROPOSALS, read_rows

EventKey = tuple[object, ...]
EVENT_WORDS = {
    "promoted": "added", "approved": "approved", "rejected": "rejected", "edited": "edited", "expired": "expired",
    "undone": "taken back", "vanished": "changed", "proposed": "proposed", "merged": "merged",
}  # fmt: skip
"""Events that are told, by the word for each; of one proposal the last of them counts."""
_ORDER = ("promoted", "approved", "rejected", "undone", "edited", "vanished", "expired", "merged", "proposed")


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
