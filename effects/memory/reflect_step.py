"""Reflection: at most once per local day, over evidence that no reflection has seen, a few lines for MEMORY.md.

The reflector's models word the lines when some are set; rules in code decide on eligibility. On a day without a usable
answer the offline rules reflect, which the event of the day and the counts report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TypedDict

import orjson
import polars as pl

from effects.engines.model_chain import Chain, Unanswered, ask_or_explain
from effects.engines.proposer import Proposer
from effects.engines.registry import build_reflector, format_owner_name, list_reflector_models
from effects.judging.line_scopes import choose_scope_weigher
from effects.judging.row_sources import find_sources
from effects.judging.standing_words import choose_named_rows, choose_weigher, read_latest_quotations
from effects.judging.told_relations import mark_changed_parts
from effects.judging.whole_lines import complete_lines
from effects.memory.dedupe_step import count_wordings
from effects.memory.proposal_store import RECOLLECT, ProposalStore, open_proposals, propose_removals, save_proposals, write_rows
from effects.memory.replaced_lines import (
    add_owners_words,
    build_successors,
    carry_evidence,
    find_carried_rows,
    find_contested_lines,
    find_contradicted_lines,
    find_lost_rows,
    find_new_windows,
    find_overtaken_lines,
    find_renewals,
    find_retired_lines,
    is_said_again,
    list_waiting_lines,
    map_merged_rows,
    read_missing_rows,
    read_new_evidence,
)
from effects.memory.review_page import read_review_file
from effects.store.memory_file import list_memory_sections, read_memory
from effects.store.run import Counts, Run
from transforms.conversation.origins import find_least_trusted
from transforms.memory.eligibility import LineCandidate, find_candidates, find_refusal
from transforms.memory.lasting.line_scope import Scopes
from transforms.memory.proposal_answer import find_missed_hard_rules, list_unnamed_rows
from transforms.memory.proposal_outcomes import (
    FormerLines,
    PastProposal,
    collect_past_proposals,
    limit_by_verdicts,
    list_decided_lines,
    word_note,
)
from transforms.memory.proposing.shown_evidence import list_unread_rows, select_prompt_rows
from transforms.memory.rank_proposals import LineChanges, Proposal, RankedProposals, is_replaced_by, rank_proposals
from transforms.pages.memory_md import MemoryPage, name_reflected_section, parse_memory
from transforms.quoting.line_doubts import LineDoubt
from transforms.tables.enums import Origin
from transforms.tables.ids import allocate_ids
from transforms.tables.periods import DAYS_PER_WEEK
from transforms.tables.rows import ObservationRow, ProposalEventRow, ProposalRow
from transforms.tables.schema import PROPOSAL_EVENTS, read_rows

WATCHED_ROWS, KEPT_WEIGHTS = 50, 1024
"""Observations after which the step says how far it is, and lines whose weight it remembers: a line is judged more than once."""
MAX_WAITING = 240
"""Observations that exceeded the limit and are considered again, the strongest first: about half a year of ten a week."""
MAX_EVIDENCE = 12
"""Most observations of a proposal."""
OVER, MAX_OVER = "Bound to something that a model takes for over", 2
"""Reason of a removal that rests on no observation, and how many of these a reflection proposes."""
MAX_PENDING_WEEKS = 2
"""Nothing is proposed while this many weeks' proposals wait."""


