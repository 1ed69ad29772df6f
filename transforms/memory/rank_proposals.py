"""Ranks candidate lines and chooses the few proposals of a day: nothing twice, nothing that was rejected, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from transforms.language.entities import find_paths
from transforms.memory.eligibility import CHANGING_KINDS, LineCandidate, choose_section, may_speak, score_observation
from transforms.memory.normalise_claim import LAYOUT_PREFIX, MAX_CLAIM_CHARS, is_standalone
from transforms.memory.same_claim import (
    ClaimIndex,
    compute_resemblance,
    is_retired_by,
    is_same_claim,
    is_taken_back,
    list_compared_words,
)
from transforms.pages.memory_md import SYSTEM_ARCHITECTURE, Bullet, MemoryPage
from transforms.pages.page_names import ends_with_name, find_named_projects, label_projects, says_where
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import ProposalKind, ProposalOperation, ProposalStatus
from transforms.tables.fact_notes import cut_notes
from transforms.tables.periods import SECONDS_PER_DAY, find_local_day
from transforms.tables.rows import ObservationRow, ProposalEventRow, ProposalRow

_SUBJECT_HEAD = compile_late(r"\*\*([^*]+)\*\* — ")
PERSONAL_KINDS = ("preference", "rule", "correction")
"""Kinds that say how somebody wants to work, mostly in every project."""
MAX_AGE_PENALTY = 1.0
RECENCY_DAYS = 60.0
"""A candidate loses one point of salience per this many days that it is older than the newest one, at most MAX_AGE_PENALTY."""

RECENT_VERDICTS = 8
"""The last verdicts count: two or three reviews of a week's offers."""
FEWEST_VERDICTS = 3
"""Below this many nothing changes."""
GOOD_SHARE = 0.5
"""From this share of ticks on the whole limit stands."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A line to add, or to put in the place of one exact line (`old_text`), or one to remove."""

    op: ProposalOperation
    section: str
    text: str
    old_text: str | None
    candidate: LineCandidate


@dataclass(frozen=True, slots=True)
class PastProposal:
    """An earlier proposal with all its wordings and its evidence."""

    proposal_id: str
    status: ProposalStatus
    texts: tuple[str, ...]
    evidence: frozenset[str]
    said_at: datetime | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class RankedProposals:
    """The proposals of a day. `supports` is further evidence for pending proposals, `dropped` counts candidates by reason,
    `waiting` are observations whose lines exceeded the limit and may come again."""

    chosen: tuple[Proposal, ...]
    supports: dict[str, tuple[str, ...]]
    dropped: dict[str, int]
    waiting: tuple[str, ...]


def rank_proposals(
    pool: Sequence[LineCandidate],
    page: MemoryPage,
    past: Sequence[PastProposal],
    retired: Mapping[str, str],
    limit: int,
    zone: tzinfo,
    known_projects: Collection[str] = (),
) -> RankedProposals:
    """Return the proposals to make, at most `limit`; the head of a line names its project among the `known_projects`.

    `retired` maps a bullet line of MEMORY.md to the observation that superseded its evidence: a candidate that rests on that
    observation replaces the line, however it is worded.
    """
    dropped: dict[str, int] = {}
    supports: dict[str, tuple[str, ...]] = {}
    offers: list[Proposal] = []
    merged = merge_same_claims(pool)
    find_known = _index_past(past, merged)
    for candidate in merged:
        offer = _place_candidate(candidate, page, retired, zone)
        reason = "in_memory" if offer is None else ""
        if offer is not None:
            known = find_known(candidate)
            if known and _stands_beside(known, offer, page):
                offer = _change_to_removal(offer, page)
            reason = _find_refusal(known, candidate, offer) if known else ""
            if known and reason == "pending":
                supports[known.proposal_id] = (*supports.get(known.proposal_id, ()), *candidate.evidence)
        if candidate.is_support and reason != "pending":
            continue
        if candidate.is_change and (offer is None or offer.op == "add"):
            continue
        if reason:
            dropped[reason] = dropped.get(reason, 0) + 1
        elif offer is not None:
            offers.append(offer)
    ranked = _sort_offers(_keep_newest_per_line(offers))
    projects = frozenset(project for candidate in pool for project in candidate.projects)
    offered = tuple(_add_project_head(offer, projects, known_projects) for offer in ranked[: max(0, limit)])
    waiting = dict.fromkeys(key for offer in ranked[max(0, limit) :] for key in offer.candidate.evidence)
    if len(ranked) > len(offered):
        dropped["over_limit"] = len(ranked) - len(offered)
    return RankedProposals(offered, supports, dropped, tuple(waiting))


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


