"""What became of proposals on a day, for the daily log: proposed, approved, rejected, expired, promoted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import polars as pl

OUTCOME_LABELS = {"promoted": "✅ promoted", "rejected": "❌ rejected", "expired": "⌛ expired", "merged": "🔗 merged"}
"""`approved` is not shown: what was approved is promoted, and a line twice says less than once."""


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A proposal made on the day, with the text that it had then."""

    proposal_id: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class ProposalOutcome:
    """The end of a proposal; `old_text` is the line of MEMORY.md that it replaced or removed."""

    word: str
    proposal_id: str
    section: str
    text: str
    old_text: str


@dataclass(frozen=True, slots=True)
class DayOutcomes:
    """Everything that happened to proposals on one day."""

    proposed: tuple[NewProposal, ...]
    ended: tuple[ProposalOutcome, ...]
    reflection: str = ""

    @property
    def summary(self) -> str:
        """What changed, in a reflecting model's words when one was asked, and what was proposed."""
        counts: dict[str, int] = {}
        for item in self.proposed:
            counts[item.section] = counts.get(item.section, 0) + 1
        parts = ", ".join(f"{count} for {section}" for section, count in counts.items())
        total = len(self.proposed)
        told = f"{total} {'proposal' if total == 1 else 'proposals'} for MEMORY.md ({parts}). They wait in REVIEW.md."
        return f"{self.reflection} {told}".strip()


def group_outcomes_by_day(proposals: pl.DataFrame, events: pl.DataFrame, zone: ZoneInfo) -> dict[date, DayOutcomes]:
    """Per local day what was proposed and what ended, in the order of the proposals' ids."""
    about = {row["proposal_id"]: row for row in proposals.iter_rows(named=True)}
    proposed: dict[date, list[NewProposal]] = {}
    ended: dict[date, list[ProposalOutcome]] = {}
    reflections: dict[date, str] = {}
    for row in events.sort("proposal_id", "at", "event").iter_rows(named=True):
        if row["event"] == "reflected":
            reflections[row["at"].astimezone(zone).date()] = str(orjson.loads(row["text"] or "{}").get("summary") or "")
        known = about.get(row["proposal_id"])
        if known is None:
            continue
        day = row["at"].astimezone(zone).date()
        if row["event"] == "proposed":
            proposed.setdefault(day, []).append(NewProposal(row["proposal_id"], known["section"], row["text"] or ""))
        elif row["event"] in OUTCOME_LABELS:
            ended.setdefault(day, []).append(_build_outcome(row, known))
    return {
        day: DayOutcomes(tuple(proposed.get(day, ())), tuple(ended.get(day, ())), reflections.get(day, ""))
        for day in sorted({*proposed, *ended})
    }


def _build_outcome(event: dict[str, Any], proposal: dict[str, Any]) -> ProposalOutcome:
    text = event["text"] or proposal["text"] or ""
    old = proposal["old_text"] if event["event"] == "promoted" else None
    return ProposalOutcome(OUTCOME_LABELS[event["event"]], event["proposal_id"], proposal["section"], text, old or "")