def reflect(run: Run) -> Counts:
    """Turn new evidence into at most half a week's proposals a day, and never more than the weekly limit; return counts.

    The evidence of a reflection is recorded as an event `r-YYYYMMDD` / `reflected`, with the windows that it read and the
    observations that wait for room. Windows that arrive later the same day belong to the next day's reflection.
    """
    store = open_proposals(run)
    reflection = f"r-{run.today:%Y%m%d}"
    past = list(read_rows(PROPOSAL_EVENTS, store.past.filter(pl.col("event") == "reflected").sort("at", "proposal_id")))
    if any(row["proposal_id"] == reflection for row in past):
        return {"proposed": 0, "reason": "reflected_today"}
    if carry_evidence(run, store.rows.values()):
        write_rows(store)  # on a day without a reflection, too: the observations may be gone tomorrow
    waiting = list(orjson.loads(past[-1]["text"])["waiting"]) if past else []
    limit = _limit_week(store, past)
    room = _compute_room(store, limit)
    if room == 0 and list_reflector_models(run):
        return {"proposed": 0, "reason": "no_room"}  # a model judges the evidence when it may propose; none is seen until then
    lost = find_lost_rows(run, store.rows, parse_memory(read_memory(run)))
    waiting += sorted({key for (_, key), at in lost.items() if past and at > past[-1]["at"]} - set(waiting))
    new = find_new_windows(run, past)
    rows = read_new_evidence(run, new, waiting)
    fresh = sorted({row["window_id"] for row in rows} & new.keys())
    if not fresh and (not waiting or room == 0):
        return {"proposed": 0, "reason": "no_room" if waiting else "no_new_evidence"}
    result, candidates, replaced = _rank_evidence(store, rows, room, set(lost))
    proposed = _store_proposals(store, result, rows, replaced if "engine" in candidates.note else None)
    ended = [(bullet, OVER) for bullet in parse_memory(read_memory(run)).bullets if bullet.line in candidates.over]
    proposed += propose_removals(store, ended, MAX_OVER)
    for doubt in candidates.doubts:
        store.doubt(doubt)
    _add_support(store, result, rows)
    carry_evidence(run, store.rows.values())
    still = list(dict.fromkeys([*result.waiting, *candidates.unnamed]))
    beyond = Counter({"beyond_waiting": max(0, len(still) - MAX_WAITING)})
    dropped = dict(sorted((candidates.left_out + Counter(result.dropped) + beyond).items()))
    read = {"windows": fresh, "facts": {key: new[key] for key in fresh}, "waiting": still[:MAX_WAITING], "dropped": dropped}
    read |= {"held_back": candidates.held_back} if candidates.held_back else {}
    store.record(reflection, "reflected", RECOLLECT, orjson.dumps(read | candidates.note).decode())
    save_proposals(store)
    stale = sum(event["event"] == "merged" for event in store.events)
    counts: Counts = {"windows": len(fresh), "observations": len(rows), "proposed": proposed, "stale": stale, "dropped": dropped}
    if limit < run.settings.review.per_week:
        counts["per_week"] = limit
    return counts | candidates.make_counts()


def _limit_week(store: ProposalStore, reflections: Sequence[ProposalEventRow]) -> int:
    """Return the most proposals of a week: the setting, or fewer when the owner strikes most of them.

    Verdicts from before the first reflection by a model say nothing about a model's lines, and the other way round.
    """
    is_by_model = bool(list_reflector_models(store.run))
    same = (row["at"] for row in reflections if ("engine" in orjson.loads(row["text"])) == is_by_model)
    return limit_by_verdicts(store.rows.values(), "memory", store.run.settings.review.per_week, next(same, store.run.as_of))


