"""From candidate lines to the few proposals of a day: nothing twice, nothing that was refused, best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from transforms.memory.eligibility import LineCandidate
from transforms.memory.normalise_claim import LAYOUT_PREFIX
from transforms.memory.same_claim import compute_resemblance, is_retired_by, is_same_claim
from transforms.pages.daily_log import shorten_project
from transforms.pages.memory_md import SYSTEM_ARCHITECTURE, Bullet, MemoryPage

CHANGING_KINDS = frozenset({"rule", "preference", "decision", "correction", "state_change", "convention"})
"""Kinds whose newer assertion may replace a line of MEMORY.md; a finding never does."""
RECENCY_DAYS = 60.0
"""A candidate loses up to one point of worth as it gets this much older than the newest one: fresh evidence first."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A line to add, or to put in the place of one exact line (`old_text`)."""

    op: str
    section: str
    text: str
    old_text: str | None
    candidate: LineCandidate


@dataclass(frozen=True, slots=True)
class PastProposal:
    """A proposal of the past with every wording it ever had, and its evidence."""

    proposal_id: str
    status: str
    texts: tuple[str, ...]
    evidence: frozenset[str]
    said_at: datetime | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class RankedProposals:
    """What becomes of the candidates: `supports` are more evidence for pending ones, `dropped` counts by reason,
    `waiting` the observations whose lines lost against the limit and may come again."""

    chosen: tuple[Proposal, ...]
    supports: dict[str, tuple[str, ...]]
    dropped: dict[str, int]
    waiting: tuple[str, ...]


def rank_proposals(
    pool: Sequence[LineCandidate], page: MemoryPage, past: Sequence[PastProposal], retired: Mapping[str, str], limit: int
) -> RankedProposals:
    """The proposals to make, at most `limit`.

    `retired` maps a bullet line of MEMORY.md to the observation that superseded its evidence: a candidate resting on
    that observation replaces the line, however differently it is worded.
    """
    dropped: dict[str, int] = {}
    supports: dict[str, tuple[str, ...]] = {}
    offers: list[Proposal] = []
    for candidate in merge_same_claims(pool):
        offer = _place_candidate(candidate, page, retired)
        reason = "in_memory" if offer is None else ""
        if offer is not None:
            known = next((other for other in past if _is_same_as_past(other, candidate)), None)
            reason = _find_refusal(known, candidate, offer) if known else ""
            if known and reason == "pending":
                supports[known.proposal_id] = (*supports.get(known.proposal_id, ()), *candidate.evidence)
        if candidate.is_support and reason != "pending":
            continue
        if reason:
            dropped[reason] = dropped.get(reason, 0) + 1
        elif offer is not None:
            offers.append(offer)
    ranked = _sort_offers(_keep_newest_per_line(offers))
    kept = tuple(_add_project_head(offer) for offer in ranked[: max(0, limit)])
    waiting = dict.fromkeys(key for offer in ranked[max(0, limit) :] for key in offer.candidate.evidence)
    if len(ranked) > len(kept):
        dropped["over_limit"] = len(ranked) - len(kept)
    return RankedProposals(kept, supports, dropped, tuple(waiting))


def _project_head(candidate: LineCandidate) -> str:
    """`**project** — `, for a line that only makes sense inside its project; empty when it comes from several or none."""
    project = shorten_project(next(iter(candidate.projects))) if len(candidate.projects) == 1 else ""
    return f"**{project}** — " if project else ""


def _add_project_head(proposal: Proposal) -> Proposal:
    """What runs where, and why, is told of a project: MEMORY.md is read in all of them."""
    head, text = _project_head(proposal.candidate), proposal.text
    if proposal.section != SYSTEM_ARCHITECTURE or not head or head[2:-5].casefold() in text.casefold():
        return proposal
    bare = text.replace(LAYOUT_PREFIX, "layout: ")
    return replace(proposal, text=head + bare.replace("** — ", ": ").replace("**", ""))


def merge_same_claims(pool: Sequence[LineCandidate]) -> list[LineCandidate]:
    """Candidates that say the same become one: the best wording, all evidence, a higher worth for every more session."""
    groups: list[list[LineCandidate]] = []
    for candidate in sorted(pool, key=lambda one: (-one.worth, -one.said_at.timestamp(), one.evidence, one.text)):
        group = next((group for group in groups if is_same_claim(group[0].text, candidate.text)), None)
        if group is None:
            groups.append([candidate])
        else:
            group.append(candidate)
    return [_merge_group(group) for group in groups]


