"""Lines of MEMORY.md whose names were looked up in repositories: when all were last seen there, and which are gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from transforms.tables.rows import ConfirmationRow

_KNOWN = ("present", "renamed", "gone", "unmerged")
"""Results of a lookup that say something about a line: what no repository ever had is unknown."""


@dataclass(frozen=True, slots=True)
class ConfirmedLine:
    """A line, the names in it that were looked up, the last day on which all of them were there (None: never), and the faults."""

    text: str
    names: tuple[str, ...]
    confirmed_on: date | None
    faults: tuple[str, ...]


def list_confirmed_lines(lines: Mapping[str, str], rows: Iterable[ConfirmationRow]) -> tuple[ConfirmedLine, ...]:
    """Return the lines (text by target) that name something which a repository has or had; faulty ones first, then the oldest."""
    by_target: dict[str, list[ConfirmationRow]] = {}
    for row in rows:
        if row["target"] in lines and row["status"] in _KNOWN and row["kind"] != "branch":
            by_target.setdefault(row["target"], []).append(row)
    confirmed = [_describe(lines[target], sorted(part, key=lambda row: row["name"])) for target, part in by_target.items()]
    return tuple(sorted(confirmed, key=lambda line: (not line.faults, line.confirmed_on or date.min, line.text)))


def _describe(text: str, rows: list[ConfirmationRow]) -> ConfirmedLine:
    days = [row["confirmed_on"] for row in rows]
    faults = tuple(
        f"{row['name']} is {row['new_name']} now" if row["status"] == "renamed" and row["new_name"]
        else f"{row['name']} is gone" if row["status"] in ("gone", "renamed")
        else f"{row['name']} is on no merged branch"
        for row in rows
        if row["status"] != "present"
    )  # fmt: skip
    known = [day for day in days if day is not None]
    return ConfirmedLine(text, tuple(row["name"] for row in rows), min(known) if len(known) == len(days) else None, faults)