def _compute_room(store: ProposalStore, limit: int) -> int:
    """Return how many proposals today may bring: half a week's at once, less those of the last seven days."""
    run = store.run
    since = run.today - timedelta(days=DAYS_PER_WEEK)
    recent = sum(
        row["kind"] == "memory" and bool(row["evidence_ids"]) and row["created_at"].astimezone(run.zone).date() > since
        for row in store.rows.values()
    )
    return max(0, min((limit + 1) // 2, limit - recent, MAX_PENDING_WEEKS * limit - len(store.list_pending())))


class ReflectionNote(TypedDict, total=False):
    """The record of a request for proposals: its engine and result, or the reason why the offline rules worded the lines."""

    engine: str
    template_hash: str
    summary: str
    held: dict[str, int]
    offline_instead: dict[str, int]


@dataclass
class _Candidates:
    """The candidates of the evidence, by reason the observations that offer none to the offline rules, and those of them that
    the page names; from a model also the old lines that they replace, the record of the request, the observations that its
    request or its answer had no room for, the lines of MEMORY.md that it takes for over, and what it says of lines that wait.
    """

    pool: list[LineCandidate]
    replaces: dict[str, str] = field(default_factory=dict)
    note: ReflectionNote = field(default_factory=ReflectionNote)
    chain: Chain | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    held_back: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)
    over: frozenset[str] = frozenset()
    doubts: tuple[LineDoubt, ...] = ()

    def make_counts(self) -> Counts:
        """Return whether a model worded the lines, the lines held back, the reasons, and the counts of the call store."""
        if self.chain is None:
            return {}
        noted = {"held": self.note.get("held"), "offline_instead": self.note.get("offline_instead")}
        counts: Counts = {name: value for name, value in noted.items() if value}
        return counts | {"by_models": int("engine" in self.note)} | self.chain.call_store.close()


def _rank_evidence(
    store: ProposalStore, rows: Sequence[ObservationRow], room: int, lost: Collection[tuple[str, str]]
) -> tuple[RankedProposals, _Candidates, dict[str, str]]:
    """Return the proposals to make, the candidates, and what replaced the evidence of past proposals. `lost` are pairs of a
    proposal whose line was replaced and an observation that went unsaid with it: another line may say that again."""
    run, page = store.run, parse_memory(read_memory(store.run))
    known = collect_past_proposals(list(store.rows.values()), list(read_rows(PROPOSAL_EVENTS, store.past.sort("at"))))
    unsaid: dict[str, set[str]] = {}
    for former, key in lost:
        unsaid.setdefault(former, set()).add(key)
    known = [  # the words of such a proposal had room for both facts
        replace(proposal, evidence=proposal.evidence - unsaid[proposal.proposal_id], texts=())
        if proposal.proposal_id in unsaid
        else proposal
        for proposal in known
    ]
    absorbed, replaced = map_merged_rows(run, known)
    known = [
        replace(proposal, evidence=proposal.evidence | {absorbed[key] for key in proposal.evidence if key in absorbed})
        for proposal in known
    ]
    retired, partly = find_retired_lines(run, known, replaced)
    retired = find_overtaken_lines(run, page) | find_contradicted_lines(run, page, "replaces") | retired
    partly = {**find_contradicted_lines(run, page, "replaces_part"), **partly}
    contested = find_contested_lines(run, page, rows)
    renewals = find_renewals(run, {*(row["observation_id"] for row in rows), *partly.values(), *retired.values()})
    known = [item for item in known if item.status != "expired" or not is_said_again(item, renewals)]
    said = {row["observation_id"]: row["said_at"] for row in read_missing_rows(run, set(partly.values()))}
    said = {key: max([at, *(statement.said_at for statement in renewals.get(key, ()))]) for key, at in said.items()}
    listed = {line: newer for line, newer in partly.items() if newer in said and not _is_offered(store, line, said[newer])}
    candidates = _find_candidates(run, rows, page, known, room, LineChanges(listed, renewals), replaced)
    candidates.pool, more_doubts = _yield_to_owner(store, candidates.pool)
    candidates.doubts += more_doubts
    if "engine" not in candidates.note:
        retired = {**contested, **partly, **retired}  # no model read what is left of these lines
    pool = [*candidates.pool, *build_successors(run, set(retired.values()), candidates.pool)]
    projects = run.lake.scan("sessions").select("project").drop_nulls().unique().collect()["project"].to_list()
    scopes = Scopes(projects, choose_scope_weigher(rows))
    waiting = {row["old_text"]: row["said_at"] for row in store.list_pending().values() if row["old_text"]}
    changes = LineChanges(retired | candidates.replaces, renewals, waiting)
    result = rank_proposals(pool, page, known, changes, room, run.zone, scopes)
    return result, candidates, replaced


def _is_offered(store: ProposalStore, line: str, since: datetime) -> bool:
    """Whether a change of the line waits for the owner, or was refused since that moment: a model would only repeat it."""
    changes = (row for row in store.rows.values() if row["old_text"] == line)
    return any(
        row["status"] == "pending" or (row["status"] == "rejected" and (row["decided_at"] or row["created_at"]) >= since)
        for row in changes
    )


def _find_candidates(
    run: Run,
    rows: Sequence[ObservationRow],
    page: MemoryPage,
    known: Sequence[PastProposal],
    room: int,
    changes: LineChanges,
    replaced: Mapping[str, str],
) -> _Candidates:
    """Return candidates worded by a model when one is set and there is room for them, else by the offline rules. The `retired`
    ones of `changes` are lines of MEMORY.md with the observation that replaced a part of their evidence: the model is shown both.
    A change that was turned down before the owner said it again (`renewals`) is not among the refused lines that it is shown.
    `replaced` has what took the place of evidence of past proposals: a line that waits is shown with it."""
    owner, reflected, retired = list_memory_sections(run)[0], name_reflected_section(run.today), changes.retired
    sources, wordings = find_sources(run, rows), count_wordings(run, rows)
    weigh = lru_cache(KEPT_WEIGHTS)(choose_weigher(read_latest_quotations(run)))
    offline, held = list[LineCandidate](), list[tuple[str, ObservationRow]]()
    for number, row in enumerate(rows):
        if number % WATCHED_ROWS == 0:
            run.progress("observations", number, len(rows))
        how = sources[row["observation_id"]], wordings[row["observation_id"]]
        offline += (candidates := find_candidates(row, owner, reflected, run.zone, *how, weigh))
        reason = find_refusal(row, how[0], run.zone, how[1], weigh)
        if reason and all(candidate.is_change for candidate in candidates):
            held.append((reason, row))
    left_out, named = Counter(reason for reason, _ in held), choose_named_rows(held, weigh)
    offline = add_owners_words(run, offline, frozenset(key for proposal in known for key in proposal.evidence))
    offline = complete_lines(run, offline, rows, left_out, weigh)
    shown = select_prompt_rows(rows)
    pending = [item for item in known if item.status == "pending"] if list_reflector_models(run) else []
    waiting = list_waiting_lines(run, pending, replaced)
    missing = {*retired.values(), *(key for line in waiting for key in line.newer)} - {row["observation_id"] for row in shown}
    newer = read_missing_rows(run, missing)
    others = [*newer, *(row for line in waiting for row in line.rows)]
    ordered = sorted([*shown, *newer], key=lambda row: (row["said_at"], row["observation_id"]))
    shown, sources = mark_changed_parts(run, ordered), {**find_sources(run, others), **sources}
    chain = build_reflector(run) if room and shown else None
    if chain is None:
        return _Candidates(offline, left_out=left_out, held_back=named)
    standing = {bullet.line for bullet in page.bullets}
    open_again = {item.proposal_id for item in known if item.old_text in standing and is_said_again(item, changes.renewals)}
    seen = {row["observation_id"] for row in shown}
    refused, expired = list_decided_lines(known, page, seen, open_again)
    proposer = Proposer(chain, format_owner_name(run), run.zone, reflected, run.today)
    former = FormerLines(refused, expired, waiting)
    answer = ask_or_explain(run.settings.lake, lambda: proposer.propose(shown, page, former, room, sources, retired))
    if isinstance(answer, Unanswered):
        return _Candidates(offline, note={"offline_instead": {answer.reason: 1}}, chain=chain, left_out=left_out, held_back=named)
    reflection = answer.result
    unseen = [candidate for candidate in offline if not seen & set(candidate.evidence)]
    unnamed = list_unnamed_rows(shown, reflection, room)
    missed = [candidate for candidate in offline if candidate not in unseen and not set(unnamed) & set(candidate.evidence)]
    pool = [*reflection.candidates, *find_missed_hard_rules(missed, reflection.candidates), *unseen]
    note: ReflectionNote = {
        "engine": answer.engine, "template_hash": answer.template_hash, "summary": reflection.summary, "held": reflection.held,
    }  # fmt: skip
    unnamed += list_unread_rows(rows, shown)
    over, doubts = frozenset(reflection.over), reflection.doubts
    return _Candidates(pool, reflection.replaces, note, chain, unnamed=unnamed, over=over, doubts=doubts)


def _yield_to_owner(store: ProposalStore, pool: Sequence[LineCandidate]) -> tuple[list[LineCandidate], tuple[LineDoubt, ...]]:
    """Return the candidates that may be proposed, and what is said of waiting lines whose place they may not take.

    These are the owner's by now, or the page holds decisions that nobody has read yet. A line that was put in another's place
    before is not worded again without new evidence.
    """
    kept, doubts = list[LineCandidate](), list[LineDoubt]()
    if not any(candidate.takes for candidate in pool):
        return list(pool), ()
    is_open = read_review_file(store.run).state in ("changed", "unreadable")
    owners = set(store.list_pending()) if is_open else store.list_owners_lines()
    for candidate in pool:
        taken = [store.rows[key] for key in candidate.takes]
        is_worded_again = any(row["pattern"] and {*candidate.evidence} <= {*row["evidence_ids"]} for row in taken)
        if theirs := owners.intersection(candidate.takes):
            shown_by = (*candidate.evidence, *candidate.takes)  # the words may be those of any of them
            doubts += [LineDoubt(key, "reworded", shown_by, candidate.text) for key in sorted(theirs)]
        elif not is_worded_again:
            kept.append(candidate)
    return kept, tuple(doubts)


def _store_proposals(
    store: ProposalStore, result: RankedProposals, rows: Sequence[ObservationRow], replaced: Mapping[str, str] | None
) -> int:
    """Store the proposals, end pending ones that they overtake, and return how many there are.

    `replaced` is what replaced the evidence of pending lines; None where no model told, and a rule about words decides.
    """
    run, origins = store.run, {row["observation_id"]: row["origin"] for row in rows}
    ids = allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, len(result.chosen))
    owners = store.list_owners_lines()
    for proposal_id, proposal in zip(ids, result.chosen, strict=True):
        for other_id, other in store.list_pending().items():
            if other_id in proposal.candidate.takes:
                store.close(other_id, "merged", "merged", RECOLLECT)
                store.doubt(LineDoubt(other_id, "reworded", proposal.candidate.evidence, proposal.text, proposal_id))
            elif not _is_overtaken(other, proposal, replaced):
                continue
            elif other_id in owners and other["text"] != proposal.text:
                if replaced is not None:  # a rule about words is no model's verdict: both lines wait
                    store.doubt(LineDoubt(other_id, "outdated", proposal.candidate.evidence[:1]))
            else:
                store.close(other_id, "merged", "merged", RECOLLECT)
        store.rows[proposal_id] = _build_row(store, proposal_id, proposal, origins)
        store.record(proposal_id, "proposed", RECOLLECT, proposal.text)
    return len(ids)


