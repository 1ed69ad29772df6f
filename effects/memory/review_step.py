"""The review: reads REVIEW.md back, records the outcomes and promotes approved lines into MEMORY.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import polars as pl

from effects.memory.proposal_store import (
    OWNER_ACTOR,
    RECOLLECT,
    ProposalStore,
    convert_vanished,
    open_proposals,
    promote_approved,
    save_proposals,
    set_words,
)
from effects.memory.remember import add_own_lines, take_over_rows
from effects.memory.review_page import ReviewFile, back_up_review, read_review_file
from effects.store.memory_file import read_memory, read_memory_bullets
from effects.store.run import Counts, Run, find_latest_time
from effects.system.errors import NotFoundError, UsageError
from transforms.memory.same_claim import is_same_claim
from transforms.pages.memory_md import parse_memory
from transforms.pages.review_decisions import Decisions, count_days_left, is_expiring, read_decisions
from transforms.tables.enums import ProposalStatus
from transforms.tables.ids import hash_text
from transforms.tables.rows import PageRow, ProposalRow

PAUSE = timedelta(days=28)
"""Time after which a new line that expired untouched may be offered once more."""
MAX_CORRECTIONS = 3
"""Expired corrections that are offered again at once."""


def review(run: Run, is_confirmed: bool = False, is_night: bool = False) -> Counts:
    """Read REVIEW.md back and carry out its edits, approvals, rejections and promotions. Return counts.

    A page that cannot be read (foreign, truncated, an older rendering) decides nothing, stays as it is and is reported in
    `problems`; nothing expires meanwhile, because the owner may have decided on it. `is_confirmed` allows the rejection of most
    of the page. Only a night expires old lines or offers them again: a command by which the owner decides on one line must not
    take the others away, and one that makes pages again decides nothing.
    """
    disk, store = read_review_file(run), open_proposals(run)
    decisions, approved = Decisions(), list[str]()
    if disk.state == "changed":
        taken = store.list_taken()
        decisions = read_decisions(disk.text, disk.base, store.list_pending().keys() | taken.keys(), is_confirmed)
        _give_back(store, decisions, taken)
        approved = _apply_decisions(store, decisions)
    own = add_own_lines(store, decisions.own)
    promoted = promote_approved(store, [*approved, *own, *store.list_unwritten()])
    convert_vanished(store)
    is_read = (disk.state == "changed" and not decisions.held) or disk.is_blanked
    may_expire = is_night and disk.state != "unreadable" and not decisions.held
    waiting_again = _take_back_early(store) if may_expire else 0
    expired = _expire_untouched(store) if may_expire else 0
    offered_again = _offer_again(store) if is_night and disk.state != "unreadable" else 0
    store.problems += _describe_problems(disk, decisions)
    if is_read and not disk.is_blanked:
        back_up_review(run, disk.text, disk.base)
    save_proposals(store, _build_page_row(disk) if is_read else None)
    counts = _build_counts(store, decisions, promoted, expired)
    counts |= {"from_other_machines": store.restored} if store.restored else {}
    counts |= {"waiting_again": waiting_again} if waiting_again else {}
    return counts | {"approved": len(approved), "own": len(own), "offered_again": offered_again}


def approve(run: Run, ids: Sequence[str]) -> Counts:
    """Approve proposals by id and promote them; those already approved are counted as such. The id of an observation, or its
    beginning, takes over what the owner said and no line came of.

    Raises:
        NotFoundError: when an id names no proposal and no observation.
        UsageError: when a proposal was rejected, merged or has expired.
    """
    store = open_proposals(run)
    own = take_over_rows(store, [name for name in ids if name.startswith("o-")])
    waiting, done = _split_by_status(store, [*(name for name in ids if not name.startswith("o-")), *own], "approved")
    promoted = promote_approved(store, waiting)
    save_proposals(store)
    return {"approved": len(waiting), "promoted": promoted, "already": done, "problems": store.problems}


def reject(run: Run, ids: Sequence[str]) -> Counts:
    """Reject proposals by id: they are not proposed again. Raises as `approve` does."""
    store = open_proposals(run)
    waiting, done = _split_by_status(store, ids, "rejected")
    for proposal_id in waiting:
        store.close(proposal_id, "rejected", "rejected", OWNER_ACTOR)
    save_proposals(store)
    return {"rejected": len(waiting), "already": done}


def list_pending(run: Run) -> list[ProposalRow]:
    """Return the proposals that wait, oldest id first."""
    return list(open_proposals(run).list_pending().values())


def take_page_words(store: ProposalStore, approved: Collection[str]) -> tuple[set[str], set[str]]:
    """Give proposals that were approved elsewhere the words and sections that their owner wrote on REVIEW.md meanwhile.

    Without this the page would be read when they do not wait any more. Return those that have words there, and those among them
    whose words are no line.
    """
    disk = read_review_file(store.run)
    if disk.state != "changed":
        return set(), set()
    page = read_decisions(disk.text, disk.base, approved, is_confirmed=True)
    for proposal_id, section in page.moved.items():
        store.rows[proposal_id]["section"] = section
    return set(page.edited), {key for key, words in sorted(page.edited.items()) if not set_words(store, key, words)}


def _apply_decisions(store: ProposalStore, decisions: Decisions) -> list[str]:
    """Carry out the edits and rejections of the page, and return what is to be promoted, by id."""
    late = _choose_late_ticks(store, decisions.late)
    edited = {key: words for key, words in (decisions.edited | late).items() if words}
    unfit = {key for key, words in sorted(edited.items()) if not set_words(store, key, words)}
    if unfit:
        store.problems.append(f"REVIEW.md: your words for {', '.join(sorted(unfit))} stand in .REVIEW.md.bak until the next edit")
    for proposal_id, section in sorted(decisions.moved.items()):
        row = store.rows[proposal_id]
        row["section"] = section
        if proposal_id not in edited:
            store.record(proposal_id, "edited", OWNER_ACTOR, row["text"])
    for proposal_id in decisions.rejected:
        store.close(proposal_id, "rejected", "rejected", OWNER_ACTOR)
    return [proposal_id for proposal_id in (*decisions.approved, *late) if proposal_id not in unfit]


def _give_back(store: ProposalStore, decisions: Decisions, taken: Mapping[str, str]) -> None:
    """Open lines again that the owner decided on while a model's line took their place: the page still showed them."""
    decided = {*decisions.edited, *decisions.moved, *decisions.approved, *decisions.rejected}
    for proposal_id in sorted(decided & taken.keys()):
        store.rows[proposal_id]["status"], store.rows[proposal_id]["decided_at"] = "pending", None
        store.close(taken[proposal_id], "merged", "merged", RECOLLECT)