def is_successor(row: ObservationRow) -> bool:
    """Whether an observation may take the place of a line: it holds, and it may speak for the owner."""
    is_current = row["verdict"] == "allow" and row["superseded_by"] is None and row["said_at"] is not None
    return is_current and may_speak(row)


def word_successor(row: ObservationRow) -> str:
    """Return the text of an observation as a line: without the rejected choice, which may be the line that goes."""
    return cut_notes(" ".join(row["text"].split()).rstrip(" .")).rstrip(" .")


def build_successor(row: ObservationRow, owner_section: str, reflected: str) -> LineCandidate:
    """Return the candidate; alone it is no line, because nobody found it worth one."""
    text = word_successor(row)
    return LineCandidate(
        text=text,
        section=choose_section(row["kind"], row["category"], text, owner_section, reflected),
        kind=row["kind"],
        salience=score_observation(row),
        evidence=(row["observation_id"],),
        sessions=frozenset({row["session_id"]}),
        said_at=row["said_at"],
        projects=frozenset({row["project"]} if row["project"] else ()),
        is_change=True,
    )


def _cut_head(text: str, candidate: LineCandidate) -> str:
    """Return a line without the head of one of the candidate's projects: the end of its path."""
    head = _SUBJECT_HEAD.match(text)
    is_own = head is not None and any(ends_with_name(project, head[1]) for project in candidate.projects)
    return text[head.end() :] if head is not None and is_own else text


def _add_project_head(proposal: Proposal, projects: frozenset[str], known: Collection[str]) -> Proposal:
    """Put the project before a line that only makes sense inside its project, because MEMORY.md is read in all of them.

    That is what a single project's convention, decision or cause says, in any section; a person's preference or rule about how
    to work only when it names paths of the project. A line that replaces one without a head says as little of the project, and
    one that names one of `projects`, those of all candidates, or speaks of several has said where it holds. The head tells the
    project from all `known` ones.
    """
    candidate, text = proposal.candidate, proposal.text
    home = next(iter(candidate.projects)) if len(candidate.projects) == 1 else ""
    head = f"**{label_projects({*projects, *known})[home]}** — " if home else ""
    is_bound = candidate.kind not in PERSONAL_KINDS or bool(find_paths(text)) or proposal.section == SYSTEM_ARCHITECTURE
    is_bound = is_bound and (proposal.op == "add" or bool(find_named_projects(proposal.old_text or "", candidate.projects)))
    if proposal.op == "remove" or not head or not is_bound or says_where(text, projects):
        return proposal
    bare = text.replace(LAYOUT_PREFIX, "layout: ")
    return replace(proposal, text=head + bare.replace("** — ", ": ").replace("**", ""))


def merge_same_claims(pool: Sequence[LineCandidate]) -> list[LineCandidate]:
    """Merge candidates with the same claim: best wording, all evidence, and a higher salience for every further session."""
    groups: list[list[LineCandidate]] = []
    index = ClaimIndex(candidate.text for candidate in pool)
    for candidate in sorted(
        pool, key=lambda candidate: (-candidate.salience, -candidate.said_at.timestamp(), candidate.evidence, candidate.text)
    ):
        near = (groups[position] for position in index.find(candidate.text))
        group = next((group for group in near if is_same_claim(group[0].text, candidate.text)), None)
        if group is None:
            index.add(candidate.text, len(groups))
            groups.append([candidate])
        else:
            group.append(candidate)
    return [_merge_group(group) for group in groups]