def _is_overtaken(row: ProposalRow, proposal: Proposal, replaced: Mapping[str, str] | None) -> bool:
    """Whether a pending proposal changes the same line, or makes another statement about the same subject, and the new one is
    newer."""
    candidate = proposal.candidate
    if row["said_at"] >= candidate.said_at:
        return False
    if proposal.old_text is not None and row["old_text"] == proposal.old_text:
        return True
    if row["kind"] != "memory":
        return False
    if replaced is not None:
        return any(replaced.get(key) in candidate.evidence for key in row["evidence_ids"] or ())
    return bool(row["evidence_ids"]) and is_replaced_by(row["text"], candidate)


def _add_support(store: ProposalStore, result: RankedProposals, rows: Sequence[ObservationRow]) -> None:
    """Add evidence to pending proposals; their text, and since when they are shown, stay."""
    times = {row["observation_id"]: row["said_at"] for row in rows}
    origins = {row["observation_id"]: row["origin"] for row in rows}
    for proposal_id, evidence in result.supports.items():
        row = store.rows[proposal_id]
        row["evidence_ids"] = list(dict.fromkeys([*row["evidence_ids"], *evidence]))[:MAX_EVIDENCE]
        row["origin"] = find_least_trusted([row["origin"], *(origins[key] for key in evidence if key in origins)])
        row["said_at"] = max([row["said_at"], *(times[key] for key in evidence if key in times)])


def _build_row(store: ProposalStore, proposal_id: str, proposal: Proposal, origins: Mapping[str, Origin | None]) -> ProposalRow:
    candidate, run = proposal.candidate, store.run
    taken = [store.rows[key] for key in candidate.takes]
    # What the new line keeps of the old one goes on to rest on its facts: when one of them is replaced, the line is found again.
    is_kept = proposal.op == "replace" and proposal.old_text
    kept = find_carried_rows(run, store.rows, proposal.old_text or "", proposal.text) if is_kept else []
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": proposal.op, "section": proposal.section, "text": proposal.text,
        "old_text": proposal.old_text,
        "target": "MEMORY.md",
        "evidence_ids": list(dict.fromkeys([*candidate.evidence, *kept]))[:MAX_EVIDENCE],
        "severity": None,
        "pattern": word_note(proposal.op, candidate.unknown_section, proposal.refused, run.zone, taken),
        "origin": find_least_trusted(origins.get(key) for key in candidate.evidence),
        "project": next(iter(candidate.projects)) if len(candidate.projects) == 1 else None,
        "said_at": candidate.said_at,
        "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "is_everywhere": candidate.is_everywhere or None, "evidence_sources": None,  # noted when all are stored
    }  # fmt: skip