def _choose_late_ticks(store: ProposalStore, late: Mapping[str, str]) -> dict[str, str]:
    """Return the ticks on lines that expired before the page was read; one on a line that ended otherwise is told."""
    expired = store.list_expired()
    for proposal_id in late:
        row = store.rows.get(proposal_id)
        if row and row["status"] in ("rejected", "merged") and proposal_id not in store.forgotten:
            store.problems.append(f"{proposal_id} was ticked, but it is {row['status']} by now: write and tick the line yourself")
    return {proposal_id: words for proposal_id, words in late.items() if proposal_id in expired}


def _take_back_early(store: ProposalStore) -> int:
    """Let proposals wait again that expired at a time to come, and return how many: a clock, or `--as-of`, was ahead.

    What MEMORY.md or another proposal says by now stays expired; so does what expired rightly after the past day of this run.
    """
    latest = find_latest_time(store.run)
    early = [key for key in store.list_expired() if (ended_at := store.rows[key]["decided_at"]) is not None and ended_at > latest]
    if not early:
        return 0
    open_rows = [row for row in store.rows.values() if row["status"] in ("pending", "approved", "rejected")]
    known = {*read_memory_bullets(store.run), *(row["text"] for row in open_rows if row["op"] != "remove")}
    changed = {row["old_text"] for row in open_rows if row["old_text"]}
    again = [
        key
        for key in early
        if (store.rows[key]["op"] == "remove" or store.rows[key]["text"] not in known)
        and store.rows[key]["old_text"] not in changed
    ]
    for key in again:
        store.rows[key]["status"], store.rows[key]["decided_at"] = "pending", None
        store.record(key, "undone", RECOLLECT, store.rows[key]["text"])
    return len(again)


def _expire_untouched(store: ProposalStore) -> int:
    """End proposals that were untouched for too long, and mark those that soon will be: the page depends on the lake alone."""
    expired, run = 0, store.run
    limit = run.settings.review.expire_days
    for proposal_id, row in store.list_pending().items():
        touched = store.find_touched_day(row)
        if touched is None:
            continue
        days_left = count_days_left(touched, run.today, limit)
        if days_left <= 0:
            store.close(proposal_id, "expired", "expired", RECOLLECT)
            expired += 1
        elif is_expiring(days_left, limit) and not store.is_marked_expiring(row):
            store.record(proposal_id, "expiring", RECOLLECT, row["text"])
    return expired


