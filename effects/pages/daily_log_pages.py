"""Renders daily logs: our blocks in files that a person writes, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeVar

import polars as pl

from effects.judging.told_relations import read_outdated_reports
from effects.pages.daily_archive import name_daily_log, parse_daily_log
from effects.pages.log_keys import compute_log_key, hash_log_windows
from effects.pages.message_places import find_repeated_facts, read_places, read_topic_times
from effects.pages.page_facts import read_marks
from effects.pages.workspace_pages import WorkspacePages
from effects.store.content_key import read_part_keys
from effects.store.run import Run
from effects.system.templates import render_template
from transforms.memory.proposal_outcomes import DayOutcomes, group_outcomes_by_day
from transforms.pages.daily_log import (
    LogSigns,
    LogWindow,
    SkippedWindow,
    build_log_windows,
    build_skipped_windows,
    drop_passed_steps,
    drop_repeated_titles,
)
from transforms.pages.marked_blocks import MergedPage, find_blocks, format_block, list_base_blocks, merge_blocks
from transforms.tables.enums import APART_KINDS
from transforms.timeline.day_summary import summarise_day

DAYS_AT_ONCE = 30
"""Days whose logs are made of one reading of the columns."""
LoggedWindow = TypeVar("LoggedWindow", LogWindow, SkippedWindow)
DAILY_LOGS = "daily_logs"


def render_daily_logs(pages: WorkspacePages, frames: dict[str, pl.DataFrame]) -> dict[str, str]:
    """Render the logs that something changed, and return the keys of those that would stay as they are, by name."""
    outcomes = group_outcomes_by_day(frames["proposals"], frames["proposal_events"], pages.run.zone)
    earlier = {day for name in pages.stored if (day := parse_daily_log(name))}
    windows, zone = drop_passed_steps(frames["windows"]), pages.run.zone
    logged = frames["observations"].filter(~pl.col("kind").is_in(sorted(APART_KINDS)))
    others = frames["sessions"], frames["segments"], logged
    skipped = _group_by_day(build_skipped_windows(windows, frames["sessions"], zone))
    distilled = set(windows.filter(pl.col("status") == "distilled")["day"])
    marks, outdated = read_marks(pages.run, pages.read_parts()), read_outdated_reports(pages.run)
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
            signs = _read_order(pages.run, shown, frames["segments"], logged, LogSigns(marks, outdated))
            log_windows = _group_by_day(build_log_windows(shown, *others, zone, signs))
        own_blocks = _build_day_blocks(day, log_windows.get(day, ()), skipped.get(day, ()), outcomes.get(day))
        present = pages.read_page(name)
        if not own_blocks and present is None:
            continue
        base_blocks = find_blocks(pages.read_base(name)) if present is not None else {}
        merged = merge_blocks(present if present is not None else f"# {day}\n\n", own_blocks, base_blocks)
        pages.kept += [f"{name} ({block_id})" for block_id in merged.kept]
        rendered = "\n".join(list_base_blocks(present or "", own_blocks, base_blocks).values())
        pages.write_page(name, merged.text, rendered)
        if merge_blocks(merged.text, own_blocks, find_blocks(rendered)) == MergedPage(merged.text, ()):
            keys[name] = compute_log_key(hashes.get(day, ""), outcomes.get(day), merged.text, rendered)
    return keys


def _read_order(run: Run, windows: pl.DataFrame, segments: pl.DataFrame, observations: pl.DataFrame, signs: LogSigns) -> LogSigns:
    """Return the signs with what the messages of some windows tell of the order of their facts and topics."""
    topics = segments.join(windows, on="window_id", how="semi")
    allowed = observations.filter(pl.col("verdict") == "allow").join(topics, on="segment_id", how="semi")
    unmarked = allowed.filter(~pl.col("observation_id").is_in([*signs.marks]))
    order = replace(signs, places=read_places(run, allowed), topic_times=read_topic_times(run, topics))
    return replace(order, repeated=find_repeated_facts(unmarked))


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
