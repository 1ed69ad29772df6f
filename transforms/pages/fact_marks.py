"""Marks of facts on pages: warnings from the repositories on this machine, and the sign before a mark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transforms.tables.rows import ConfirmationRow

_ADDING = ("still, from ", "also said ")
"""Beginnings of marks that take nothing back."""


def word_marks(rows: Iterable[ConfirmationRow]) -> Mapping[str, str]:
    """Return the mark of each fact or line that has one, by id: `src/a.py is gone`, `from branch x, never merged`."""
    marks: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row["target"], row["kind"], row["name"])):
        if mark := _word_mark(row):
            marks.setdefault(row["target"], []).append(mark)
    return {target: "; ".join(words) for target, words in marks.items()}


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
        return f"{row['name']} is gone since commit {row['commit']}"
    return f"commit {row['name']} is on no merged branch" if row["status"] == "unmerged" else ""
