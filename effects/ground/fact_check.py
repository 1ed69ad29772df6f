"""Checks the facts on briefings in their own repository: their code references, and the branch on which they were said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import polars as pl

from effects.ground.branch_lookups import look_up_branch, read_commit_time, read_refs
from effects.ground.lookups import LOOKUPS, Lookup, read_head
from effects.ground.package_lookups import list_references, look_up_reference
from effects.ground.word_lookups import look_words_up
from effects.projects.join_step import read_folders
from effects.store.forgotten import read_remembered
from effects.store.run import Run
from transforms.briefing.group_facts import BRIEFED_KINDS
from transforms.ground.branches import BranchEntry, BranchSign, find_branch, list_branch_commits, read_branch_signs
from transforms.ground.code_references import CodeReference
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ConfirmationRow, ObservationRow
from transforms.tables.schema import OBSERVATIONS, read_rows

WORD_KINDS = ("flag", "symbol")
"""Kinds of references that are looked up as words."""
NO_BRANCH = "-"
"""Name in the row of a fact whose session names no branch, so that its entries are not read again."""


def check_facts(run: Run, stored: Sequence[ConfirmationRow], most: int) -> tuple[list[ConfirmationRow], int]:
    """Return the confirmations of high facts, newest facts first, and the number of lookups, at most `most`.

    A reference removed before the fact was said is not a finding. Facts of folders without a repository on this machine
    have none.
    """
    roots = _find_roots(run)
    if not roots:
        return [], 0
    facts = [row for row in _read_facts(run) if row["project"] in roots]
    heads = {root: read_head(root) or "" for root in sorted({roots[row["project"]] for row in facts})}
    states = {root: hash_fields(LOOKUPS, head, read_refs(root)) for root, head in heads.items()}
    known: dict[str, dict[str, ConfirmationRow]] = {}
    for row in stored:
        known.setdefault(row["target"], {})[row["name"]] = row
    due = [
        fact for fact in facts if not _is_settled(known.get(fact["observation_id"], {}).values(), states[roots[fact["project"]]])
    ]
    _look_words_up(due[:most], roots, heads)
    signs, rows, looked_up = _SignReader(run), list[ConfirmationRow](), 0
    for fact in facts:
        root, of_fact = roots[fact["project"]], known.get(fact["observation_id"], {})
        if _is_settled(of_fact.values(), states[root]):
            rows += of_fact.values()
            continue
        for reference in _list_references(fact, {root: heads[root]}, of_fact, signs if looked_up < most else None):
            old = of_fact.get(reference.name)
            if old and (old["state"] == states[root] or looked_up >= most):
                rows.append(old)
            elif looked_up < most:
                looked_up += 1
                rows.append(_check_reference(run, fact, reference, (root, heads[root]), states[root], old, signs))
    return rows, looked_up


def _look_words_up(due: Sequence[ObservationRow], roots: Mapping[str, str], heads: Mapping[str, str]) -> None:
    """Look up the words of the facts that are due, each repository's together: git is not started for each."""
    words: dict[str, list[str]] = {}
    for fact in due:
        root = roots[fact["project"]]
        references = list_references(fact["text"], {root: heads[root]})
        words.setdefault(root, []).extend(reference.name for reference in references if reference.kind in WORD_KINDS)
    for root, names in words.items():
        look_words_up(root, heads[root], names)


def _is_settled(rows: Collection[ConfirmationRow], state: str) -> bool:
    """Whether all references of a fact were looked up for this state: its branch, which is the last one, too."""
    return any(row["kind"] == "branch" for row in rows) and all(row["state"] == state for row in rows)


def _find_roots(run: Run) -> dict[str, str]:
    """Return the top folder of each project's repository on this machine."""
    roots: dict[str, str] = {}
    for row in read_folders(run.lake).values():
        if row["root"] and row["project"] not in roots and read_head(row["root"]):
            roots[row["project"]] = row["root"]
    return roots


def _read_facts(run: Run) -> list[ObservationRow]:
    frame = read_remembered(run.lake, "observations").filter(
        (pl.col("verdict") == "allow")
        & (pl.col("priority") == "high")
        & pl.col("superseded_by").is_null()
        & pl.col("kind").is_in([*BRIEFED_KINDS, "fix"])
        & pl.col("said_at").is_not_null()
    )
    return list(read_rows(OBSERVATIONS, frame.sort(["said_at", "observation_id"], descending=[True, False])))


class _SignReader:
    """Reads the signs of branches of sessions, each once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.by_session: dict[str, list[BranchSign]] = {}

    def read(self, session_id: str) -> Sequence[BranchSign]:
        """Return the signs of a session."""
        if session_id not in self.by_session:
            rows = (
                self.run.lake.scan("entries")
                .filter(pl.col("session_id") == session_id)
                .select("ordinal", "role", "text", "raw_json")
                .sort("ordinal")
                .collect()
                .iter_rows()
            )
            entries = (BranchEntry(ordinal, role == "toolResult", text or "", line or "") for ordinal, role, text, line in rows)
            self.by_session[session_id] = read_branch_signs(entries)
        return self.by_session[session_id]


def _list_references(
    fact: ObservationRow, heads: Mapping[str, str], known: Mapping[str, ConfirmationRow], signs: _SignReader | None
) -> list[CodeReference]:
    """Return a fact's references, and its branch, which is read from the session once and then stored in its row."""
    references = list_references(fact["text"], heads)
    branch = next((row["name"] for row in known.values() if row["kind"] == "branch"), None)
    if branch is None and signs is not None and fact["ordinals"]:
        branch = find_branch(signs.read(fact["session_id"]), fact["ordinals"][0]) or NO_BRANCH
    others = [reference for reference in references if reference.name != branch]
    return [*others, CodeReference("branch", branch)] if branch else others


def _check_reference(
    run: Run,
    fact: ObservationRow,
    reference: CodeReference,
    place: tuple[str, str],
    state: str,
    old: ConfirmationRow | None,
    signs: _SignReader,
) -> ConfirmationRow:
    root, head = place
    lookup = _look_up(root, head, fact, reference, signs)
    confirmed_on = run.today if lookup.status == "present" else old["confirmed_on"] if old else None
    return {
        "target": fact["observation_id"], "name": reference.name, "kind": reference.kind, "status": lookup.status,
        "repository": root, "commit": lookup.commit or None, "new_name": lookup.new_name or None, "confirmed_on": confirmed_on,
        "state": state,
    }  # fmt: skip


def _look_up(root: str, head: str, fact: ObservationRow, reference: CodeReference, signs: _SignReader) -> Lookup:
    if reference.kind == "branch":
        if reference.name == NO_BRANCH:
            return Lookup("unknown")
        commits = list_branch_commits(signs.read(fact["session_id"]), reference.name)
        return look_up_branch(root, reference.name, commits, fact["said_at"])
    lookup = look_up_reference(root, head, reference)
    if lookup.status in ("gone", "renamed"):
        removed_at = read_commit_time(root, lookup.commit)
        return lookup if removed_at and removed_at > fact["said_at"] else Lookup("unknown")
    return lookup
