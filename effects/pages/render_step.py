"""Renders the workspace: daily logs (our blocks in shared files), REVIEW.md and briefings. A person's text is never lost."""

from __future__ import annotations

import polars as pl

from effects.memory.review_page import hide_note_secrets, render_review
from effects.pages.briefing_index import INDEX_FILE
from effects.pages.briefing_pages import BRIEFINGS, render_briefings
from effects.pages.daily_log_pages import DAILY_LOGS, render_daily_logs
from effects.pages.fact_sheet_file import (
    SHEETS_FILE,
    are_sheets_current,
    compute_sheets_key,
    format_fact_sheets,
    format_kept_sheets,
    list_changed_signs,
)
from effects.pages.fact_sheets import find_shown_projects, make_fact_sheets, read_shown_signs
from effects.pages.new_pages import record_new_pages, remove_superseded
from effects.pages.workspace_pages import WorkspacePages
from effects.store.content_key import compute_basis, compute_search_key, find_settled, hash_files, settle, write_part_keys
from effects.store.forgotten import read_remembered
from effects.store.memory_file import locate_memory, read_memory, render_empty_memory
from effects.store.redo_log import NIGHT, RefusedPageError, build_page_error
from effects.store.run import Counts, Run
from transforms.tables.ids import hash_text
from transforms.tables.schema import PAGES, TABLES, build_frame, read_rows


def render(run: Run) -> Counts:
    """Bring every page up to date, store its text, and return counts; a page that would not change is not touched.

    Raises:
        RefusedPageError: when a page cannot be written; all others are, and what was decided or remembered is kept.
    """
    key = _compute_key(run)
    if (settled := find_settled(run, "render", key)) is not None:
        return settled
    try:
        counts = _render_pages(run)
    except RefusedPageError as error:  # any night writes it: a decision that came with this run is kept
        raise build_page_error(error.path, error.error, NIGHT, error.others) from error
    if counts["written"] == counts["superseded_removed"] == 0 and _compute_key(run) == key:
        settle(run, "render", key, counts)
    return counts


def _compute_key(run: Run) -> str:
    """Return the key of all that pages are made of: tables, files on disk, and the day where a page names one of its own."""
    workspace, stored = run.settings.workspace, run.lake.scan("pages").select("path").collect()["path"].to_list()
    folders = ("memory", "memory/archive", "briefing")
    names = {"MEMORY.md", "REVIEW.md", *stored}
    names |= {f"{name}.new" for name in names}
    names |= {f"{folder}/{path.name}" for folder in folders for path in (workspace / folder).glob("*.*")}
    places = [*(workspace / name for name in sorted(names)), run.lake.root / INDEX_FILE, run.lake.root / SHEETS_FILE]
    is_unshown = (pl.col("status") == "pending") & pl.col("first_shown_at").is_null()
    day = "" if run.lake.scan("proposals").filter(is_unshown).collect().is_empty() else run.today.isoformat()
    return compute_search_key(run, sorted(TABLES.keys() - {"runs"}), hash_files(places), day)


def _render_pages(run: Run) -> Counts:
    names = ("windows", "sessions", "segments", "observations", "proposals", "proposal_events")
    frames = {name: read_remembered(run.lake, name) for name in names}
    stored = {row["path"]: row for row in read_rows(PAGES, run.lake.read("pages"))}
    if not locate_memory(run).exists():
        with run.lake.commit() as change:  # before the briefings, whose key holds its text
            change.write_page(locate_memory(run), render_empty_memory(run).encode())
    with run.lake.commit() as change:
        pages = WorkspacePages(run, change, stored)
        log_keys = render_daily_logs(pages, frames)
        text, render_id = render_review(run, frames)
        pages.write_own_page("REVIEW.md", text, render_id, hide_note_secrets(text))
        briefing_keys = render_briefings(pages, frames)
        _write_fact_sheets(pages, frames)
        rows = pages.stored | pages.rows
        change.replace("pages", build_frame(PAGES, rows.values()))
    write_part_keys(run, DAILY_LOGS, log_keys)
    write_part_keys(run, BRIEFINGS, briefing_keys)
    record_new_pages(run, pages.new_texts)
    _raise_refused(pages)
    return {
        "pages": len(pages.rows),
        "written": pages.written,
        "kept_as_edited": sorted(pages.kept),
        "kept_as_not_ours": sorted(pages.foreign),
        "superseded_removed": remove_superseded(run, {name: row["text_hash"] for name, row in rows.items()}),
    }


def _raise_refused(pages: WorkspacePages) -> None:
    """Name a page that could not be written, and how many others there are."""
    if pages.refused:
        first, *others = (pages.refused[name] for name in sorted(pages.refused))
        raise build_page_error(first.path, first.error, others=[other.path for other in others])


def _write_fact_sheets(pages: WorkspacePages, frames: dict[str, pl.DataFrame]) -> None:
    run, memory = pages.run, hash_text(read_memory(pages.run))
    if are_sheets_current(run, memory):  # making them reads every fact
        return
    observations, ended = frames["observations"], pages.list_ended(frames)
    key, shown = compute_sheets_key(run), read_shown_signs(run, observations, ended, pages.read_parts())
    changed = list_changed_signs(run, shown)
    if changed == []:
        pages.write_lake_file(SHEETS_FILE, format_kept_sheets(run, key, memory))
        return
    due = None if changed is None else find_shown_projects(observations, changed)
    projects = frames["sessions"]["project"].drop_nulls().unique().to_list()
    sheets = make_fact_sheets(run, observations, projects, ended, due)
    pages.write_lake_file(SHEETS_FILE, format_fact_sheets(key, sheets, memory, compute_basis(run), shown))
