"""What became of proposals: on a day, for the daily log; all of them, for new ones; the last verdicts, for a week's limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

import orjson
import polars as pl

from transforms.pages.memory_md import MemoryPage
from transforms.quoting.closed_cut import cut_closed
from transforms.quoting.named_lines import name_line
from transforms.redaction.redact import redact
from transforms.tables.enums import ProposalKind, ProposalOperation, ProposalStatus
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ObservationRow, ProposalEventRow, ProposalRow
from transforms.tables.schema import PROPOSAL_EVENTS, PROPOSALS, read_rows

OUTCOME_LABELS = {
    "promoted": "✅ promoted",
    "rejected": "❌ rejected",
    "expired": "⌛ expired",
    "merged": "🔗 merged",
    "approved": "✅ approved",
    "undone": "↩️ taken back",
}
"""Event → label in the log. `approved` is shown of fixes for other files only: an approved line is promoted at once."""


UNKNOWN_CHARS = 60
"""Characters of the name of a section that MEMORY.md does not have."""
LISTED_LINES = 80
"""Most lines of each list, the newest, that a model is told."""
RECENT_VERDICTS = 8
"""The last verdicts count: two or three reviews of a week's offers."""
FEWEST_VERDICTS = 3
"""Below this many nothing changes."""
GOOD_SHARE = 0.5
"""From this share of ticks on the whole limit stands."""


@dataclass(frozen=True, slots=True)
class PastProposal:
    """An earlier proposal with all its wordings and its evidence; `old_text` is the line that it would replace or remove."""

    proposal_id: str
    status: ProposalStatus
    texts: tuple[str, ...]
    evidence: frozenset[str]
    said_at: datetime | None
    decided_at: datetime | None
    op: ProposalOperation = "add"
    old_text: str | None = None


class WaitingLine(NamedTuple):
    """A line that waits for the owner, for a model: how it is shown, its words, and the line of MEMORY.md that it changes.

    `rows` are the observations in force that it rests on, `newer` those that replaced others of them.
    """

    proposal_id: str
    shown: str
    text: str
    said_at: datetime
    old_text: str | None = None
    rows: tuple[ObservationRow, ...] = ()
    newer: tuple[str, ...] = ()


class FormerLines(NamedTuple):
    """What a model that proposes is told of former proposals: what the owner turned down, what expired, and what waits."""

    refused: Sequence[str] = ()
    expired: Sequence[str] = ()
    waiting: Sequence[WaitingLine] = ()


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A proposal made on the day, or offered again, with the text that it had then."""

    proposal_id: str
    section: str
    text: str
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class ProposalOutcome:
    """The end of a proposal. `old_text` is the line of MEMORY.md that it replaced or removed."""

    word: str
    proposal_id: str
    section: str
    text: str
    old_text: str


@dataclass(frozen=True, slots=True)
class DayOutcomes:
    """The events of proposals on one day."""

    proposed: tuple[NewProposal, ...]
    ended: tuple[ProposalOutcome, ...]
    reflection: str = ""

    @property
    def summary(self) -> str:
        """The changes, in the words of the reflecting model if one was asked, and the number of proposals."""
        counts: dict[str, int] = {}
        for item in self.proposed:
            counts[item.section] = counts.get(item.section, 0) + 1
        parts = ", ".join(f"{count} for {section}" for section, count in counts.items())
        total = len(self.proposed)
        again = sum(item.is_again for item in self.proposed)
        repeated = "" if not again else ", offered again" if again == total else f", {again} of them offered again"
        wait = "It waits" if total == 1 else "They wait"
        sentence = f"{total} {'proposal' if total == 1 else 'proposals'} for MEMORY.md ({parts}){repeated}. {wait} in REVIEW.md."
        return f"{self.reflection} {sentence}".strip()


def group_outcomes_by_day(proposals: pl.DataFrame, events: pl.DataFrame, zone: ZoneInfo) -> dict[date, DayOutcomes]:
    """Return per local day the new and the ended proposals, in the order of their ids."""
    by_id = {row["proposal_id"]: row for row in read_rows(PROPOSALS, proposals)}
    proposed: dict[date, list[NewProposal]] = {}
    ended: dict[date, list[ProposalOutcome]] = {}
    reflections: dict[date, str] = {}
    offered: set[str] = set()
    for row in read_rows(PROPOSAL_EVENTS, events.sort("proposal_id", "at", "event")):
        if row["event"] == "reflected":
            reflections[row["at"].astimezone(zone).date()] = str(orjson.loads(row["text"] or "{}").get("summary") or "")
        proposal = by_id.get(row["proposal_id"])
        if proposal is None:
            continue
        day = row["at"].astimezone(zone).date()
        is_fix = proposal["kind"] == "friction"
        if row["event"] == "proposed" and is_fix:
            continue  # the page of friction is REVIEW.md; it is not a reflection
        if row["event"] == "proposed":
            is_again = row["proposal_id"] in offered
            offered.add(row["proposal_id"])
            proposed.setdefault(day, []).append(NewProposal(row["proposal_id"], proposal["section"], row["text"] or "", is_again))
        elif row["event"] in OUTCOME_LABELS and (row["event"] != "approved" or (is_fix and proposal["target"] != "MEMORY.md")):
            ended.setdefault(day, []).append(_build_outcome(row, proposal))
    return {
        day: DayOutcomes(tuple(proposed.get(day, ())), tuple(ended.get(day, ())), reflections.get(day, ""))
        for day in sorted({*proposed, *ended})
    }


def _build_outcome(event: ProposalEventRow, proposal: ProposalRow) -> ProposalOutcome:
    text = event["text"] or proposal["text"] or ""
    old = proposal["old_text"] if event["event"] == "promoted" else None
    return ProposalOutcome(OUTCOME_LABELS[event["event"]], event["proposal_id"], proposal["section"], text, old or "")


def collect_seen_windows(notes: Iterable[ProposalEventRow]) -> tuple[dict[str, set[str]], dict[str, datetime]]:
    """Return the windows that reflections have read, each with the hashes of its facts, and when one read it last, where no hash
    was noted."""
    read: dict[str, set[str]] = {}
    last: dict[str, datetime] = {}
    for event in notes:
        note = orjson.loads(event["text"])
        last |= dict.fromkeys(note["windows"], event["at"])
        for window, facts_hash in (note.get("facts") or {}).items():
            read.setdefault(window, set()).add(facts_hash)
    return read, last


def collect_past_proposals(rows: Sequence[ProposalRow], events: Sequence[ProposalEventRow]) -> list[PastProposal]:
    """Return past proposals, each with all wordings that its events record; rejected ones first."""
    texts: dict[str, list[str]] = {}
    for event in events:
        if event["event"] in ("proposed", "edited", "approved", "rejected", "promoted") and event["text"]:
            texts.setdefault(event["proposal_id"], []).append(event["text"])
    rank = {"rejected": 0, "pending": 1, "approved": 2, "merged": 3, "expired": 4}
    known = [
        PastProposal(
            proposal_id=row["proposal_id"],
            status=row["status"],
            texts=tuple(dict.fromkeys([row["text"], *texts.get(row["proposal_id"], ())])),
            evidence=frozenset(row["evidence_ids"] or ()),
            said_at=row["said_at"],
            decided_at=row["decided_at"],
            op=row["op"],
            old_text=row["old_text"],
        )
        for row in rows
        if row["kind"] == "memory"
    ]
    return sorted(known, key=lambda candidate: (rank[candidate.status], candidate.proposal_id))


def list_decided_lines(
    known: Sequence[PastProposal], page: MemoryPage, seen: Collection[str], open_again: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return what a model that proposes is told beside all that waits: what the owner turned down, and what expired; a change
    with its line.

    A line that expired comes again by itself, and code takes what rests on the same observations for it: it is listed when one of
    these is `seen`. A refused removal says that its line stays, and a change in `open_again` was said again since.
    """
    standing = {text for bullet in page.bullets for text in (bullet.text, bullet.line)}
    new = [proposal for proposal in known if standing.isdisjoint(proposal.texts)]
    refused = [item for item in new if item.status == "rejected" and item.op != "remove" and item.proposal_id not in open_again]
    expired = [item for item in new if item.status == "expired" and not item.evidence.isdisjoint(seen)]
    return [describe_proposal(item) for item in refused[-LISTED_LINES:]], [
        describe_proposal(item) for item in expired[-LISTED_LINES:]
    ]


