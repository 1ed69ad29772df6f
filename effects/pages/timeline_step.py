"""The timeline step: a chapter for each week that ended, `timeline/YYYY-Www.md`."""

from __future__ import annotations

import re

from effects.pages.render_step import WorkspacePages
from effects.store.forgotten import read_remembered
from effects.store.run import Counts, Run
from effects.system.templates import render_template
from transforms.tables.schema import PAGES, build_frame, read_rows
from transforms.timeline.chapter import build_chapters

EMPTY = "# {week}\n\nNothing of this week is remembered.\n"


def timeline(run: Run, is_refresh: bool = False) -> Counts:
    """Write the chapters of all weeks that ended and changed; with `is_refresh` only those that were written before.

    A chapter that a person edited stays, with the new text beside it. One of a week of which everything was forgotten says so.
    """
    frames = {name: read_remembered(run.lake, name) for name in ("segments", "observations")}
    stored = {row["path"]: row for row in read_rows(PAGES, run.lake.read("pages"))}
    chapters = build_chapters(frames, run.today)
    with run.lake.commit() as change:
        pages = WorkspacePages(run, change, stored)
        for chapter in chapters:
            if is_refresh and f"timeline/{chapter.name}.md" not in stored:
                continue
            text = re.sub(r"\n{3,}", "\n\n", render_template("pages/timeline.md.j2", chapter=chapter)).rstrip() + "\n"
            pages.write_own_page(f"timeline/{chapter.name}.md", text)
        named = {f"timeline/{chapter.name}.md" for chapter in chapters}
        for name in sorted(name for name in stored if name.startswith("timeline/") and name not in named):
            pages.write_own_page(name, EMPTY.format(week=name.removeprefix("timeline/").removesuffix(".md")))
        change.replace("pages", build_frame(PAGES, (pages.stored | pages.rows).values()))
    return {"chapters": len(chapters), "written": pages.written, "kept_as_edited": sorted(pages.kept)}
