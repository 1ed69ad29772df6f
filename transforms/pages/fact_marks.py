"""Marks of facts on pages: warnings from the repositories on this machine, and the sign before a mark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transforms.tables.ids import hash_fields
from transforms.tables.rows import ConfirmationRow, ProposalRow

GROUND_CHECK = "Ground check: "
"""Beginning of the reason of a proposal of the ground check."""
COMMIT = "commit:"
"""Beginning of the evidence of such a proposal."""
LINE = "m-"
"""Beginning of the ids of lines of MEMORY.md."""

_ADDING = ("still, from ", "also said ")
"""Beginnings of marks that take nothing back."""


def word_marks(rows: Iterable[ConfirmationRow]) -> Mapping[str, str]:
    """Return the mark of each fact or line that has one, by id: `src/a.py is gone`, `from branch x, never merged`."""
    marks: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row["target"], row["kind"], row["name"])):
        if mark := _word_mark(row):
            marks.setdefault(row["target"], []).append(mark)
    return {target: "; ".join(words) for target, words in marks.items()}


def make_memory_id(text: str) -> str:
    """Return the id of a line of MEMORY.md, from its words without marker and date."""
    return LINE + hash_fields(text.strip())


def list_findings(rows: Iterable[ConfirmationRow], refused: Iterable[ProposalRow]) -> list[ConfirmationRow]:
    """Return the rows about facts, and those of lines of MEMORY.md that name what is gone or renamed.

    The owner who rejected the proposal about a finding keeps the line as it is: that finding says nothing any more. `refused` may
    hold any proposals.
    """
    from transforms.pages.memory_md import parse_memory  # a parser of Markdown: the signs of marks need none

    kept = {
        (make_memory_id(bullet.text), evidence.removeprefix(COMMIT))
        for row in refused
        if row["status"] == "rejected" and (row["pattern"] or "").startswith(GROUND_CHECK)
        for bullet in parse_memory(row["old_text"] or "").bullets[:1]
        for evidence in row["evidence_ids"] or ()
    }
    return [
        row for row in rows
        if not row["target"].startswith(LINE)
        or (row["status"] in ("gone", "renamed") and (row["target"], row["commit"]) not in kept)
    ]  # fmt: skip


def join_marks(changed: str, warning: str) -> str:
    """Return what other facts say of a fact and the warning of the ground check as one mark: what warns stands first."""
    return "; ".join(sorted(filter(None, (changed, warning)), key=_adds_only))


def sign_mark(mark: str) -> str:
    """Return a mark behind its fact, with the sign of a warning unless it only says more than the fact."""
    return f" {'·' if _adds_only(mark) else '⚠️'} {mark}" if mark else ""


def _adds_only(mark: str) -> bool:
    return mark.startswith(_ADDING)


def _word_mark(row: ConfirmationRow) -> str:
    if row["kind"] == "branch":
        return f"from branch {row['name']}, never merged" if row["status"] == "unmerged" else ""
    if row["status"] == "renamed":
        return f"{row['name']} is {row['new_name']} now"
    if row["status"] == "gone":
        instead = f", which added {row['new_name']}" if row["new_name"] else ""
        return f"{row['name']} is gone since commit {row['commit']}{instead}"
    return f"commit {row['name']} is on no merged branch" if row["status"] == "unmerged" else ""
