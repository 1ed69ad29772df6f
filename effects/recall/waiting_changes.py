"""Reads the changes of lines of MEMORY.md that wait for the owner. Questions need them, so polars stays out."""

from __future__ import annotations

from typing import cast

from effects.store.run import Run
from transforms.answers.waiting_changes import WaitingChange, find_waiting_changes
from transforms.tables.rows import ProposalRow

COLUMNS = ["proposal_id", "op", "old_text", "status", "evidence_ids"]


def read_waiting_changes(run: Run) -> dict[str, WaitingChange]:
    """Return the change that waits for each line of MEMORY.md that has one, by the line's text without its date."""
    from pyarrow import parquet

    tables = [parquet.read_table(path, columns=COLUMNS) for path in run.lake.list_files("proposals")]
    rows = [cast("ProposalRow", row) for table in tables for row in table.to_pylist()]
    if not any(row["status"] == "pending" and row["old_text"] for row in rows):
        return {}
    from effects.store.memory_file import read_memory  # jinja and a parser of Markdown: only when a change waits
    from transforms.pages.memory_md import parse_memory

    return find_waiting_changes(rows, parse_memory(read_memory(run)).bullets)
