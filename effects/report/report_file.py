"""`report.html` in the workspace: one page without network, made from the lake alone."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from effects.health.health_checks import check_installation
from effects.store.run import Run
from effects.system.errors import PageError
from effects.system.files import replace_file
from effects.system.templates import render_template
from transforms.report.summary import REPORT_TABLES, build_report

REPORT_FILE = "report.html"


def locate_report(run: Run) -> Path:
    """Return the path of the page."""
    return run.settings.workspace / REPORT_FILE


def render_report(run: Run) -> str:
    """Return the page as of the newest run, whatever the clock says: the same lake gives the same bytes."""
    newest = run.lake.scan("runs").select(pl.col("as_of").max()).collect().item()
    then = Run(run.settings, run.lake, newest or run.as_of)
    frames = {name: _read_columns(run, name) for name in REPORT_TABLES}
    report = build_report(frames, then.as_of, run.zone)
    return render_template("pages/report.html.j2", report=report, checks=check_installation(then), owner=run.settings.owner)


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
        raise PageError(f"{path} cannot be written: {error.strerror or error}", "set RECOLLECT_WORKSPACE") from error
    return path


def _read_columns(run: Run, table: str) -> pl.DataFrame:
    """Return a table; of entries, which are many and long, only the key."""
    return run.lake.scan(table).select("session_id", "ordinal").collect() if table == "entries" else run.lake.read(table)