def _offer_again(store: ProposalStore) -> int:
    """Offer lines that expired untouched once more, and return how many. No rejected line comes.

    When the owner is back, corrections of lines that still stand come, because these mislead every session, and new lines that
    waited while the owner decided on nothing, once or again, as far as a week's proposals go; of lines that the owner passed
    over one a day, after a pause, while little else waits. What MEMORY.md has by now, what another proposal says, what rests on
    evidence that was replaced or forgotten meanwhile, and what a model took for wrong or outdated stays expired.
    """
    run = store.run
    offered = Counter(store.past.filter(pl.col("event") == "proposed")["proposal_id"].to_list())
    shown_again = (row["first_shown_at"] for proposal_id, row in store.rows.items() if offered[proposal_id] > 1)
    if any(shown_at and shown_at.astimezone(run.zone).date() == run.today for shown_at in shown_again):
        return 0  # a second run of the day changes nothing
    expired = [
        (proposal_id, row)
        for proposal_id, row in sorted(store.rows.items())
        if row["status"] == "expired" and row["kind"] == "memory"
    ]
    once = [item for item in expired if offered[item[0]] == 1]
    decided_at = store.list_decision_times()
    chosen = _choose_expired_corrections(store, [item for item in once if item[1]["op"] != "add"], decided_at)
    lines = [item for item in once if item[1]["op"] == "add"]
    waits = _list_waits(store)
    unseen = sorted(
        (item for item in expired if item[1]["op"] == "add" and _waited_unseen(item[1], waits.get(item[0], []), decided_at)),
        key=lambda item: item[1]["created_at"],
        reverse=True,
    )
    room = run.settings.review.per_week - len(store.list_pending()) - len(chosen)
    chosen += _choose_expired_lines(store, unseen, room)
    if not chosen and len(store.list_pending()) * 2 < run.settings.review.per_week:
        chosen = _choose_expired_lines(store, [item for item in lines if _has_rested(item[1], run.as_of)], 1)
    for proposal_id in chosen:
        row = store.rows[proposal_id]
        row["status"], row["first_shown_at"], row["decided_at"] = "pending", run.as_of, None
        store.record(proposal_id, "proposed", RECOLLECT, row["text"])
    return len(chosen)


def _has_rested(row: ProposalRow, now: datetime) -> bool:
    return row["decided_at"] is not None and now - row["decided_at"] >= PAUSE


def _list_waits(store: ProposalStore) -> dict[str, list[tuple[datetime, datetime]]]:
    """Return from when to when each proposal waited until it expired, offer by offer."""
    waits, since = defaultdict[str, list[tuple[datetime, datetime]]](list), dict[str, datetime]()
    offers = store.past.filter(pl.col("event").is_in(["proposed", "expired"])).sort("at", "event")
    for key, event, at in offers.select("proposal_id", "event", "at").iter_rows():
        if event == "proposed":
            since.setdefault(key, at)
        elif key in since:
            waits[key].append((since.pop(key), at))
    return waits


def _waited_unseen(row: ProposalRow, waits: Iterable[tuple[datetime, datetime]], decided_at: Sequence[datetime]) -> bool:
    """Whether the owner decided on nothing while a line waited, offered again or not, and did so since.

    What they decide between two offers brings the second one. Whether somebody read the page without deciding, nobody can know.
    """
    expired = row["decided_at"]
    if row["first_shown_at"] is None or expired is None or not decided_at:
        return False
    waited = [*waits, (row["first_shown_at"], expired)]
    return decided_at[-1] > expired and not any(since < time <= until for time in decided_at for since, until in waited)


def _choose_expired_corrections(
    store: ProposalStore, expired: Sequence[tuple[str, ProposalRow]], decided_at: Sequence[datetime]
) -> list[str]:
    """Return the newest correction of each line that still stands, when the owner has decided on something since it expired."""
    if not expired:
        return []
    gone, waiting = _list_gone_evidence(store), {row["old_text"] for row in store.list_pending().values()}
    standing = {bullet.line for bullet in parse_memory(read_memory(store.run)).bullets} - waiting
    refused = _list_refusal_times(store)
    by_line: dict[str, str] = {}
    for proposal_id, row in expired:
        is_back = bool(decided_at) and row["decided_at"] is not None and decided_at[-1] > row["decided_at"]
        is_gone = bool(set(row["evidence_ids"] or ()) & gone) or proposal_id in store.forgotten
        is_refused = any(refused_at >= row["created_at"] for refused_at in refused.get(row["old_text"] or "", ()))
        if is_back and not is_gone and not is_refused and row["old_text"] in standing:
            by_line[row["old_text"] or ""] = proposal_id
    return sorted(by_line.values())[:MAX_CORRECTIONS]