def _merge_group(group: list[LineCandidate]) -> LineCandidate:
    best = group[0]
    evidence = tuple(dict.fromkeys(key for candidate in group for key in candidate.evidence))
    sessions = frozenset().union(*(candidate.sessions for candidate in group))
    return replace(
        best,
        evidence=evidence,
        sessions=sessions,
        said_at=max(candidate.said_at for candidate in group),
        projects=frozenset().union(*(candidate.projects for candidate in group)),
        salience=round(best.salience + math.log2(len(sessions)) if sessions else best.salience, 6),
    )


def _place_candidate(
    candidate: LineCandidate, page: MemoryPage, retired: Mapping[str, str], zone: tzinfo
) -> Proposal | None:
    """Return the candidate as an addition or a replacement, and as the removal of the line that it retires when MEMORY.md has its
    claim in another one; None when nothing would change."""
    add = Proposal("add", candidate.section, candidate.text, None, candidate)
    stale = next(
        (bullet for bullet in page.bullets if bullet.is_one_line and retired.get(bullet.line) in candidate.evidence), None
    )
    same = [bullet for bullet in page.bullets if is_same_claim(_cut_head(bullet.text, candidate), candidate.text)]
    if stale in same and not _has_same_words(stale, candidate):
        same.remove(stale)  # a short line and its replacement differ in one name, and the replacement was told, not guessed
    if same and (stale is None or stale in same):
        return None
    if stale:
        offer = replace(add, op="replace", old_text=stale.line, section=stale.section)
        return offer if not same and _is_line(candidate) else _change_to_removal(offer, page)
    if candidate.kind not in CHANGING_KINDS:
        return add
    older = [bullet for bullet in page.bullets if _is_outdated_by(bullet, candidate, zone)]
    if not older:
        return add
    bullet = max(older, key=lambda bullet: (compute_resemblance(bullet.text, candidate.text), -bullet.start))
    if candidate.is_change and is_taken_back(bullet.text, candidate.text):
        return replace(add, op="remove", text=bullet.text, old_text=bullet.line, section=bullet.section)
    if candidate.is_change and not is_standalone(candidate.text):
        return add
    return replace(add, op="replace", old_text=bullet.line, section=bullet.section)


def _has_same_words(bullet: Bullet | None, candidate: LineCandidate) -> bool:
    text = _cut_head(bullet.text, candidate) if bullet else ""
    return list_compared_words(text) == list_compared_words(candidate.text)


def _is_line(candidate: LineCandidate) -> bool:
    """Whether the candidate may stand in MEMORY.md: somebody found it worth a line, or it is short and stands alone."""
    fits = len(candidate.text) <= MAX_CLAIM_CHARS and is_standalone(candidate.text, is_worded=True)
    return not candidate.is_change or fits


def _stands_beside(known: PastProposal, offer: Proposal, page: MemoryPage) -> bool:
    """Whether a replacement rests on evidence of an approved line that stands in MEMORY.md beside the line to be replaced."""
    if known.status != "approved" or offer.op != "replace" or not known.evidence & set(offer.candidate.evidence):
        return False
    lines = [
        bullet.line
        for bullet in page.bullets
        if any(is_same_claim(_cut_head(bullet.text, offer.candidate), _cut_head(text, offer.candidate)) for text in known.texts)
    ]
    return bool(lines) and offer.old_text not in lines


def _change_to_removal(offer: Proposal, page: MemoryPage) -> Proposal:
    text = next(bullet.text for bullet in page.bullets if bullet.line == offer.old_text)
    return replace(offer, op="remove", text=text)


