"""Ranks candidate lines and chooses the few proposals of a day: nothing twice, nothing that was rejected, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from transforms.language.entities import find_paths
from transforms.language.sentences import find_content_words, split_words
from transforms.memory.eligibility import LineCandidate
from transforms.memory.former_values import swap_former_number
from transforms.memory.lasting.line_scope import WORDS_ALONE, Scopes, is_of_project
from transforms.memory.normalise_claim import LAYOUT_PREFIX, MAX_CLAIM_CHARS, is_standalone
from transforms.memory.proposal_outcomes import PastProposal
from transforms.memory.same_claim import (
    ClaimIndex,
    compute_resemblance,
    cut_head,
    is_outdated_by,
    is_retired_by,
    is_same_claim,
    is_taken_back,
    list_compared_words,
    may_be_outdated,
    merge_same_claims,
)
from transforms.pages.memory_md import SYSTEM_ARCHITECTURE, Bullet, MemoryPage
from transforms.pages.page_names import find_named_projects, label_projects, says_where
from transforms.tables.enums import SETTLING_KINDS, ProposalOperation
from transforms.tables.periods import SECONDS_PER_DAY

MIN_WHOLE = 4
"""Content words of a saying that tells by itself what it is about."""
MIN_NAMING = 4
"""Letters of a word that names something; shorter ones are mostly function words, in many languages."""
MAX_AGE_PENALTY = 1.0
RECENCY_DAYS = 60.0
"""A candidate loses one point of salience per this many days that it is older than the newest one, at most MAX_AGE_PENALTY."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A line to add, or to put in the place of one exact line (`old_text`), or one to remove."""

    op: ProposalOperation
    section: str
    text: str
    old_text: str | None
    candidate: LineCandidate
    refused: PastProposal | None = None
    """The last change of the line that the owner turned down before the candidate was said."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """A statement of the owner that says an observation, or says it again: when, and as which lines."""

    observation_id: str
    said_at: datetime
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineChanges:
    """What speaks for changes of lines of MEMORY.md.

    `retired` maps a line to the observation that superseded its evidence: a candidate that rests on that observation replaces the
    line, however it is worded. `renewals` are of observations, by their ids. `pending` maps a line to when the evidence of a
    change that waits was said.
    """

    retired: Mapping[str, str] = field(default_factory=dict)
    renewals: Mapping[str, Sequence[Renewal]] = field(default_factory=dict)
    pending: Mapping[str, datetime] = field(default_factory=dict)


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
    changes: LineChanges,
    limit: int,
    zone: tzinfo,
    scopes: Scopes = WORDS_ALONE,
) -> RankedProposals:
    """Return the proposals to make, at most `limit`; the head of a line names its project, where `scopes` tell that it has one.

    A refusal holds for what the owner had said until then: a stale line may be corrected once more when the owner says so again
    later, or something else is said later, never in words that were turned down; and each line has one open offer at a time.
    """
    dropped: dict[str, int] = {}
    supports: dict[str, tuple[str, ...]] = {}
    offers: list[Proposal] = []
    merged = merge_same_claims(pool)
    find_known = _index_past(past)
    for candidate in merged:
        offer = _place_candidate(candidate, page, changes.retired, zone)
        reason = "in_memory" if offer is None else ""
        if offer is not None:
            matches = [earlier for earlier in find_known(candidate) if earlier.proposal_id not in candidate.takes]
            renewed = [earlier for earlier in matches if _is_renewed(earlier, offer, changes)]
            known = next((earlier for earlier in matches if earlier not in renewed), None)
            if known and _stands_beside(known, offer, page):
                offer = _change_to_removal(offer, page)
            reason = _find_refusal(known, candidate, offer) if known else ""
            if known and reason == "pending":
                supports[known.proposal_id] = (*supports.get(known.proposal_id, ()), *candidate.evidence)
            if not reason and offer.old_text is not None:
                offer, reason = _choose_new_words(offer, past, renewed, page, changes)
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
    offered = tuple(_add_project_head(offer, projects, scopes) for offer in ranked[: max(0, limit)])
    waiting = dict.fromkeys(key for offer in ranked[max(0, limit) :] for key in offer.candidate.evidence)
    if len(ranked) > len(offered):
        dropped["over_limit"] = len(ranked) - len(offered)
    return RankedProposals(offered, supports, dropped, tuple(waiting))


def _add_project_head(proposal: Proposal, projects: frozenset[str], scopes: Scopes) -> Proposal:
    """Put the project before a line that only makes sense inside its project, because MEMORY.md is read in all of them.

    That is what holds there alone by its words (`is_of_project`), in any section, and what names paths of the project or its
    layout; no line of which a model says that it holds everywhere. A line that replaces one without a head says as little of
    the project, and one that names one of `projects`, those of all candidates, or speaks of several has said where it holds. The
    head tells the project from all known ones.
    """
    candidate, text = proposal.candidate, proposal.text
    text = candidate.whole if candidate.whole and proposal.op == "add" else text
    proposal = replace(proposal, text=text)
    home = next(iter(candidate.projects)) if len(candidate.projects) == 1 else ""
    may_be_bound = proposal.op == "add" or bool(find_named_projects(proposal.old_text or "", candidate.projects))
    if proposal.op == "remove" or not home or candidate.is_everywhere or not may_be_bound:
        return proposal
    if says_where(_blank_relative_paths(text), projects):
        return proposal
    is_named = bool(find_paths(text)) or proposal.section == SYSTEM_ARCHITECTURE
    if not is_named and not is_of_project(candidate, scopes.weigh):
        return proposal
    head = f"**{label_projects({*projects, *scopes.projects})[home]}** — "
    bare = text.replace(LAYOUT_PREFIX, "layout: ")
    return replace(proposal, text=head + bare.replace("** — ", ": ").replace("**", ""))


def _blank_relative_paths(text: str) -> str:
    """Return the text without paths inside of a project: its package often has its name, which says little to other projects."""
    for path in find_paths(text):
        text = text if path.startswith(("/", "~")) else text.replace(path, "")
    return text


def _place_candidate(candidate: LineCandidate, page: MemoryPage, retired: Mapping[str, str], zone: tzinfo) -> Proposal | None:
    """Return the candidate as an addition or a replacement, and as the removal of the line that it retires when MEMORY.md has its
    claim in another one; None when nothing would change."""
    add = Proposal("add", candidate.section, candidate.text, None, candidate)
    stale = next(
        (bullet for bullet in page.bullets if bullet.is_one_line and retired.get(bullet.line) in candidate.evidence), None
    )
    same = [bullet for bullet in page.bullets if is_same_claim(cut_head(bullet.text, candidate), candidate.text)]
    if stale in same and not _has_same_words(stale, candidate):
        same.remove(stale)  # a short line and its replacement differ in one name, and the replacement was told, not guessed
    if same and (stale is None or stale in same):
        return None
    if stale:
        offer = replace(add, op="replace", old_text=stale.line, section=stale.section)
        return offer if not same and _is_line(candidate) and _tells_of(candidate, stale) else _change_to_removal(offer, page)
    if candidate.kind not in SETTLING_KINDS | {"request"}:
        return add
    older = [bullet for bullet in page.bullets if is_outdated_by(bullet, candidate, zone)]
    if not older or candidate.kind == "request":
        return _offer_swap(add, page, zone) or add
    bullet = max(older, key=lambda bullet: (compute_resemblance(bullet.text, candidate.text), -bullet.start))
    if candidate.is_change and is_taken_back(bullet.text, candidate.text):
        return replace(add, op="remove", text=bullet.text, old_text=bullet.line, section=bullet.section)
    if candidate.is_change and not is_standalone(candidate.text):
        return add
    return replace(add, op="replace", old_text=bullet.line, section=bullet.section)


def _offer_swap(add: Proposal, page: MemoryPage, zone: tzinfo) -> Proposal | None:
    """Return the replacement of the one line of which the candidate names a number as the former one: only the number changes."""
    lines = [bullet for bullet in page.bullets if may_be_outdated(bullet, add.candidate, zone)]
    swapped = {bullet.line: (bullet, text) for bullet in lines if (text := swap_former_number(bullet.text, add.text))}
    if len(swapped) != 1:
        return None
    ((bullet, text),) = swapped.values()
    return replace(add, op="replace", text=text, old_text=bullet.line, section=bullet.section)


def _has_same_words(bullet: Bullet | None, candidate: LineCandidate) -> bool:
    text = cut_head(bullet.text, candidate) if bullet else ""
    return list_compared_words(text) == list_compared_words(candidate.text)


def _is_line(candidate: LineCandidate) -> bool:
    """Whether the candidate may stand in MEMORY.md: somebody found it worth a line, or it is short and stands alone."""
    fits = len(candidate.text) <= MAX_CLAIM_CHARS and is_standalone(candidate.text, is_worded=True)
    return not candidate.is_change or fits


def _tells_of(candidate: LineCandidate, bullet: Bullet) -> bool:
    """Whether the candidate says a whole sentence, or few words that name something of a line: "only that of the addendum" does
    neither. One that was worded for the line tells of it."""
    shared = list_compared_words(bullet.text) & list_compared_words(candidate.text)
    is_whole = len(find_content_words(candidate.text)) >= MIN_WHOLE or not candidate.is_change
    return is_whole or any(len(word) >= MIN_NAMING for word in shared)


def _stands_beside(known: PastProposal, offer: Proposal, page: MemoryPage) -> bool:
    """Whether a replacement rests on evidence of an approved line that stands in MEMORY.md beside the line to be replaced."""
    if known.status != "approved" or offer.op != "replace" or not known.evidence & set(offer.candidate.evidence):
        return False
    lines = [
        bullet.line
        for bullet in page.bullets
        if any(is_same_claim(cut_head(bullet.text, offer.candidate), cut_head(text, offer.candidate)) for text in known.texts)
    ]
    return bool(lines) and offer.old_text not in lines


def _change_to_removal(offer: Proposal, page: MemoryPage) -> Proposal:
    text = next(bullet.text for bullet in page.bullets if bullet.line == offer.old_text)
    return replace(offer, op="remove", text=text)


def _index_past(past: Sequence[PastProposal]) -> Callable[[LineCandidate], list[PastProposal]]:
    """Return a function for the past proposals with the claim of a candidate, or with some of its evidence, in their order."""
    # Which head a text loses depends on the candidate, so a text is found with its head and without.
    wordings = [
        (position, wording)
        for position, proposal in enumerate(past)
        for text in proposal.texts
        for wording in dict.fromkeys((text, text.partition("** — ")[2] if text.startswith("**") else text))
    ]
    index = ClaimIndex(wording for _, wording in wordings)
    by_evidence: dict[str, list[int]] = {}
    for position, wording in wordings:
        index.add(wording, position)
    for position, proposal in enumerate(past):
        for key in proposal.evidence:
            by_evidence.setdefault(key, []).append(position)

    def find_known(candidate: LineCandidate) -> list[PastProposal]:
        """Return the proposals that said the same or rest on the same evidence."""
        positions = {
            *index.find(candidate.text),
            *(position for key in candidate.evidence for position in by_evidence.get(key, ())),
        }
        return [past[position] for position in sorted(positions) if _is_same_as_past(past[position], candidate)]

    return find_known


def _is_same_as_past(known: PastProposal, candidate: LineCandidate) -> bool:
    return bool(known.evidence & set(candidate.evidence)) or any(
        is_same_claim(cut_head(text, candidate), candidate.text) for text in known.texts
    )


def _is_renewed(known: PastProposal, offer: Proposal, changes: LineChanges) -> bool:
    """Whether a change of a line was turned down before what speaks for it now: the owner's words, or another value."""
    candidate, since = offer.candidate, known.decided_at
    if known.status != "rejected" or offer.old_text is None or since is None:
        return False
    if any(statement.said_at > since for statement in _list_renewals(candidate, changes)):
        return True
    is_other = known.op != "remove" and any(is_replaced_by(text, candidate) for text in known.texts)
    return is_other and candidate.said_at > since