def _list_refusal_times(store: ProposalStore) -> dict[str, list[datetime]]:
    """Return, by line of MEMORY.md, when changes of it were turned down."""
    refused: dict[str, list[datetime]] = {}
    for row in store.rows.values():
        if row["status"] == "rejected" and row["old_text"] and row["decided_at"]:
            refused.setdefault(row["old_text"], []).append(row["decided_at"])
    return refused


def _choose_expired_lines(store: ProposalStore, expired: Sequence[tuple[str, ProposalRow]], limit: int) -> list[str]:
    """Return the first of these lines, at most `limit`, that neither MEMORY.md nor another proposal says."""
    if not expired or limit < 1:
        return []
    gone = _list_gone_evidence(store)
    stale = store.forgotten | store.list_doubted()
    known = [*read_memory_bullets(store.run), *(row["text"] for row in store.rows.values() if row["status"] != "expired")]
    chosen: list[str] = []
    for proposal_id, row in expired:
        if not row["evidence_ids"] or set(row["evidence_ids"]) & gone or proposal_id in stale:
            continue
        if not any(is_same_claim(row["text"], text) for text in known):
            chosen.append(proposal_id)
            known.append(row["text"])
        if len(chosen) == limit:
            break
    return chosen


def _list_gone_evidence(store: ProposalStore) -> set[str]:
    superseded = store.run.lake.scan("observations").filter(pl.col("superseded_by").is_not_null())
    return set(superseded.select("observation_id").collect()["observation_id"]) | store.forgotten


def _split_by_status(store: ProposalStore, ids: Iterable[str], wanted: ProposalStatus) -> tuple[list[str], int]:
    waiting, done, named = [], 0, [*dict.fromkeys(ids)]
    nothing = f"; none of the {len(named)} was {wanted}" if len(named) > 1 else ""
    for proposal_id in named:
        row = store.rows.get(proposal_id)
        if row is None:
            raise NotFoundError(f"there is no proposal `{proposal_id}`{nothing}", "recollect review list")
        if row["status"] == wanted:
            done += 1
        elif row["status"] == "pending" or proposal_id in store.list_unwritten():
            waiting.append(proposal_id)
        else:
            raise UsageError(f"`{proposal_id}` is already {row['status']}{nothing}", "recollect review list")
    return waiting, done


def _build_page_row(disk: ReviewFile) -> PageRow | None:
    """Return the page's row with the hash of the text that was read: rendering may now replace that text, and no other."""
    return {**disk.stored, "text_hash": hash_text(disk.text)} if disk.stored else None


def _describe_problems(disk: ReviewFile, decisions: Decisions) -> list[str]:
    problems = []
    if disk.state == "unreadable":
        problems.append(
            f"REVIEW.md was not read: {disk.problem}. Nothing was approved, rejected or overwritten; the current list is in "
            "REVIEW.md.new, and `recollect review approve ID` or `recollect review reject ID` decides without the page"
        )
    elif disk.problem:
        problems.append(f"REVIEW.md decides nothing: {disk.problem}. It is rendered again")
    if decisions.held:
        problems.append(
            f"REVIEW.md rejects {len(decisions.held)} proposals at once, more than half of those that it showed. "
            "They wait; `recollect review apply --yes` rejects them"
        )
    if decisions.unclear:
        problems.append(
            f"REVIEW.md: {', '.join(decisions.unclear)} are unclear, so they wait: a mark is neither [x] nor [-], or a line"
            " without id may be one of them in other words; keep the ids"
        )
    return problems


def _build_counts(store: ProposalStore, decisions: Decisions, promoted: int, expired: int) -> Counts:
    return {
        "edited": len({*decisions.edited, *decisions.moved}),
        "promoted": promoted,
        "rejected": len(decisions.rejected),
        "held": len(decisions.held),
        "expired": expired,
        "pending": len(store.list_pending()),
        "problems": store.problems,
    }