def _merge_group(group: list[LineCandidate]) -> LineCandidate:
    best = group[0]
    evidence = tuple(dict.fromkeys(key for one in group for key in one.evidence))
    sessions = frozenset().union(*(one.sessions for one in group))
    return replace(
        best,
        evidence=evidence,
        sessions=sessions,
        said_at=max(one.said_at for one in group),
        projects=frozenset().union(*(one.projects for one in group)),
        worth=round(best.worth + math.log2(len(sessions)) if sessions else best.worth, 6),
    )


def _place_candidate(candidate: LineCandidate, page: MemoryPage, retired: Mapping[str, str]) -> Proposal | None:
    """The candidate as an addition or a replacement; None when MEMORY.md says it already."""
    add = Proposal("add", candidate.section, candidate.text, None, candidate)
    if any(is_same_claim(bullet.text.removeprefix(_project_head(candidate)), candidate.text) for bullet in page.bullets):
        return None
    for bullet in page.bullets:
        if retired.get(bullet.line) in candidate.evidence and bullet.is_one_line:
            return replace(add, op="replace", old_text=bullet.line, section=bullet.section)
    if candidate.kind not in CHANGING_KINDS:
        return add
    older = [bullet for bullet in page.bullets if _is_outdated_by(bullet, candidate)]
    if not older:
        return add
    bullet = max(older, key=lambda one: (compute_resemblance(one.text, candidate.text), -one.start))
    return replace(add, op="replace", old_text=bullet.line, section=bullet.section)


def _is_outdated_by(bullet: Bullet, candidate: LineCandidate) -> bool:
    """Whether the candidate says something else about the same thing, and the bullet is not newer."""
    if not bullet.is_one_line or (bullet.dated and bullet.dated > candidate.said_at.date()):
        return False
    return is_retired_by(bullet.text.removeprefix(_project_head(candidate)), bullet.section, candidate.text, candidate.kind)


def _is_same_as_past(known: PastProposal, candidate: LineCandidate) -> bool:
    return bool(known.evidence & set(candidate.evidence)) or any(
        is_same_claim(text.removeprefix(_project_head(candidate)), candidate.text) for text in known.texts
    )


def _find_refusal(known: PastProposal, candidate: LineCandidate, offer: Proposal) -> str:
    """Why a candidate that a past proposal said is not proposed again; empty when it may come back."""
    if known.status == "expired":
        is_new = not set(candidate.evidence) <= known.evidence and (known.said_at is None or candidate.said_at > known.said_at)
        return "" if is_new else "expired"
    if known.status == "approved" and offer.op == "replace" and not known.evidence & set(candidate.evidence):
        return ""  # MEMORY.md moved on since, and the owner says it again
    return known.status


def _keep_newest_per_line(offers: list[Proposal]) -> list[Proposal]:
    """Two candidates for the same line of MEMORY.md: the newer assertion replaces it, the other waits for nothing."""
    by_line: dict[str, Proposal] = {}
    for offer in offers:
        if offer.old_text is None:
            continue
        rival = by_line.get(offer.old_text)
        if rival is None or (rival.candidate.said_at, rival.candidate.evidence) < (
            offer.candidate.said_at,
            offer.candidate.evidence,
        ):
            by_line[offer.old_text] = offer
    return [offer for offer in offers if offer.old_text is None or by_line[offer.old_text] is offer]


def _sort_offers(offers: list[Proposal]) -> list[Proposal]:
    if not offers:
        return []
    newest = max(offer.candidate.said_at for offer in offers)

    def key(offer: Proposal) -> tuple[float, float, tuple[str, ...], str]:
        one = offer.candidate
        age = (newest - one.said_at).total_seconds() / 86_400
        worth = one.worth + (1.0 if offer.op == "replace" else 0.0) - min(1.0, age / RECENCY_DAYS)
        return (-round(worth, 6), -one.said_at.timestamp(), one.evidence, one.text)

    return sorted(offers, key=key)


def collect_past_proposals(rows: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> list[PastProposal]:
    """The proposals of the past, each with every wording that its events remember; refused ones first."""
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
        )
        for row in rows
        if row["kind"] == "memory"
    ]
    return sorted(known, key=lambda one: (rank[one.status], one.proposal_id))


def is_replaced_by(text: str, candidate: LineCandidate) -> bool:
    """Whether a newer candidate takes the place of a waiting line: the same thing, another value."""
    return is_retired_by(text.removeprefix(_project_head(candidate)), candidate.section, candidate.text, candidate.kind)
