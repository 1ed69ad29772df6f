"""The timeline step: a chapter for each week that ended and each condensed month and year, in `timeline/`, and their index."""

from __future__ import annotations

import re

import polars as pl

from effects.engines.registry import format_owner_name
from effects.pages.message_places import read_places
from effects.pages.new_pages import record_new_pages
from effects.pages.workspace_pages import WorkspacePages
from effects.store.forgotten import read_remembered
from effects.store.run import Counts, Run
from effects.system.templates import render_template
from transforms.tables.schema import PAGES, build_frame, read_rows
from transforms.timeline.chapter import build_chapters

INDEX = "timeline/README.md"
EMPTY = "# {name}\n\nNothing of this {period} is remembered.\n"


def timeline(run: Run, is_refresh: bool = False) -> Counts:
    """Write the chapters of weeks, condensed months and years that changed, and their index; with `is_refresh` only known ones.

    A chapter that a person edited stays, with the new text beside it. One of a time of which everything was forgotten says so.
    """
    frames = {name: read_remembered(run.lake, name) for name in ("segments", "observations", "distillates")}
    stored = {row["path"]: row for row in read_rows(PAGES, run.lake.read("pages"))}
    held = frames["observations"].filter((pl.col("verdict") == "allow") & pl.col("superseded_by").is_null())
    chapters = build_chapters(frames, run.today, format_owner_name(run), read_places(run, held))
    named = {INDEX, *(f"timeline/{chapter.name}.md" for chapter in chapters)}
    if is_refresh:
        chapters = [chapter for chapter in chapters if f"timeline/{chapter.name}.md" in stored]
    with run.lake.commit() as change:
        pages = WorkspacePages(run, change, stored)
        for chapter in chapters:
            text = re.sub(r"\n{3,}", "\n\n", render_template("pages/timeline.md.j2", chapter=chapter)).rstrip() + "\n"
            pages.write_own_page(f"timeline/{chapter.name}.md", text)
        if chapters or INDEX in stored:
            pages.write_own_page(INDEX, render_template("pages/timeline_index.md.j2", chapters=chapters[::-1]))
        for name in sorted(name for name in stored if name.startswith("timeline/") and name not in named):
            title = name.removeprefix("timeline/").removesuffix(".md")
            period = "week" if "W" in title else "month" if "-" in title else "year"
            pages.write_own_page(name, EMPTY.format(name=title, period=period))
        change.replace("pages", build_frame(PAGES, (pages.stored | pages.rows).values()))
    record_new_pages(run, pages.new_texts)
    return {
        "chapters": len(chapters),
        "written": pages.written,
        "kept_as_edited": sorted(pages.kept),
        "kept_as_not_ours": sorted(pages.foreign),
    }
