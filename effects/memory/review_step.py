"""The review loop: REVIEW.md is read back, outcomes are recorded, approved lines are promoted into MEMORY.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from effects.memory.proposal_store import (
    OWNER,
    RECOLLECT,
    ProposalStore,
    Row,
    convert_vanished,
    open_proposals,
    promote_approved,
    save_proposals,
)
from effects.memory.review_page import ReviewFile, back_up_review, read_review_file
from effects.store.run import Counts, Run
from effects.system.errors import NotFoundError, UsageError
from transforms.pages.review_decisions import Decisions, count_days_left, is_expiring, read_decisions
from transforms.tables.ids import text_hash


def review(run: Run, yes: bool = False) -> Counts:
    """Reads REVIEW.md back and settles what is due: edits, approvals, rejections, promotions and expiries.

    A page that cannot be read (foreign, truncated, an older rendering) decides nothing, is left as it is and is told in
    `problems`; nothing expires meanwhile, because the owner may have decided on it. `yes` confirms rejecting most of it.
    """
    disk, ledger = read_review_file(run), open_proposals(run)
    decisions = Decisions()
    if disk.state == "changed":
        decisions = read_decisions(disk.text, disk.base, ledger.pending().keys(), yes)
        _apply_decisions(ledger, decisions)
    promoted = promote_approved(ledger, list(decisions.approved))
    convert_vanished(ledger)
    is_read = (disk.state == "changed" and not decisions.held) or disk.is_blanked
    expired = _expire_untouched(ledger) if disk.state != "unreadable" and not decisions.held else 0
    ledger.problems += _describe_problems(disk, decisions)
    if is_read and not disk.is_blanked:
        back_up_review(run, disk.text)
    save_proposals(ledger, _build_page_row(disk) if is_read else None)
    return _build_counts(ledger, decisions, promoted, expired)


def approve(run: Run, ids: Sequence[str]) -> Counts:
    """Approves proposals by id and promotes them; those already approved are counted as such.

    Raises:
        NotFoundError: when an id names no proposal; UsageError when one was rejected, merged or has expired.
    """
    ledger = open_proposals(run)
    waiting, done = _split_by_status(ledger, ids, "approved")
    promoted = promote_approved(ledger, waiting)
    save_proposals(ledger)
    return {"approved": len(waiting), "promoted": promoted, "already": done, "problems": ledger.problems}


def reject(run: Run, ids: Sequence[str]) -> Counts:
    """Rejects proposals by id: they are not proposed again. Raises as `approve` does."""
    ledger = open_proposals(run)
    waiting, done = _split_by_status(ledger, ids, "rejected")
    for proposal_id in waiting:
        ledger.close(proposal_id, "rejected", "rejected", OWNER)
    save_proposals(ledger)
    return {"rejected": len(waiting), "already": done}


def list_pending(run: Run) -> list[dict[str, Any]]:
    """The proposals that wait, oldest id first: rows of the `proposals` table."""
    return list(open_proposals(run).pending().values())


def _apply_decisions(ledger: ProposalStore, decisions: Decisions) -> None:
    for proposal_id in sorted({*decisions.edited, *decisions.moved}):
        row = ledger.rows[proposal_id]
        row["text"] = decisions.edited.get(proposal_id) or row["text"]
        row["section"] = decisions.moved.get(proposal_id, row["section"])
        ledger.record(proposal_id, "edited", OWNER, row["text"])
    for proposal_id in decisions.rejected:
        ledger.close(proposal_id, "rejected", "rejected", OWNER)


def _expire_untouched(ledger: ProposalStore) -> int:
    """Ends what was untouched for too long, and marks what soon will be: the page then depends on the lake alone."""
    expired, run = 0, ledger.run
    limit = run.settings.review.expire_days
    for proposal_id, row in ledger.pending().items():
        touched = ledger.touched_on(row)
        if touched is None:
            continue
        left = count_days_left(touched, run.today, limit)
        if left <= 0:
            ledger.close(proposal_id, "expired", "expired", RECOLLECT)
            expired += 1
        elif is_expiring(left, limit) and not ledger.is_marked_expiring(row):
            ledger.record(proposal_id, "expiring", RECOLLECT, row["text"])
    return expired


def _split_by_status(ledger: ProposalStore, ids: Iterable[str], wanted: str) -> tuple[list[str], int]:
    waiting, done = [], 0
    for proposal_id in dict.fromkeys(ids):
        row = ledger.rows.get(proposal_id)
        if row is None:
            raise NotFoundError(f"there is no proposal `{proposal_id}`", "recollect review list")
        if row["status"] == wanted:
            done += 1
        elif row["status"] == "pending":
            waiting.append(proposal_id)
        else:
            raise UsageError(f"`{proposal_id}` was {row['status']} already", "recollect review list")
    return waiting, done


def _build_page_row(disk: ReviewFile) -> Row | None:
    """The page's row with the hash of what we read: rendering may now replace that text, and no other."""
    return {**disk.stored, "text_hash": text_hash(disk.text)} if disk.stored else None


def _describe_problems(disk: ReviewFile, decisions: Decisions) -> list[str]:
    told = []
    if disk.state == "unreadable":
        told.append(
            f"REVIEW.md was not read: {disk.why}. Nothing was approved, rejected or overwritten; the current list is in "
            "REVIEW.md.new, and `recollect review approve|reject ID` decides without the page"
        )
    elif disk.why:
        told.append(f"REVIEW.md said nothing: {disk.why}. It is written anew")
    if decisions.held:
        told.append(
            f"REVIEW.md rejects {len(decisions.held)} proposals at once, more than half of what it showed. "
            "They wait: `recollect review apply --yes` confirms"
        )
    if decisions.unclear:
        told.append(f"REVIEW.md: the marks of {', '.join(decisions.unclear)} are unclear; use [x] or [-]")
    return told


def _build_counts(ledger: ProposalStore, decisions: Decisions, promoted: int, expired: int) -> Counts:
    return {
        "edited": len({*decisions.edited, *decisions.moved}),
        "approved": len(decisions.approved),
        "promoted": promoted,
        "rejected": len(decisions.rejected),
        "held": len(decisions.held),
        "expired": expired,
        "pending": len(ledger.pending()),
        "problems": ledger.problems,
    }
