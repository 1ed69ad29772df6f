"""Requests that were paid for without the lake's lock: notes next to the lake, which the next run imports into `model_calls`.

`recollect ask` only reads and must answer while a run writes, yet it shares the budget and the cache of the call store. The
name of a note is the hash of its content, so that importing it twice (after a crash) yields one row.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import orjson

from effects.store.lake import Lake
from effects.system.files import replace_file
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ModelCallRow
from transforms.tables.schema import MODEL_CALLS, build_frame, read_rows

CALL_FOLDER = "_calls"


def write_note(lake: Lake, row: ModelCallRow) -> None:
    """Store a row of `model_calls` durably, without the lock."""
    data = orjson.dumps(row)
    replace_file(lake.root / CALL_FOLDER / f"{hash_fields(data.decode(), size=16)}.json", data)


def read_notes(lake: Lake) -> list[ModelCallRow]:
    """Return the rows that no run has imported yet."""
    return [row for _, row in _read_note_files(lake)]


def import_notes(lake: Lake) -> int:
    """Move the notes into `model_calls` and return their number. The caller holds the lock."""
    files = _read_note_files(lake)
    if not files:
        return 0
    stored = {_make_row_key(row): row for row in read_rows(MODEL_CALLS, lake.read("model_calls"))}
    rows = []
    for row in (row for _, row in files):
        while _make_row_key(row) in stored and stored[_make_row_key(row)]["at"] != row["at"]:
            row["call_no"] += 1  # two processes paid for the same request at once: both costs count
        if _make_row_key(row) not in stored:
            stored[_make_row_key(row)] = row
            rows.append(row)
    if rows:
        with lake.commit() as change:
            change.append("model_calls", build_frame(MODEL_CALLS, rows))
    for path, _ in files:
        path.unlink(missing_ok=True)
    return len(rows)


def list_damaged_calls(lake: Lake) -> list[Path]:
    """Return the notes that cannot be read: the cost of their requests is not counted, and their answers are asked for again."""
    read = {path for path, _ in _read_note_files(lake)}
    return [path for path in sorted((lake.root / CALL_FOLDER).glob("*.json")) if path not in read]


def _make_row_key(row: ModelCallRow) -> tuple[str, int]:
    return row["request_key"], row["call_no"]


def _read_note_files(lake: Lake) -> list[tuple[Path, ModelCallRow]]:
    files = []
    for path in sorted((lake.root / CALL_FOLDER).glob("*.json")):
        try:
            row = orjson.loads(path.read_bytes())
            files.append((path, row | {"at": datetime.fromisoformat(row["at"])}))
        except (OSError, ValueError, KeyError, TypeError):  # a run took it in just now, or it is damaged
            continue
    return files
