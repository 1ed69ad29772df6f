"""The sheets of facts as the last rendering left them: a file of the lake for readers that have no time for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from effects.store.content_key import compute_content_key
from transforms.opening.fact_sheet import FactSheet
from transforms.tables.ids import hash_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from effects.store.run import Run

SHEETS_FILE = "_facts.jsonl"
"""Its first line holds the key of its inputs, each further line the sheet of a project."""
SHEET_VERSION = 3
"""Counted up when the same facts give other sheets."""
INPUT_TABLES = ("observations", "tombstones", "confirmations", "projects", "sessions")
"""The tables that sheets are made of."""
EMPTY_SHEET: FactSheet = {"content": "", "heading": "", "ids": [], "lines": [], "lengths": [], "words": {}}


def format_fact_sheets(inputs: str, sheets: Mapping[str, FactSheet]) -> bytes:
    """Return the file for the sheets of projects."""
    rows = [
        {"inputs": inputs, "version": SHEET_VERSION},
        *({"project": project, "sheet": sheet} for project, sheet in sorted(sheets.items())),
    ]
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def read_fact_sheet(run: Run, project: str) -> FactSheet | None:
    """Return the sheet of a project, an empty one for a project without facts; None when the file is not what would be made now.

    It is not when a table or the owner's zone changed since: a fact may have been forgotten or replaced.
    """
    begins = orjson.dumps({"project": project})[:-1] + b","
    try:
        with (run.lake.root / SHEETS_FILE).open("rb") as handle:
            if not (inputs := compute_sheets_key(run)) or orjson.loads(handle.readline())["inputs"] != inputs:
                return None
            line = next((line for line in handle if line.startswith(begins)), b"")
        return orjson.loads(line)["sheet"] if line else EMPTY_SHEET
    except (OSError, ValueError, KeyError, TypeError):
        return None


def read_stored_sheets(run: Run) -> dict[str, FactSheet]:
    """Return the sheets as they are stored, current or not, by project; none of another version."""
    try:
        header, *rows = map(orjson.loads, (run.lake.root / SHEETS_FILE).read_bytes().splitlines())
        return {row["project"]: row["sheet"] for row in rows} if header["version"] == SHEET_VERSION else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def are_sheets_current(run: Run) -> bool:
    """Return whether the stored file equals one made from the present facts."""
    return read_fact_sheet(run, "") is not None


def compute_sheets_key(run: Run) -> str:
    """Return the key of everything that sheets are made of; empty when the lake cannot tell."""
    tables = compute_content_key(run.lake.root, INPUT_TABLES)
    return hash_fields(SHEET_VERSION, tables, run.settings.timezone) if tables else ""
