"""Reflection: at most once per local day, over evidence that no reflection has seen, a few lines for MEMORY.md.

The reflector's models word the lines when some are set; what may be proposed is decided by the same rules in code, and a day on
which no model gives a usable answer is reflected on offline, which the day's event and the counts say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
import polars as pl

from effects.engines.model_chain import Chain, NoAnswerError
from effects.engines.proposer import Proposer
from effects.engines.registry import build_reflector, format_owner_name
from effects.memory.proposal_store import RECOLLECT, ProposalStore, Row, open_proposals, save_proposals
from effects.store.error_log import describe_error
from effects.store.memory_file import list_memory_sections, read_memory
from effects.store.run import Counts, Run
from transforms.distil.row_grounding import escape_row
from transforms.memory.eligibility import LineCandidate, find_candidates
from transforms.memory.proposal_answer import REFUSED_LINES, find_missed_hard_rules, select_prompt_rows
from transforms.memory.proposal_ids import allocate_ids
from transforms.memory.rank_proposals import (
    PastProposal,
    Proposal,
    RankedProposals,
    collect_past_proposals,
    is_replaced_by,
    rank_proposals,
)
from transforms.pages.memory_md import MemoryPage, name_reflected_section, parse_memory

MAX_WAITING = 60
"""Observations that lost against the limit and are looked at again: about six weeks of ten."""
MAX_EVIDENCE = 12


def reflect(run: Run) -> Counts:
    """Turns new evidence into at most half a week's proposals a day, and never more than the weekly limit.

    What a reflection has seen is an event `r-YYYYMMDD` / `reflected` with the windows it read and the observations that
    wait for room. Windows that arrive later the same day are seen by the next day's.
    """
    ledger = open_proposals(run)
    reflection = f"r-{run.today:%Y%m%d}"
    past = ledger.past.filter(pl.col("event") == "reflected").sort("at", "proposal_id").to_dicts()
    if any(row["proposal_id"] == reflection for row in past):
        return {"proposed": 0, "reason": "reflected_today"}
    seen, waiting = _read_notes(past)
    rows = _read_new_evidence(run, seen, waiting)
    room = _compute_room(ledger)
    fresh = sorted({row["window_id"] for row in rows} - seen)
    if not fresh and (not waiting or room == 0):
        return {"proposed": 0, "reason": "no_room" if waiting else "no_new_evidence"}
    result, asked = _rank_evidence(ledger, rows, room)
    proposed = _store_proposals(ledger, result)
    _add_support(ledger, result, rows)
    dropped = dict(sorted(result.dropped.items()))
    note = {"windows": fresh, "waiting": list(result.waiting[:MAX_WAITING]), "dropped": dropped} | asked.note
    ledger.record(reflection, "reflected", RECOLLECT, orjson.dumps(note).decode())
    save_proposals(ledger)
    return {"windows": len(fresh), "observations": len(rows), "proposed": proposed, "dropped": dropped} | asked.counts()


def _read_notes(past: Sequence[Row]) -> tuple[set[str], list[str]]:
    """The windows that were ever looked at, and the observations that the last reflection left waiting."""
    notes = [orjson.loads(row["text"]) for row in past]
    return {window for note in notes for window in note["windows"]}, list(notes[-1]["waiting"]) if notes else []


def _read_new_evidence(run: Run, seen: set[str], waiting: Sequence[str]) -> list[Row]:
    """Observations of windows not yet seen, those that wait, and their neighbours: older ones that absorbed a new one.

    A neighbour counts as said when it was last repeated.
    """
    scan = run.lake.scan("observations")
    is_new = ~pl.col("window_id").is_in(sorted(seen)) | pl.col("observation_id").is_in(sorted(waiting))
    found = scan.filter(is_new).collect()
    heirs = found["superseded_by"].drop_nulls().unique().to_list()
    missing = sorted(set(heirs) - set(found["observation_id"].to_list()))
    older = scan.filter(pl.col("observation_id").is_in(missing)).collect() if missing else found.clear()
    repeated: dict[str, list[datetime]] = {}
    for heir, said in found.filter(pl.col("superseded_by").is_not_null()).select("superseded_by", "said_at").iter_rows():
        repeated.setdefault(heir, []).append(said)
    rows = pl.concat([found, older]).sort("observation_id").to_dicts()
    gone = _read_forgotten(run)
    kept = [row for row in rows if not {row["observation_id"], row["session_id"]} & gone]
    return [row | {"said_at": max([row["said_at"], *repeated.get(row["observation_id"], ())])} for row in kept if row["said_at"]]


def _read_forgotten(run: Run) -> set[str]:
    return set(run.lake.read("tombstones").filter(~pl.col("is_undone").fill_null(False))["target"].to_list())


def _compute_room(ledger: ProposalStore) -> int:
    """How many proposals today may bring: half a week's at once, less what the last seven days brought."""
    run, limit = ledger.run, ledger.run.settings.review.per_week
    since = run.today - timedelta(days=7)
    recent = sum(
        row["kind"] == "memory" and bool(row["evidence_ids"]) and row["created_at"].astimezone(run.zone).date() > since
        for row in ledger.rows.values()
    )
    return int(max(0, min((limit + 1) // 2, limit - recent, 2 * limit - len(ledger.pending()))))


@dataclass
class _Candidates:
    """What a model said about the evidence, if one was asked: candidates, old lines that they replace, and the record."""

    pool: list[LineCandidate]
    replaces: dict[str, str] = field(default_factory=dict)
    note: dict[str, Any] = field(default_factory=dict)
    chain: Chain | None = None

    def counts(self) -> Counts:
        """Who worded the lines, what was held back, why it was not a model, and the ledger's counts."""
        if self.chain is None:
            return {}
        told = {name: self.note[name] for name in ("held", "offline_instead") if self.note.get(name)}
        return told | {"by_models": int("engine" in self.note)} | self.chain.call_store.close()


def _rank_evidence(ledger: ProposalStore, rows: Sequence[Row], room: int) -> tuple[RankedProposals, _Candidates]:
    run, page = ledger.run, parse_memory(read_memory(ledger.run))
    known = collect_past_proposals(list(ledger.rows.values()), ledger.past.sort("at").to_dicts())
    asked = _find_candidates(run, rows, page, known, room)
    absorbed, replaced = _find_successors(run, known)
    known = [replace(one, evidence=one.evidence | {absorbed[key] for key in one.evidence if key in absorbed}) for one in known]
    return rank_proposals(asked.pool, page, known, _find_retired_lines(run, known, replaced) | asked.replaces, room), asked


def _find_candidates(run: Run, rows: Sequence[Row], page: MemoryPage, known: Sequence[PastProposal], room: int) -> _Candidates:
    """Candidates worded by a model when one is set and there is room for them, else by the offline rules."""
    owner, reflected = list_memory_sections(run)[0], name_reflected_section(run.today)
    offline = [candidate for row in rows for candidate in find_candidates(row, owner, reflected)]
    shown = select_prompt_rows(rows)
    chain = build_reflector(run) if room and shown else None
    if chain is None:
        return _Candidates(offline)
    refused = [escape_row(text) for one in known if one.status == "rejected" for text in one.texts[:1]][-REFUSED_LINES:]
    try:
        answered = Proposer(chain, format_owner_name(run), run.zone, reflected).propose(shown, page, refused, room)
    except NoAnswerError as error:
        return _Candidates(offline, note={"offline_instead": {str(error): 1}}, chain=chain)
    except Exception as error:  # noqa: BLE001  an answer that breaks us must not cost the night
        return _Candidates(offline, note={"offline_instead": {describe_error(error): 1}}, chain=chain)
    found = answered.result
    seen = {row["observation_id"] for row in shown}
    unseen = [one for one in offline if not seen & set(one.evidence)]
    pool = [*found.candidates, *find_missed_hard_rules([one for one in offline if one not in unseen], found.candidates), *unseen]
    note = {"engine": answered.engine, "template_hash": answered.template_hash, "summary": found.summary, "held": found.held}
    return _Candidates(pool, found.replaces, note, chain)


def _find_successors(run: Run, known: Sequence[PastProposal]) -> tuple[dict[str, str], dict[str, str]]:
    """For the evidence of past proposals: which observation absorbed it (the same fact), which one replaced it (a newer fact)."""
    ids = sorted({key for one in known for key in one.evidence})
    columns = ["observation_id", "session_id", "entry_ids", "also", "superseded_by"]
    scan = run.lake.scan("observations").select(columns)
    old = (
        scan.filter(pl.col("observation_id").is_in(ids) & pl.col("superseded_by").is_not_null()).collect().to_dicts()
        if ids
        else []
    )
    heirs = sorted({row["superseded_by"] for row in old})
    merged = {row["observation_id"]: set(row["also"] or ()) for row in _read_rows(scan, heirs)}
    absorbed: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for row in old:
        cited = {f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()}
        target = absorbed if cited & merged.get(row["superseded_by"], set()) else replaced
        target[row["observation_id"]] = row["superseded_by"]
    return absorbed, replaced


def _read_rows(scan: pl.LazyFrame, ids: Sequence[str]) -> Iterable[dict[str, Any]]:
    return scan.filter(pl.col("observation_id").is_in(ids)).collect().to_dicts() if ids else []


def _find_retired_lines(run: Run, known: Sequence[PastProposal], replaced: dict[str, str]) -> dict[str, str]:
    """Promoted lines of MEMORY.md whose evidence was replaced by a newer observation."""
    by_proposal = {one.proposal_id: one for one in known}
    retired = {}
    for line, proposal_id in run.lake.read("memory_lines").select("text", "proposal_id").iter_rows():
        evidence = by_proposal[proposal_id].evidence if proposal_id in by_proposal else frozenset()
        if newer := sorted(replaced[key] for key in evidence if key in replaced):
            retired[line] = newer[0]
    return retired


def _store_proposals(ledger: ProposalStore, result: RankedProposals) -> int:
    run = ledger.run
    ids = allocate_ids(ledger.rows, ledger.past["proposal_id"].to_list(), run.today, len(result.chosen))
    for proposal_id, proposal in zip(ids, result.chosen, strict=True):
        for other_id, other in ledger.pending().items():
            if _is_overtaken(other, proposal.candidate):
                ledger.close(other_id, "merged", "merged", RECOLLECT)
        ledger.rows[proposal_id] = _build_row(run, proposal_id, proposal)
        ledger.record(proposal_id, "proposed", RECOLLECT, proposal.text)
    return len(ids)


def _is_overtaken(row: Row, candidate: LineCandidate) -> bool:
    """Whether a waiting proposal says something else about the same thing, and the candidate is newer."""
    is_ours = row["kind"] == "memory" and bool(row["evidence_ids"])
    return is_ours and row["said_at"] < candidate.said_at and is_replaced_by(row["text"], candidate)


def _add_support(ledger: ProposalStore, result: RankedProposals, rows: Sequence[Row]) -> None:
    """More evidence for what waits already: shown on the page, the text and its time on the page stay."""
    said = {row["observation_id"]: row["said_at"] for row in rows}
    for proposal_id, evidence in result.supports.items():
        row = ledger.rows[proposal_id]
        row["evidence_ids"] = list(dict.fromkeys([*row["evidence_ids"], *evidence]))[:MAX_EVIDENCE]
        row["said_at"] = max([row["said_at"], *(said[key] for key in evidence if key in said)])


def _build_row(run: Run, proposal_id: str, proposal: Proposal) -> Row:
    one = proposal.candidate
    return {
        "proposal_id": proposal_id,
        "kind": "memory",
        "op": proposal.op,
        "section": proposal.section,
        "text": proposal.text,
        "old_text": proposal.old_text,
        "target": "MEMORY.md",
        "evidence_ids": list(one.evidence[:MAX_EVIDENCE]),
        "severity": None,
        "project": next(iter(one.projects)) if len(one.projects) == 1 else None,
        "said_at": one.said_at,
        "status": "pending",
        "first_shown_at": run.as_of,
        "created_at": run.as_of,
        "decided_at": None,
    }