def _list_renewals(candidate: LineCandidate, changes: LineChanges) -> list[Renewal]:
    """Return what the owner said of a candidate's evidence, the newest first."""
    statements = [statement for key in candidate.evidence for statement in changes.renewals.get(key, ())]
    return sorted(statements, key=lambda statement: (statement.said_at, statement.observation_id), reverse=True)


def _choose_new_words(
    offer: Proposal, past: Sequence[PastProposal], renewed: Sequence[PastProposal], page: MemoryPage, changes: LineChanges
) -> tuple[Proposal, str]:
    """Return the change of a line in words that were never turned down, and an empty reason; with a reason there are none, or a
    newer change of the line waits.

    The words are its own, then those of the owner's later statements, then the removal of the line.
    """
    newest = None if offer.candidate.takes else changes.pending.get(offer.old_text or "")
    if newest is not None and newest >= offer.candidate.said_at:
        return offer, "pending"
    refused = [known for known in past if known.status == "rejected"]
    waiting = {(known.op, known.old_text, known.texts[0]) for known in past if known.status == "pending"}
    of_line = [known for known in refused if known.old_text == offer.old_text or known in renewed]
    last = max(of_line, key=_rank_decided, default=None)
    since = last.decided_at if last else None
    later = [item for item in _list_renewals(offer.candidate, changes) if since is not None and item.said_at > since]
    candidate = replace(
        offer.candidate,
        evidence=tuple(dict.fromkeys([*(item.observation_id for item in later), *offer.candidate.evidence])),
        said_at=max([offer.candidate.said_at, *(item.said_at for item in later)]),
    )
    wordings = [replace(candidate, text=text) for item in later for text in item.texts]
    lines = [item for item in [candidate, *wordings] if _is_line(replace(item, is_change=True))]
    earlier = last if since is not None and since < candidate.said_at else None
    instead = [replace(offer, op="replace", text=item.text, candidate=item, refused=earlier) for item in lines]
    own = replace(offer, candidate=candidate, refused=earlier)
    said = {_list_exact_words(text, candidate) for known in refused if known.op != "remove" for text in known.texts}
    removed = {known.old_text for known in refused if known.op == "remove"}
    for choice in (own, *(instead if last else ()), _change_to_removal(own, page)):
        is_said = choice.old_text in removed if choice.op == "remove" else _list_exact_words(choice.text, candidate) in said
        if not is_said:
            return choice, "pending" if (choice.op, choice.old_text, choice.text) in waiting else ""
    return offer, "rejected"


def _rank_decided(known: PastProposal) -> tuple[float, str]:
    return known.decided_at.timestamp() if known.decided_at else 0.0, known.proposal_id


def _list_exact_words(text: str, candidate: LineCandidate) -> tuple[str, ...]:
    return tuple(split_words(cut_head(text, candidate).casefold()))


def _find_refusal(known: PastProposal, candidate: LineCandidate, offer: Proposal) -> str:
    """Return why a candidate with the claim of a past proposal is not proposed again; empty when it may be."""
    if known.status == "expired" or (known.status == "merged" and offer.op != "add"):
        is_new = not set(candidate.evidence) <= known.evidence and (known.said_at is None or candidate.said_at > known.said_at)
        return "" if is_new else known.status
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


def is_replaced_by(text: str, candidate: LineCandidate) -> bool:
    """Whether a newer candidate takes the place of a pending line: the same subject with another value."""
    return is_retired_by(cut_head(text, candidate), candidate.section, candidate.text, candidate.kind)
