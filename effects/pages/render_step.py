"""Renders the workspace: daily logs (our blocks in shared files), REVIEW.md and briefings. A person's text is never lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeVar

import polars as pl

from effects.judging.told_relations import read_outdated_reports
from effects.memory.review_page import hide_note_secrets, render_review
from effects.pages.briefing_index import INDEX_FILE, SHORT_TOKENS, BriefingIndex, format_briefing_index, read_briefing_index
from effects.pages.daily_archive import ARCHIVED, LIVE, name_daily_log, parse_daily_log
from effects.pages.fact_sheet_file import SHEETS_FILE, are_sheets_current, compute_sheets_key, format_fact_sheets
from effects.pages.fact_sheets import make_fact_sheets
from effects.pages.log_keys import compute_log_key, hash_log_windows
from effects.pages.page_facts import drop_ended_facts, list_ended_facts, list_refused_facts, read_marks, read_refusals
from effects.store.commit import Commit
from effects.store.content_key import (
    compute_basis,
    compute_search_key,
    find_settled,
    hash_files,
    read_part_keys,
    settle,
    write_part_keys,
)
from effects.store.forgotten import read_remembered
from effects.store.memory_file import locate_memory, read_memory, render_empty_memory
from effects.store.run import Counts, Run
from effects.system.templates import render_template
from effects.tasks.task_step import read_tasks
from transforms.answers.waiting_changes import find_waiting_changes
from transforms.attribution.typed_language import ENOUGH_OF_ONE_CONVERSATION, measure_quotations
from transforms.briefing.brief import LIMITS, NO_LIMITS, STATED, Briefing, FactSigns, Limits
from transforms.briefing.build_briefing import build_briefing
from transforms.briefing.fit_briefing import fit_to_budget
from transforms.memory.line_evidence import (
    find_closed_work,
    find_line_projects,
    find_stated_facts,
    is_closed_work,
    rank_line_evidence,
)
from transforms.memory.proposal_outcomes import DayOutcomes, group_outcomes_by_day
from transforms.pages.daily_log import (
    LogWindow,
    SkippedWindow,
    build_log_windows,
    build_skipped_windows,
    drop_passed_steps,
    drop_repeated_titles,
    summarise_day,
)
from transforms.pages.marked_blocks import MergedPage, find_blocks, format_block, merge_blocks
from transforms.pages.memory_md import parse_memory
from transforms.pages.page_names import name_project_pages
from transforms.tables.ids import hash_text
from transforms.tables.rows import PageRow
from transforms.tables.schema import PAGES, PROPOSALS, TABLES, build_frame, read_rows
from transforms.tables.tokens import BRIEFING_TOKENS, count_tokens
from transforms.tasks.find_tasks import describe_open_tasks, select_project

JUDGED_ROWS = 60
"""Newest facts of a project by whose quotations its language is judged."""
DAYS_AT_ONCE = 30
"""Days whose logs are made of one reading of the columns."""
LoggedWindow = TypeVar("LoggedWindow", LogWindow, SkippedWindow)
DAILY_LOGS = "daily_logs"
BRIEFINGS, EMPTY_BRIEFING = "briefings", "Nothing of this project is remembered.\n"
BRIEFING_FOLDER = "briefing/"


@dataclass
class WorkspacePages:
    """The pages of one rendering: the files on disk, the rows of the last rendering, and the changes."""

    run: Run
    change: Commit
    stored: dict[str, PageRow]
    rows: dict[str, PageRow] = field(default_factory=dict)
    written: int = 0
    kept: list[str] = field(default_factory=list)

    ended: list[str] | None = None

    def list_ended(self, frames: Mapping[str, pl.DataFrame]) -> list[str]:
        """Return the ids of the facts that have ended: briefings and sheets leave them out, and finding them reads every text."""
        if self.ended is None:
            self.ended = list_ended_facts(self.run, frames["observations"])
        return self.ended

    def read_page(self, name: str) -> str | None:
        """Return the page on disk, byte for byte, or None."""
        path = self.run.settings.workspace / name
        return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else None

    def read_base(self, name: str) -> str:
        """Return the text of the last rendering."""
        return self.stored[name]["text"] or "" if name in self.stored else ""

    def follow_move(self, name: str, day: date) -> None:
        """Apply the record of a daily log to its new place after it moved to or from the archive."""
        for former in {LIVE.format(day), ARCHIVED.format(day)} - {name}:
            if (row := self.stored.pop(former, None)) is not None and name not in self.stored:
                self.stored[name] = {**row, "path": name}

    def write_page(self, name: str, text: str, rendered: str, render_id: str | None = None) -> None:
        """Write `text`; `rendered` is stored as our part of it, the base of the next merge."""
        if text != self.read_page(name):
            self.change.write_page(self.run.settings.workspace / name, text.encode("utf-8", "surrogateescape"))
            self.written += 1
        old = self.stored.get(name)
        rendered_at = old["at"] if old else self.run.as_of
        row: PageRow = {
            "path": name,
            "render_id": render_id,
            "text_hash": hash_text(text),
            "text": rendered,
            "at": rendered_at,
        }
        self.rows[name] = row if row == old else {**row, "at": self.run.as_of}

    def write_own_page(self, name: str, text: str, render_id: str | None = None, rendered: str = "") -> None:
        """Write a page that is ours alone. If a person changed it, the page stays and the new text is written to `NAME.new`.

        `rendered` is stored in place of a text that holds words of its owner.
        """
        present, old = self.read_page(name), self.stored.get(name)
        if present and present.strip() and present != text and (old is None or hash_text(present) != old["text_hash"]):
            self.kept.append(name)
            self.rows |= {name: old} if old else {}
            if self.read_page(name + ".new") != text:
                self.change.write_page(self.run.settings.workspace / (name + ".new"), text.encode())
            return
        self.write_page(name, text, rendered or text, render_id)


def render(run: Run) -> Counts:
    """Bring every page up to date, store its text, and return counts; a page that would not change is not touched."""
    key = _compute_key(run)
    if (settled := find_settled(run, "render", key)) is not None:
        return settled
    counts = _render_pages(run)
    if counts["written"] == 0 and _compute_key(run) == key:
        settle(run, "render", key, counts)
    return counts


def _compute_key(run: Run) -> str:
    """Return the key of all that pages are made of: tables, files on disk, and the day where a page names one of its own."""
    workspace, stored = run.settings.workspace, run.lake.scan("pages").select("path").collect()["path"].to_list()
    folders = ("memory", "memory/archive", "briefing")
    names = {"MEMORY.md", "REVIEW.md", *stored, *(name + ".new" for name in stored)}
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
        log_keys = _render_daily_logs(pages, frames)
        text, render_id = render_review(run, frames)
        pages.write_own_page("REVIEW.md", text, render_id, hide_note_secrets(text))
        briefing_keys = _render_briefings(pages, frames)
        _write_fact_sheets(pages, frames)
        rows = pages.stored | pages.rows
        change.replace("pages", build_frame(PAGES, rows.values()))
    write_part_keys(run, DAILY_LOGS, log_keys)
    write_part_keys(run, BRIEFINGS, briefing_keys)
    return {"pages": len(pages.rows), "written": pages.written, "kept_as_edited": sorted(pages.kept)}


def _render_daily_logs(pages: WorkspacePages, frames: dict[str, pl.DataFrame]) -> dict[str, str]:
    """Render the logs that something changed, and return the keys of those that would stay as they are, by name."""
    outcomes = group_outcomes_by_day(frames["proposals"], frames["proposal_events"], pages.run.zone)
    earlier = {day for name in pages.stored if (day := parse_daily_log(name))}
    windows, zone = drop_passed_steps(frames["windows"]), pages.run.zone
    others = frames["sessions"], frames["segments"], frames["observations"]
    skipped = _group_by_day(build_skipped_windows(windows, frames["sessions"], zone))
    distilled = set(windows.filter(pl.col("status") == "distilled")["day"])
    marks, outdated = read_marks(pages.run), read_outdated_reports(pages.run)
    hashes, known = hash_log_windows(windows, *others, marks, outdated), read_part_keys(pages.run, DAILY_LOGS)
    keys, due = dict[str, str](), list[tuple[date, str]]()
    for day in sorted({*distilled, *skipped, *outcomes, *earlier}):
        name = name_daily_log(pages.run, day)
        pages.follow_move(name, day)
        key = compute_log_key(hashes.get(day, ""), outcomes.get(day), pages.read_page(name), pages.read_base(name))
        if known.get(name) == key and name in pages.stored:
            keys[name], pages.rows[name] = key, pages.stored[name]
        else:
            due.append((day, name))
    log_windows: dict[date, list[LogWindow]] = {}
    for place, (day, name) in enumerate(due):
        if place % DAYS_AT_ONCE == 0:  # the facts of a history as objects take ten times the memory of its columns
            shown = windows.filter(pl.col("day").is_in([other for other, _ in due[place : place + DAYS_AT_ONCE]]))
            log_windows = _group_by_day(build_log_windows(shown, *others, zone, marks, outdated))
        own_blocks = _build_day_blocks(day, log_windows.get(day, ()), skipped.get(day, ()), outcomes.get(day))
        present = pages.read_page(name)
        if not own_blocks and present is None:
            continue
        base_blocks = find_blocks(pages.read_base(name)) if present is not None else {}
        merged = merge_blocks(present if present is not None else f"# {day}\n\n", own_blocks, base_blocks)
        pages.kept += [f"{name} ({block_id})" for block_id in merged.kept]
        rendered = "\n".join(own_blocks.values())
        pages.write_page(name, merged.text, rendered)
        if merge_blocks(merged.text, own_blocks, find_blocks(rendered)) == MergedPage(merged.text, ()):
            keys[name] = compute_log_key(hashes.get(day, ""), outcomes.get(day), merged.text, rendered)
    return keys


def _group_by_day(log_windows: Iterable[LoggedWindow]) -> dict[date, list[LoggedWindow]]:
    """Return the windows of each day in their order."""
    windows_by_day: dict[date, list[LoggedWindow]] = {}
    for log_window in log_windows:
        windows_by_day.setdefault(log_window.day, []).append(log_window)
    return windows_by_day


def _build_day_blocks(
    day: date, log_windows: Sequence[LogWindow], skipped: Sequence[SkippedWindow], outcomes: DayOutcomes | None
) -> dict[str, str]:
    blocks = {}
    if len(log_windows) > 1:  # a single block says it itself
        blocks[f"summary {day}"] = render_template("pages/daily_summary.md.j2", summary=summarise_day(log_windows))
    for window in drop_repeated_titles(log_windows):
        blocks[f"window {window.window_id}"] = render_template("pages/daily_window.md.j2", window=window)
    if skipped:
        blocks[f"skipped {day}"] = render_template("pages/daily_skipped.md.j2", skipped=skipped)
    if outcomes and outcomes.proposed:
        values = {"summary": outcomes.summary, "proposals": outcomes.proposed}
        blocks[f"reflected {day}"] = render_template("pages/daily_reflected.md.j2", **values)
    if outcomes and outcomes.ended:
        blocks[f"reviewed {day}"] = render_template("pages/daily_reviewed.md.j2", outcomes=outcomes.ended)
    return {block_id: format_block(block_id, body) for block_id, body in blocks.items()}


def _render_briefings(pages: WorkspacePages, frames: dict[str, pl.DataFrame]) -> dict[str, str]:
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
    _write_lake_file(pages, INDEX_FILE, format_briefing_index(run, folders | known, names, hashes, short, windows))
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
    hashes, short, marks = dict[str, str](), dict[str, str](), read_marks(pages.run)
    for project, name in names.items():
        whole = make_briefing(pages.run, frames, project, marks, LIMITS, pages.list_ended(frames))
        text = render_within_budget(whole, BRIEFING_TOKENS)
        pages.write_own_page(name, text)
        hashes[name] = hash_text(text)
        if count_tokens(text) > SHORT_TOKENS:
            short[project] = render_within_budget(whole, SHORT_TOKENS)
    return hashes, short


def _write_fact_sheets(pages: WorkspacePages, frames: dict[str, pl.DataFrame]) -> None:
    memory = hash_text(read_memory(pages.run))
    if not are_sheets_current(pages.run, memory):  # making them reads every fact
        projects = frames["sessions"]["project"].drop_nulls().unique()
        sheets = make_fact_sheets(pages.run, frames["observations"], projects, pages.list_ended(frames))
        key, basis = compute_sheets_key(pages.run), compute_basis(pages.run)
        _write_lake_file(pages, SHEETS_FILE, format_fact_sheets(key, sheets, memory, basis))


def _write_lake_file(pages: WorkspacePages, name: str, data: bytes) -> None:
    path = pages.run.lake.root / name
    if not path.is_file() or path.read_bytes() != data:
        pages.change.write_page(path, data)


def is_project_unread(observations: pl.DataFrame, project: str) -> bool:
    """Whether the newest facts that quote the owner are of a language that no rule reads: those of a project, or, when it has
    few words, those of all."""
    quoting = observations.filter(pl.col("origin") == "owner").sort("said_at", "observation_id", descending=True)
    own = quoting.filter(pl.col("project") == project)
    typed = measure_quotations(own["text"].head(JUDGED_ROWS))
    if typed.words >= ENOUGH_OF_ONE_CONVERSATION:
        return typed.is_unread
    return not typed.english and measure_quotations(quoting["text"].head(JUDGED_ROWS)).is_other


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


def render_briefing(run: Run, frames: dict[str, pl.DataFrame], project: str, budget: int | None) -> str:
    """Return the page of a project's briefing within `budget` tokens (at least its headings); without one all of it."""
    limits = NO_LIMITS if budget is None else LIMITS.widen(max(1, -(-budget // BRIEFING_TOKENS)))
    return render_within_budget(make_briefing(run, frames, project, limits=limits), budget)


def render_within_budget(whole: Briefing, budget: int | None) -> str:
    """Return the page of a briefing within `budget` tokens (at least its headings); without one all of it."""

    def as_page(brief: Briefing) -> str:
        """Return the Markdown of a briefing, which the budget measures."""
        return render_template("pages/briefing.md.j2", brief=brief)

    return as_page(whole) if budget is None else fit_to_budget(whole, as_page, count_tokens, budget)


def make_briefing(
    run: Run,
    frames: dict[str, pl.DataFrame],
    project: str,
    marks: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
    ended: Collection[str] | None = None,
) -> Briefing:
    """Return all that the briefing of a project could show within `limits`; `marks` are those of `read_marks`, `ended` the ids of
    `list_ended_facts`, where they are known."""
    shown_times = frames["proposals"].filter(pl.col("status") == "pending")["first_shown_at"].drop_nulls().to_list()
    expires_on = None
    if shown_times:
        expires_on = (min(shown_times) + timedelta(days=run.settings.review.expire_days)).astimezone(run.zone).date()
    own_tasks = select_project(read_tasks(run).values(), project)
    closed = {task["title"]: task["closed_at"] for task in own_tasks.values() if task["closed_at"] is not None}
    page = parse_memory(read_memory(run))
    bullets = [bullet.text for bullet in page.bullets if bullet.text]
    changes = find_waiting_changes(read_rows(PROPOSALS, frames["proposals"]), page.bullets)
    line_marks = {text: change.describe() for text, change in changes.items()}
    ranks = rank_line_evidence(frames["proposals"], frames["observations"], bullets)
    homes = find_line_projects(frames["proposals"], frames["observations"], frames["sessions"], bullets)
    if ended is None:
        own = drop_ended_facts(run, frames["observations"], project)
    else:
        is_holding = (pl.col("project") == project) & ~pl.col("observation_id").is_in(list(ended))
        own = frames["observations"].filter(is_holding)
    refused = own.filter(pl.col("observation_id").is_in(list_refused_facts(own, read_refusals(run, own))))
    ranks |= dict.fromkeys([*find_stated_facts(own, bullets), *find_closed_work(own, closed)], STATED)
    frames = frames | {"observations": own.join(refused, on="observation_id", how="anti", maintain_order="left")}
    frames |= {"windows": _blank_closed_work(frames["windows"], closed)} if closed else {}
    is_unread = is_project_unread(frames["observations"], project)
    marks = read_marks(run) if marks is None else marks
    signs = FactSigns(marks, ranks, is_unread, homes, line_marks, tuple(refused["text"]), limits)
    return build_briefing(project, frames, bullets, expires_on, run.zone, describe_open_tasks(own_tasks), signs)


def _blank_closed_work(windows: pl.DataFrame, closed: Mapping[str, datetime]) -> pl.DataFrame:
    """Return the windows without current tasks and next steps of which a task was closed since."""
    names = ("current_task", "suggested_response")
    kept = [
        [text if text and not is_closed_work(text, ended_at, closed) else None for text in texts]
        for ended_at, *texts in windows.select("ended_at", *names).iter_rows()
    ]
    return windows.with_columns(pl.Series(name, [row[at] for row in kept], pl.String) for at, name in enumerate(names))
