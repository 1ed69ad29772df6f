"""The yield of reflection: the fate of a period's proposals, why other candidates were never proposed, and confirmed lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

import orjson
import polars as pl

from transforms.tables.rows import ConfirmationRow

Fate = Literal["approved", "approved in other words", "rejected", "expired", "merged", "pending"]
FATES: tuple[Fate, ...] = ("approved", "approved in other words", "rejected", "expired", "merged", "pending")
"""Fates of a proposal, in the words of its status: approved as it was, approved in the owner's words, rejected, untouched for too
long, merged into a newer statement before anybody decided, and waiting."""

REASONS = {
    "agent_alone": "said by an agent alone",
    "foreign": "said by somebody else than you",
    "disputed": "said beside words that may deny them",
    "decided_for_the_work": "decided for the work at hand",
    "minor": "of minor importance",
    "ends": "said to end soon",
    "unworded": "answered in words that do not stand alone",
    "not_lasting": "not clear or not lasting by itself",
    "over_limit": "beyond the limit of the week",
    "beyond_waiting": "too many to wait for room",
    "in_memory": "already in MEMORY.md",
    "pending": "already pending",
    "rejected": "rejected before",
    "approved": "approved before",
    "expired": "expired before",
    "merged": "merged before",
}
"""Reason why reflection left something out → words for a person."""

_NOT_APPROVED: dict[str, Fate] = {"rejected": "rejected", "expired": "expired", "merged": "merged", "pending": "pending"}
"""Status of a proposal that was not approved → its fate."""
_KNOWN = ("present", "renamed", "gone", "unmerged")
"""Results of a lookup that say something about a line: what no repository ever had is unknown."""


@dataclass(frozen=True, slots=True)
class ProposalYield:
    """Counts of a period: proposals by fate, by section, and omissions by reason."""

    fates: Mapping[Fate, int]
    sections: Mapping[str, Mapping[Fate, int]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def proposed(self) -> int:
        """Number of proposals that were made or offered again in the period, with any fate."""
        return sum(self.fates.values())

    @property
    def approved(self) -> int:
        """Proposals that the owner approved, in our words or in others."""
        return self.fates["approved"] + self.fates["approved in other words"]

    @property
    def accepted_share(self) -> float | None:
        """Share of the proposals that the owner decided on which were approved; None before the first."""
        decided = self.approved + self.fates["rejected"]
        return self.approved / decided if decided else None

    @property
    def expired_share(self) -> float:
        """Share of the proposals that nobody touched."""
        return self.fates["expired"] / self.proposed if self.proposed else 0.0


def compute_yield(proposals: pl.DataFrame, events: pl.DataFrame, since: datetime | None = None) -> ProposalYield:
    """Return the yield of the proposals that were made or offered again since a moment, or of all, with fixes of friction."""
    edits = events.filter((pl.col("event") == "edited") & (pl.col("actor") == "owner"))
    edited = set(edits["proposal_id"].to_list())
    fates: Counter[Fate] = Counter()
    sections: dict[str, Counter[Fate]] = {}
    rows = proposals
    if since is not None:
        offered = events.filter((pl.col("event") == "proposed") & (pl.col("at") >= since)).select("proposal_id")
        rows = rows.filter((pl.col("created_at") >= since) | pl.col("proposal_id").is_in(offered["proposal_id"].to_list()))
    for proposal_id, kind, section, status in rows.select("proposal_id", "kind", "section", "status").iter_rows():
        fate = _NOT_APPROVED.get(status) or ("approved in other words" if proposal_id in edited else "approved")
        fates[fate] += 1
        sections.setdefault("Friction Fixes" if kind == "friction" else section, Counter())[fate] += 1
    reflected = events.filter(pl.col("event") == "reflected")
    reflected = reflected if since is None else reflected.filter(pl.col("at") >= since)
    left_out: Counter[str] = Counter()
    for note in reflected["text"].drop_nulls().to_list():
        left_out.update(orjson.loads(note).get("dropped") or {})
    return ProposalYield({fate: fates[fate] for fate in FATES}, dict(sorted(sections.items())), dict(left_out))


def word_reasons(left_out: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return reasons in words with their counts, the most frequent first."""
    ordered = sorted(left_out.items(), key=lambda item: (-item[1], item[0]))
    return tuple((REASONS.get(reason, reason.replace("_", " ")), count) for reason, count in ordered if count)


def describe_yield(proposal_yield: ProposalYield) -> str:
    """Return the yield in one line: `8 proposed: 6 approved, 2 rejected; never proposed: 40 said by an agent alone`."""
    fates = ", ".join(f"{count} {fate}" for fate, count in proposal_yield.fates.items() if count)
    reasons = ", ".join(f"{count} {reason}" for reason, count in word_reasons(proposal_yield.left_out)[:4])
    parts = [f"{proposal_yield.proposed} proposed" + (f": {fates}" if fates else "")]
    return "; ".join([*parts, *([f"never proposed: {reasons}"] if reasons else [])])


@dataclass(frozen=True, slots=True)
class ConfirmedLine:
    """A line, the names in it that were looked up, the last day on which all of them were there (None: never), and the faults."""

    text: str
    names: tuple[str, ...]
    confirmed_on: date | None
    faults: tuple[str, ...]


def list_confirmed_lines(lines: Mapping[str, str], rows: Iterable[ConfirmationRow]) -> tuple[ConfirmedLine, ...]:
    """Return the lines (text by target) that name something which a repository has or had; faulty ones first, then the oldest."""
    by_target: dict[str, list[ConfirmationRow]] = {}
    for row in rows:
        if row["target"] in lines and row["status"] in _KNOWN and row["kind"] != "branch":
            by_target.setdefault(row["target"], []).append(row)
    confirmed = [_describe(lines[target], sorted(part, key=lambda row: row["name"])) for target, part in by_target.items()]
    return tuple(sorted(confirmed, key=lambda line: (not line.faults, line.confirmed_on or date.min, line.text)))


def _describe(text: str, rows: list[ConfirmationRow]) -> ConfirmedLine:
    days = [row["confirmed_on"] for row in rows]
    faults = tuple(
        f"{row['name']} is {row['new_name']} now" if row["status"] == "renamed" and row["new_name"]
        else f"{row['name']} is gone" if row["status"] in ("gone", "renamed")
        else f"{row['name']} is on no merged branch"
        for row in rows
        if row["status"] != "present"
    )  # fmt: skip
    known = [day for day in days if day is not None]
    return ConfirmedLine(text, tuple(row["name"] for row in rows), min(known) if len(known) == len(days) else None, faults)
