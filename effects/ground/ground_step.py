"""The ground check looks up in git the names in lines of MEMORY.md and high facts; proposals and marks report losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from effects.ground.fact_check import check_facts
from effects.ground.lookups import LOOKUPS, read_head
from effects.ground.package_lookups import list_references, look_up_reference
from effects.ground.undone_lines import propose_undone_lines
from effects.memory.proposal_store import RECOLLECT, ProposalStore, open_proposals, propose_removals, save_proposals
from effects.projects.join_step import read_folders
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.memory_file import read_memory
from effects.store.run import Counts, Run
from transforms.ground.code_references import CodeReference, replace_name
from transforms.language.relative_dates import find_end_of_undated, find_stated_end
from transforms.pages.fact_marks import COMMIT, GROUND_CHECK, make_memory_id, word_marks
from transforms.pages.memory_md import Bullet, parse_memory
from transforms.tables.ids import allocate_ids, hash_fields
from transforms.tables.rows import ConfirmationRow, ProposalRow
from transforms.tables.schema import CONFIRMATIONS, build_frame, conform, read_rows

MAX_PROPOSALS = 3
"""Proposals of one night: a large rename must not flood the review."""
EDIT_REST = "; edit what is gone"
EDIT_OR_REMOVE = "; write other words in place of “Remove: …” to keep the line, or accept to remove it"
NAMED_KINDS = ("flag", "symbol", "package")
"""Kinds of references whose names do not tell them."""
MAX_LOOKUPS = 200
"""Lookups of one night; the rest waits for the next."""


def check_ground(run: Run) -> Counts:
    """Look up the code references in MEMORY.md and high facts, in repositories that changed; return counts per result.

    Only the objects of git are read. A reference is gone when no repository on this machine has it and a commit is known that
    removed it; a line of MEMORY.md that names one is marked, and becomes a proposal to use the new name, or to edit or remove it.
    A fact gets a mark, also when the branch on which it was said was never merged. A line whose stated end has passed is proposed
    for removal, and a line of which recent work took a value out of the files becomes a question.
    """
    heads = {root: head for root in _list_roots(run) if (head := read_head(root))}
    memory = read_memory(run)
    bullets = [bullet for bullet in parse_memory(memory).bullets if bullet.text]
    stored = list(read_rows(CONFIRMATIONS, run.lake.read("confirmations")))
    rows, looked_up = {(row["target"], row["name"]): row for row in stored if row["target"].startswith("m-")}, 0
    key = compute_search_key(run, (), memory, _compute_state(heads))
    is_due = find_settled(run, "ground", key) is None  # which packages a line names tells only the whole history of manifests
    if is_due:
        rows, looked_up = _check_lines(run, bullets, heads, rows)
    store = open_proposals(run)
    proposed = _propose(store, bullets, rows) + propose_ended_lines(store, bullets) + propose_undone_lines(store, bullets)
    save_proposals(store)
    of_facts, asked = check_facts(run, stored, MAX_LOOKUPS - looked_up)
    frame = conform(CONFIRMATIONS, build_frame(CONFIRMATIONS, [*rows.values(), *of_facts]))
    if not frame.equals(run.lake.read("confirmations")):
        with run.lake.commit() as change:
            change.replace("confirmations", frame)
    if is_due and looked_up < MAX_LOOKUPS:  # after the commit: a killed run has not checked them
        settle(run, "ground", key, {})
    lines = Counter(row["status"] for row in rows.values())
    marked = word_marks(of_facts)
    counts: Counts = {"repositories": len(heads), "looked_up": looked_up + asked, "proposed": proposed, "marked": len(marked)}
    return counts | dict(sorted(lines.items()))


def _check_lines(
    run: Run, bullets: Sequence[Bullet], heads: dict[str, str], stored: dict[tuple[str, str], ConfirmationRow]
) -> tuple[dict[tuple[str, str], ConfirmationRow], int]:
    """Return the confirmations of the lines of MEMORY.md, and the number of lookups."""
    rows: dict[tuple[str, str], ConfirmationRow] = {}
    looked_up, state = 0, _compute_state(heads)
    for bullet in bullets:
        target = make_memory_id(bullet.text)
        for reference in list_references(bullet.text, heads):
            key = target, reference.name
            old = stored.get(key)
            if (old and old["state"] == state) or not heads or looked_up >= MAX_LOOKUPS:
                rows |= {key: old} if old else {}
                continue
            looked_up += 1
            rows[key] = _check_reference(run, target, reference, heads, state, old)
    return rows, looked_up


def _compute_state(heads: dict[str, str]) -> str:
    return hash_fields(LOOKUPS, *(f"{root}@{head}" for root, head in sorted(heads.items())))


def _list_roots(run: Run) -> list[str]:
    return sorted({row["root"] for row in read_folders(run.lake).values() if row["root"] and Path(row["root"]).is_dir()})


def _check_reference(
    run: Run, target: str, reference: CodeReference, heads: dict[str, str], state: str, old: ConfirmationRow | None
) -> ConfirmationRow:
    lookups = {root: look_up_reference(root, head, reference) for root, head in heads.items()}
    order = ("present", "unmerged", "renamed", "gone", "unknown")
    root, lookup = min(lookups.items(), key=lambda item: (order.index(item[1].status), item[0]))
    confirmed_on = run.today if lookup.status == "present" else old["confirmed_on"] if old else None
    return {
        "target": target, "name": reference.name, "kind": reference.kind, "status": lookup.status, "repository": root,
        "commit": lookup.commit or None, "new_name": lookup.new_name or None, "confirmed_on": confirmed_on, "state": state,
    }  # fmt: skip


def _propose(store: ProposalStore, bullets: Sequence[Bullet], rows: dict[tuple[str, str], ConfirmationRow]) -> int:
    proposed = 0
    quoted = {row["old_text"] for row in store.rows.values() if _was_offered(row) or row["status"] == "pending"}
    for bullet in bullets:
        target = make_memory_id(bullet.text)
        lost = [row for (own, _), row in sorted(rows.items()) if own == target and row["status"] in ("gone", "renamed")]
        if not lost or not bullet.is_one_line or bullet.line in quoted or proposed == MAX_PROPOSALS:
            continue
        (proposal_id,) = allocate_ids(store.rows, store.past["proposal_id"].to_list(), store.run.today, 1)
        store.rows[proposal_id] = _build_row(store.run, proposal_id, bullet, lost)
        store.record(proposal_id, "proposed", RECOLLECT, store.rows[proposal_id]["text"])
        proposed += 1
    return proposed


def _was_offered(row: ProposalRow) -> bool:
    """Whether the owner was asked about a line for what git says, or whether it goes."""
    return row["op"] == "remove" or (row["pattern"] or "").startswith(GROUND_CHECK)


def _build_row(run: Run, proposal_id: str, bullet: Bullet, lost: Sequence[ConfirmationRow]) -> ProposalRow:
    """Return the proposal: the line with the new names, or, when none is known, without it. The reason asks for the rest."""
    text = bullet.text
    for row in lost:
        text = replace_name(text, row["name"], row["new_name"] or row["name"])
    is_renamed = text != bullet.text
    asks = "" if all(row["new_name"] for row in lost) and is_renamed else EDIT_REST if is_renamed else EDIT_OR_REMOVE
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "replace" if is_renamed else "remove", "section": bullet.section,
        "text": text, "old_text": bullet.line, "target": "MEMORY.md",
        "evidence_ids": [f"{COMMIT}{row['commit']}" for row in lost], "severity": None, "origin": "tool", "project": None,
        "said_at": run.as_of,
        "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "is_everywhere": None, "evidence_sources": None,
        "pattern": GROUND_CHECK + "; ".join(_describe(row) for row in lost) + asks,
    }  # fmt: skip


def _describe(row: ConfirmationRow) -> str:
    repository = row["repository"].rstrip("/").rpartition("/")[2]
    is_renamed, new = row["status"] == "renamed", row["new_name"]
    kind = f"the {row['kind']} " if row["kind"] in NAMED_KINDS else ""
    fate = f"was renamed to {new}" if is_renamed else "is gone"
    instead = f", which added {new}" if new and not is_renamed else ""
    seen = f", last confirmed {row['confirmed_on']}" if row["confirmed_on"] else ""
    return f"{kind}{row['name']} {fate} since commit {row['commit']} of {repository}{instead}{seen}"


def propose_ended_lines(store: ProposalStore, bullets: Sequence[Bullet]) -> int:
    """Propose the removal of each line whose end has passed, once, and return how many were proposed.

    A line's own date tells from when "until Friday" counts; without one only an end with its year can have passed.
    """
    today = store.run.today
    ends = [(bullet, _find_end(bullet, today)) for bullet in bullets]
    return propose_removals(store, [(bullet, f"Ended on {end}") for bullet, end in ends if end is not None and end < today])


def _find_end(bullet: Bullet, today: date) -> date | None:
    return find_stated_end(bullet.text, bullet.dated) if bullet.dated else find_end_of_undated(bullet.text, today)
