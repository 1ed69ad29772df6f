"""The sheets of facts as the last rendering left them: a file of the lake for readers that have no time for tables."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import orjson

from effects.store.content_key import compute_basis, compute_content_key
from transforms.opening.fact_sheet import FactSheet
from transforms.tables.ids import hash_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from effects.store.run import Run
    from transforms.tables.json_object import JsonObject

SHEETS_FILE = "_facts.jsonl"
"""Its first line holds the key of its inputs and a hash of the rest, each further line the sheet of a project."""
SHEET_VERSION = 13
"""Counted up when the same facts give other sheets."""
FACT_SHEET_TABLES = (
    "observations",
    "tombstones",
    "confirmations",
    "relations",
    "proposals",
    "memory_lines",
    "projects",
    "sessions",
)
"""The tables that sheets are made of."""
EMPTY_SHEET: FactSheet = {
    "content": "", "heading": "", "keys": [], "ids": [], "lines": [], "lengths": [], "words": {}, "common": [],
}  # fmt: skip


class ShownSigns(NamedTuple):
    """What sheets show: the key of the tables of which they show something in any case, and of each fact that something else
    tells about (that it has ended, was refused, or what stands beside it) a hash of that, by id."""

    tables: str
    facts: dict[str, str]


def format_fact_sheets(
    inputs: str, sheets: Mapping[str, FactSheet], memory: str = "", basis: str = "", shown: ShownSigns | None = None
) -> bytes:
    """Return the file for the sheets of projects; `memory` is the hash of MEMORY.md, whose lost lines the owner refused, `basis`
    tells by which code and settings the lines were made."""
    rows = b"".join(orjson.dumps({"project": project, "sheet": sheet}) + b"\n" for project, sheet in sorted(sheets.items()))
    header = {"inputs": inputs, "version": SHEET_VERSION, "rows": _hash_rows(rows), "memory": memory, "basis": basis}
    return orjson.dumps(header | {"shown": list(shown or ("", {}))}) + b"\n" + rows


def list_changed_signs(run: Run, shown: ShownSigns) -> list[str] | None:
    """Return the ids of the facts about which the stored sheets were told otherwise; None when all sheets are to be made: of
    other tables, by other code or settings, or of a damaged file."""
    try:
        header, rows = _read_whole_file(run)
        made = (header["version"], header["basis"], header["rows"])
        tables, facts = header["shown"]
        known = {*facts.keys()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not tables or tables != shown.tables or made != (SHEET_VERSION, compute_basis(run), _hash_rows(rows)):
        return None
    return sorted(key for key in known.union(shown.facts) if facts.get(key) != shown.facts.get(key))


def format_kept_sheets(run: Run, inputs: str, memory: str) -> bytes:
    """Return the stored file with the keys of now, for sheets that show the same."""
    header, rows = _read_whole_file(run)
    return orjson.dumps(header | {"inputs": inputs, "memory": memory}) + b"\n" + rows


def read_fact_sheet(run: Run, project: str) -> FactSheet | None:
    """Return the sheet of a project, an empty one for a project without facts; None when the file is out of date.

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


def read_stored_sheets(run: Run) -> tuple[dict[str, FactSheet], bool]:
    """Return the sheets as they are stored, current or not, by project, and whether our code and settings made their lines; none
    of another version or of a damaged file."""
    try:
        header, rows = _read_whole_file(run)
        is_usable = header["version"] == SHEET_VERSION and header["rows"] == _hash_rows(rows)
        sheets = {row["project"]: row["sheet"] for row in map(orjson.loads, rows.splitlines())} if is_usable else {}
        return sheets, header["basis"] == compute_basis(run)
    except (OSError, ValueError, KeyError, TypeError):
        return {}, False


def are_sheets_current(run: Run, memory: str = "") -> bool:
    """Return whether the stored file equals one made from the present facts and MEMORY.md; a damaged file does not."""
    try:
        header, rows = _read_whole_file(run)
        is_same = bool(inputs := compute_sheets_key(run)) and header["inputs"] == inputs and header["memory"] == memory
        return is_same and header["rows"] == _hash_rows(rows)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _read_whole_file(run: Run) -> tuple[JsonObject, bytes]:
    header, _, rows = (run.lake.root / SHEETS_FILE).read_bytes().partition(b"\n")
    return orjson.loads(header), rows


def _hash_rows(rows: bytes) -> str:
    return blake2b(rows, digest_size=16).hexdigest()


def compute_sheets_key(run: Run) -> str:
    """Return the key of everything that sheets are made of; empty when the lake cannot tell."""
    tables = compute_content_key(run.lake.root, FACT_SHEET_TABLES)
    return hash_fields(SHEET_VERSION, tables, run.settings.timezone) if tables else ""
