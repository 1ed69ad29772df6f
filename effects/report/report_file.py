"""`report.html` in the workspace: one page without network, made from the lake and MEMORY.md."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from effects.health.archive_check import find_kept_days
from effects.health.health_checks import check_installation
from effects.index.manifest import IndexMissing, convert_open_errors, find_index_folder, read_answering_manifest
from effects.index.record_store import open_record_store
from effects.store.forgotten import read_remembered
from effects.store.lake import Lake
from effects.store.memory_file import read_memory_bullets
from effects.store.run import Run
from effects.system.disk_errors import advise_on_disk
from effects.system.errors import PageError
from effects.system.files import replace_file
from effects.system.templates import render_template
from transforms.report.proposal_yield import list_confirmed_lines
from transforms.report.summary import REPORT_TABLES, ReportInputs, build_report
from transforms.tables.ids import hash_fields
from transforms.tables.schema import CONFIRMATIONS, read_rows

REPORT_FILE = "report.html"
CONFIRMED_SHOWN = 20
"""Lines of MEMORY.md on the page, those with something that is gone first."""
QUERY = "SELECT part, count(*), count(vectors.number) FROM documents LEFT JOIN vectors USING (number) GROUP BY part ORDER BY part"


def locate_report(run: Run) -> Path:
    """Return the path of the page."""
    return run.settings.workspace / REPORT_FILE


def render_report(run: Run) -> str:
    """Return the page as of the newest run, not of the clock: the same lake gives the same bytes."""
    newest = run.lake.scan("runs").select(pl.col("as_of").max()).collect().item()
    then = Run(run.settings, run.lake, newest or run.as_of)
    checks = sorted(check_installation(then), key=lambda check: ("wrong", "note", "ok").index(check.level))
    report = build_report(_read_inputs(run), then.as_of, run.zone)
    lines = {f"m-{hash_fields(text.strip())}": text for text in read_memory_bullets(run)}
    confirmed = list_confirmed_lines(lines, read_rows(CONFIRMATIONS, run.lake.read("confirmations")))
    return render_template(
        "pages/report.html.j2", report=report, checks=checks, owner=run.settings.owner, confirmed=confirmed, shown=CONFIRMED_SHOWN
    )


def write_report(run: Run) -> Path:
    """Write the page, unless it is already so; return its path.

    Raises:
        PageError: when it cannot be written.
    """
    path, page = locate_report(run), render_report(run).encode()
    try:
        if not path.is_file() or path.read_bytes() != page:
            replace_file(path, page)
    except OSError as error:
        hint = advise_on_disk(error, path) or "set RECOLLECT_WORKSPACE"
        raise PageError(f"{path} cannot be written: {error.strerror or error}", hint) from error
    return path


def _read_inputs(run: Run) -> ReportInputs:
    """Return the remembered rows of the report's tables, and counts of the entries, which are many and long."""
    lake = run.lake
    windows = lake.scan("windows").select("window_id", "status", reason=pl.col("reason").fill_null(""))
    coverage = lake.scan("coverage").join(windows, on="window_id", how="left").group_by("status", "reason")
    is_own_result = (pl.col("role") == "toolResult") & ~pl.col("flags").fill_null([]).list.contains("copied")
    results = lake.scan("entries").filter(is_own_result).group_by("day", "tool_name")
    failed = pl.col("is_error").fill_null(False).sum()
    return ReportInputs(
        frames={name: read_remembered(lake, name) for name in REPORT_TABLES},
        coverage=lake.collect(coverage.agg(entries=pl.len()).sort("status", "reason"), "coverage"),
        tool_results=lake.collect(results.agg(results=pl.len(), failed=failed).sort("day", "tool_name"), "entries"),
        index_parts=count_index_parts(lake),
        claude_keeps_days=find_kept_days(),
    )


def count_index_parts(lake: Lake) -> dict[str, tuple[int, int]] | None:
    """Return the documents and the vectors of each part of the index; None when there is no usable index."""
    try:
        folder = find_index_folder(lake) / read_answering_manifest(lake).generation
        with convert_open_errors(folder):
            rows = open_record_store(folder)
            counts = {part: (documents, vectors) for part, documents, vectors in rows.database.execute(QUERY)}
            rows.close()
    except IndexMissing:
        return None
    return counts
