"""Finds facts about the first request of a session; an amended fact comes with the fact that it replaced."""

from __future__ import annotations

from pathlib import Path

from effects.pages.briefing_index import read_briefing_index
from effects.pages.fact_sheet_file import read_fact_sheet
from effects.store.run import Run
from transforms.opening.fact_sheet import FactSheet, format_request_page
from transforms.pages.opening_block import wrap_opening


def render_recalled_facts(run: Run, project: str, request: str, max_tokens: int) -> str:
    """Return the facts of a project about a request as Markdown within `max_tokens`, the best first; empty without facts.

    They come from the sheet of the last rendering while it is current, else from the tables.
    """
    if not request.strip():
        return ""
    return format_request_page(read_fact_sheet(run, project) or _make_sheet(run, project), request, max_tokens)


def read_current_facts(run: Run, folder: Path, request: str, max_tokens: int) -> str | None:
    """Return the text of `render_request_recall` for the project of a folder, without reading a table.

    None when the sheets are stale.
    """
    sheet = read_fact_sheet(run, read_briefing_index(run.lake.root).find_project(str(folder)))
    return None if sheet is None else _wrap(format_request_page(sheet, request, max_tokens))


def render_request_recall(run: Run, project: str, request: str, max_tokens: int) -> str:
    """Return only the facts about the first request, for a client that has the briefing already; empty when there are none."""
    return _wrap(render_recalled_facts(run, project, request, max_tokens))


def _wrap(page: str) -> str:
    return wrap_opening([page]) if page else ""


def _make_sheet(run: Run, project: str) -> FactSheet:
    from effects.pages.fact_sheets import make_fact_sheets
    from effects.store.forgotten import read_remembered

    return make_fact_sheets(run, read_remembered(run.lake, "observations"), [project])[project]
