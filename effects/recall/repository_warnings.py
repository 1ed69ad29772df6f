"""Reads what the ground check found about hits: names that are gone. Questions need it, so polars stays out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

from effects.store.run import Run
from transforms.tables.rows import ConfirmationRow, ProposalRow

FINDINGS = ("gone", "renamed", "unmerged")
COLUMNS = ["proposal_id", "old_text", "status", "pattern", "evidence_ids"]


def read_warnings(run: Run, ids: Collection[str]) -> Mapping[str, str]:
    """Return the warning about each of these facts and lines of MEMORY.md that has one, by id."""
    from pyarrow import parquet

    findings: list[ConfirmationRow] = []
    for path in run.lake.list_files("confirmations"):
        table = parquet.ParquetFile(path).read()
        keys = zip(table["target"].to_pylist(), table["status"].to_pylist(), strict=True)
        places = [place for place, (target, status) in enumerate(keys) if target in ids and status in FINDINGS]
        findings += [cast("ConfirmationRow", row) for row in (table.take(places).to_pylist() if places else ())]
    if not findings:
        return {}
    from transforms.pages.fact_marks import list_findings, word_marks  # a parser of Markdown: only when something is gone

    tables = [parquet.ParquetFile(path).read(columns=COLUMNS) for path in run.lake.list_files("proposals")]
    return word_marks(list_findings(findings, [cast("ProposalRow", row) for table in tables for row in table.to_pylist()]))