def _is_outdated_by(bullet: Bullet, candidate: LineCandidate, zone: tzinfo) -> bool:
    """Whether the candidate says something else about the same subject, and the bullet is not newer."""
    if not bullet.is_one_line or (bullet.dated and bullet.dated > find_local_day(candidate.said_at, zone)):
        return False
    head = _SUBJECT_HEAD.match(bullet.text)
    if head and _cut_head(bullet.text, candidate) == bullet.text and head[1].casefold() not in candidate.text.casefold():
        return False  # of another project, or about another subject
    return is_retired_by(_cut_head(bullet.text, candidate), bullet.section, candidate.text, candidate.kind)


def _index_past(
    past: Sequence[PastProposal], candidates: Sequence[LineCandidate]
) -> Callable[[LineCandidate], PastProposal | None]:
    """Return a function for the first past proposal with the claim of a candidate, or with some of its evidence."""
    # Which head a text loses depends on the candidate, so a text is found with its head and without.
    wordings = [
        (position, wording)
        for position, proposal in enumerate(past)
        for text in proposal.texts
        for wording in dict.fromkeys((text, text.partition("** — ")[2] if text.startswith("**") else text))
    ]
    index = ClaimIndex([*(wording for _, wording in wordings), *(candidate.text for candidate in candidates)])
    by_evidence: dict[str, list[int]] = {}
    for position, wording in wordings:
        index.add(wording, position)
    for position, proposal in enumerate(past):
        for key in proposal.evidence:
            by_evidence.setdefault(key, []).append(position)

    def find_known(candidate: LineCandidate) -> PastProposal | None:
        """Return the earliest proposal that said the same or rests on the same evidence, else None."""
        positions = {
            *index.find(candidate.text),
            *(position for key in candidate.evidence for position in by_evidence.get(key, ())),
        }
        return next((past[position] for position in sorted(positions) if _is_same_as_past(past[position], candidate)), None)

    return find_known


def _is_same_as_past(known: PastProposal, candidate: LineCandidate) -> bool:
    return bool(known.evidence & set(candidate.evidence)) or any(
        is_same_claim(_cut_head(text, candidate), candidate.text) for text in known.texts
    )


def _find_refusal(known: PastProposal, candidate: LineCandidate, offer: Proposal) -> str:
    """Return why a candidate with the claim of a past proposal is not proposed again; empty when it may be."""
    if known.status == "expired":
        is_new = not set(candidate.evidence) <= known.evidence and (known.said_at is None or candidate.said_at > known.said_at)
        return "" if is_new else "expired"
    if known.status == "approved" and offer.op == "remove":
        return ""  # the approved line is the one that stays
    if known.status == "approved" and offer.op != "add" and not known.evidence & set(candidate.evidence):
        return ""  # MEMORY.md moved on since, and the owner says it again
    return known.status


def _keep_newest_per_line(offers: list[Proposal]) -> list[Proposal]:
    """Keep the newer assertion of two candidates for one line of MEMORY.md."""
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

    def rank_offer(offer: Proposal) -> tuple[bool, float, float, tuple[str, ...], str]:
        """Sort changes of existing lines first, then by salience less age, then newest first."""
        candidate = offer.candidate
        age = (newest - candidate.said_at).total_seconds() / SECONDS_PER_DAY
        salience = candidate.salience - min(MAX_AGE_PENALTY, age / RECENCY_DAYS)
        # A stale line misleads every session until it goes; a new one can wait.
        return (offer.op == "add", -round(salience, 6), -candidate.said_at.timestamp(), candidate.evidence, candidate.text)

    return sorted(offers, key=rank_offer)


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
        )
        for row in rows
        if row["kind"] == "memory"
    ]
    return sorted(known, key=lambda candidate: (rank[candidate.status], candidate.proposal_id))


def is_replaced_by(text: str, candidate: LineCandidate) -> bool:
    """Whether a newer candidate takes the place of a pending line: the same subject with another value."""
    return is_retired_by(_cut_head(text, candidate), candidate.section, candidate.text, candidate.kind)
