"""Renders the page of each project's briefing, and the index by which an opening finds it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl

from effects.pages.briefing_index import INDEX_FILE, SHORT_TOKENS, BriefingIndex, format_briefing_index, read_briefing_index
from effects.pages.kept_groups import open_kept_groups
from effects.pages.project_briefing import make_briefing, read_briefing_sources, render_within_budget
from effects.pages.workspace_pages import WorkspacePages
from effects.store.content_key import compute_search_key, read_part_keys
from effects.store.memory_file import read_memory
from transforms.briefing.brief import LIMITS
from transforms.pages.page_names import name_project_pages
from transforms.tables.ids import hash_text
from transforms.tables.schema import TABLES
from transforms.tables.tokens import BRIEFING_TOKENS, count_tokens

BRIEFINGS, EMPTY_BRIEFING = "briefings", "Nothing of this project is remembered.\n"
BRIEFING_FOLDER = "briefing/"


def render_briefings(pages: WorkspacePages, frames: dict[str, pl.DataFrame]) -> dict[str, str]:
    """Render the briefings, unless all are as they were rendered from what is there now; return what tells that, by name."""
    run, names, former = pages.run, name_briefings(frames), read_briefing_index(pages.run.lake.root)
    key = compute_search_key(run, sorted(TABLES.keys() - {"runs", "pages"}), hash_text(read_memory(run)))
    is_same = bool(key) and read_part_keys(run, BRIEFINGS) == _note_briefings(names, key, former.short)
    if is_same and _are_briefings_whole(pages, names, former):
        hashes, short = former.hashes, former.short
        pages.rows |= {name: pages.stored[name] for name in names.values()}
    else:
        hashes, short = _make_briefings(pages, frames, names)
    for name in sorted(name for name in pages.stored if name.startswith(BRIEFING_FOLDER) and name not in hashes):
        pages.write_own_page(name, EMPTY_BRIEFING)  # all of its sessions were forgotten, or moved to another project
    folders = dict(run.lake.scan("projects").select("folder", "project").collect().iter_rows())
    known = {project: project for project in frames["sessions"]["project"].drop_nulls()}
    windows = list_latest_windows(frames["windows"], frames["sessions"], run.today)
    pages.write_lake_file(INDEX_FILE, format_briefing_index(run, folders | known, names, hashes, short, windows))
    return _note_briefings(names, key, short) if key else {}


def _note_briefings(names: Mapping[str, str], key: str, short: Mapping[str, str]) -> dict[str, str]:
    """Return the key of all that briefings are made of, by page, and a hash of the short forms, which the index alone has."""
    return dict.fromkeys(names.values(), key) | {INDEX_FILE: hash_text(repr(sorted(short.items())))}


def _are_briefings_whole(pages: WorkspacePages, names: Mapping[str, str], former: BriefingIndex) -> bool:
    """Return whether every page is on disk as it was rendered, and the index has them and no others."""
    texts = {name: pages.read_page(name) for name in names.values()}
    hashes = {name: hash_text(text) for name, text in texts.items() if text is not None}
    stored = {name: pages.stored[name]["text_hash"] for name in hashes if name in pages.stored}
    return former.pages == dict(names) and former.hashes == hashes == stored


def _make_briefings(
    pages: WorkspacePages, frames: dict[str, pl.DataFrame], names: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Render the briefing of each project; return the hashes of the pages by name, and the short forms by project."""
    hashes, short = dict[str, str](), dict[str, str]()
    ended = pages.list_ended(frames)
    kept = open_kept_groups(pages.run, names, frames["observations"], ended)
    sources = read_briefing_sources(pages.run, frames, ended, kept, pages.read_parts())
    for project, name in names.items():
        whole = make_briefing(pages.run, frames, project, LIMITS, sources)
        text = render_within_budget(whole, BRIEFING_TOKENS)
        pages.write_own_page(name, text)
        hashes[name] = hash_text(text)
        if count_tokens(text) > SHORT_TOKENS:
            short[project] = render_within_budget(whole, SHORT_TOKENS)
    if kept:
        kept.save()
    return hashes, short


def list_latest_windows(windows: pl.DataFrame, sessions: pl.DataFrame, today: date) -> dict[str, list[str]]:
    """Return the ids of the windows of each project since the day before `today`, which may have blocks in today's log."""
    latest = windows.filter(pl.col("day") >= today - timedelta(days=1)).join(
        sessions.select("session_id", "project"), "session_id"
    )
    by_project = latest.drop_nulls("project").group_by("project").agg(pl.col("window_id").sort())
    return dict(by_project.iter_rows())


def name_briefings(frames: dict[str, pl.DataFrame]) -> dict[str, str]:
    """Return the path in the workspace of each project's briefing: of the projects with distilled windows."""
    distilled = frames["windows"].filter(pl.col("status") == "distilled")
    projects = frames["sessions"].join(distilled, on="session_id", how="semi")["project"].drop_nulls().to_list()
    return {project: f"{BRIEFING_FOLDER}{name}.md" for project, name in name_project_pages(projects).items()}