def describe_proposal(proposal: PastProposal) -> str:
    """Return the words of a proposal and the line that they change, as MEMORY.md is shown: without secrets."""
    from transforms.distil.row_grounding import escape_row  # for models alone: a command that renders pages checks no facts

    old = (proposal.old_text or "").removeprefix("- ")
    text = f"that this line goes: {old or proposal.texts[0]}" if proposal.op == "remove" else proposal.texts[0]
    instead = f' (in place of "{old}")' if proposal.op == "replace" and old else ""
    return redact(escape_row(text + instead))


def limit_by_verdicts(rows: Iterable[ProposalRow], kind: ProposalKind, limit: int, since: datetime | None = None) -> int:
    """Return how many proposals of a kind a week may bring, from 1 to `limit` (0 stays 0).

    The limit shrinks in proportion when the owner ticked less than half of the last verdicts. Verdicts on proposals made before
    `since` do not count: somebody else worded those. Expired and merged proposals were not judged.
    """
    judged = [
        (row["decided_at"], row["proposal_id"], row["status"] == "approved")
        for row in rows
        if row["kind"] == kind
        and row["status"] in ("approved", "rejected")
        and row["decided_at"] is not None
        and (since is None or row["created_at"] >= since)
    ]
    last = [is_ticked for *_, is_ticked in sorted(judged)[-RECENT_VERDICTS:]]
    if len(last) < FEWEST_VERDICTS or limit < 1:
        return limit
    return max(1, min(limit, round(limit * sum(last) / len(last) / GOOD_SHARE)))


def word_note(
    op: ProposalOperation, unknown: str, refused: PastProposal | None, zone: tzinfo, taken: Sequence[ProposalRow] = ()
) -> str | None:
    """Return what the owner should know about a proposal, for the page: in the place of which waiting lines it stands (`taken`),
    else what they turned down about the line before (`refused`), else that a model named a section which MEMORY.md does not have
    (`unknown`); None when there is nothing. Other lines stand there by their ids (`named_lines`)."""
    if taken:
        names = ((name_line(row["proposal_id"]), find_local_day(row["created_at"], zone)) for row in taken)
        return f"A model put it in the place of {'; '.join(f'{name}, which waited since {day}' for name, day in names)}:"
    if refused is None or refused.decided_at is None:
        named = f"“{cut_closed(unknown, UNKNOWN_CHARS)}”"
        return f"The model named a section {named}, which MEMORY.md does not have:" if unknown and op == "add" else None
    day = find_local_day(refused.decided_at, zone)
    change = "the removal of this line" if refused.op == "remove" else name_line(refused.proposal_id)
    return f"You turned down {change} on {day}. Said since then:"
