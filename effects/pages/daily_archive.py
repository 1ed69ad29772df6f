"""The archive of daily logs: pages that are old and reflected on move to `memory/archive/`, and back when the setting changes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import orjson
import polars as pl

from effects.store.run import Counts, Run
from effects.system.disk_errors import advise_on_disk
from effects.system.errors import PageError
from effects.system.files import encode_page, read_page, replace_file
from transforms.pages.relative_links import find_linked_pages, keep_linked_pages, move_links
from transforms.patterns.late_pattern import compile_late

LIVE, ARCHIVED = "memory/{}.md", "memory/archive/{}.md"
_DAILY_LOG_PATH = compile_late(r"memory/(?:archive/)?(\d{4}-\d{2}-\d{2})\.md")


def name_daily_log(run: Run, day: date) -> str:
    """Return the path of a day's page in the workspace, also when it is in the archive."""
    live, archived = LIVE.format(day), ARCHIVED.format(day)
    return archived if (run.settings.workspace / archived).exists() else live


def parse_daily_log(name: str) -> date | None:
    """Return the day of a page by its path in the workspace; None when it is not a daily log."""
    match = _DAILY_LOG_PATH.fullmatch(name)
    return date.fromisoformat(match[1]) if match else None


def archive(run: Run) -> Counts:
    """Move the pages of old days to the archive, and those that are no longer old back; return counts.

    A page moves when it is older than the setting, every window of its day was reflected on, and no page that stays links to it.
    Relative links in moved pages are changed so that they lead to the same pages; every other byte stays. A page that is in both
    places stays where it is.

    Raises:
        PageError: when a page cannot be moved.
    """
    days = _list_pages(run)
    old = _find_old_days(run, days)
    wanted = {name: (ARCHIVED if day in old else LIVE).format(day) for name, day in days.items()}
    moves = {name: new for name, new in wanted.items() if name != new}
    moves = {name: new for name, new in moves.items() if _is_free(run.settings.workspace, name, new, moves)}
    if moves:
        links = {name: find_linked_pages(read_page(run.settings.workspace / name), name) for name in _list_linking_pages(run)}
        moves = keep_linked_pages(moves, links)
    for name in [*moves, *(name for name in days if name not in moves)] if moves else ():
        _move(run.settings.workspace, name, moves.get(name, name), moves)
    archived = sum(new.startswith("memory/archive/") for new in moves.values())
    return {"archived": archived, "returned": len(moves) - archived}


def _list_pages(run: Run) -> dict[str, date]:
    """Return the daily logs by path in the workspace; a linked file is somebody's arrangement and stays out of it."""
    folder = run.settings.workspace / "memory"
    paths = [path for path in (*folder.glob("*.md"), *folder.glob("archive/*.md")) if path.is_file() and not path.is_symlink()]
    names = sorted(path.relative_to(run.settings.workspace).as_posix() for path in paths)
    return {name: day for name in names if (day := parse_daily_log(name)) is not None}


def _find_old_days(run: Run, days: Mapping[str, date]) -> set[date]:
    limit = run.settings.pages.archive_days
    if limit is None:
        return set()
    before = run.today - timedelta(days=limit)
    events = run.lake.scan("proposal_events").filter(pl.col("event") == "reflected").select("text").collect()["text"]
    seen = sorted({window for note in events.drop_nulls() for window in orjson.loads(note)["windows"]})
    facts = run.lake.scan("observations").select("window_id", "day").unique()
    unseen = set(facts.filter(~pl.col("window_id").is_in(seen)).collect()["day"].to_list())
    return {day for day in days.values() if day < before and day not in unseen}


def _list_linking_pages(run: Run) -> list[str]:
    workspace = run.settings.workspace
    return sorted(path.relative_to(workspace).as_posix() for path in workspace.rglob("*.md") if path.is_file())


def _is_free(workspace: Path, name: str, new: str, moves: Mapping[str, str]) -> bool:
    """Whether nothing is at the new place, or the page itself, after a run that stopped before it removed the old one."""
    target = workspace / new
    return not target.exists() or read_page(target) == move_links(read_page(workspace / name), name, new, moves)


def _move(workspace: Path, name: str, new: str, moves: Mapping[str, str]) -> None:
    """Write the page at its new place, then remove the old one: after a crash in between it stands in both, whole."""
    path, target = workspace / name, workspace / new
    text = read_page(path)
    changed = move_links(text, name, new, moves)
    if name == new and changed == text:
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, encode_page(changed), like=path)
        if name != new:
            path.unlink()
    except OSError as error:
        hint = advise_on_disk(error, target) or "check its permissions"
        raise PageError(f"{path} cannot be moved to {target}: {error.strerror or error}", hint) from error
