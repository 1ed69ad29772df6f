"""Checks what only the lake still has: session files that clients delete after a while, and files that were cut."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import polars as pl

from effects.health.check import Check
from effects.ingest.cut_files import KEPT_WORDS
from effects.setup.agents import find_agents
from effects.store.run import Run
from transforms.pages.run_page import count_things

KEPT_DAYS = 30
"""Days after which Claude Code deletes a session, unless its setting `cleanupPeriodDays` says otherwise."""
SOON = timedelta(days=7)
CLAUDE = "Claude Code"


def check_archive(run: Run) -> Iterator[Check]:
    """Yield the files that Claude Code will delete, when, and whether the lake has them; other clients delete nothing."""
    files = run.lake.scan("sources").select("path", "status", "mtime_ns", "session_id").collect()
    agents = dict(run.lake.scan("sessions").select("session_id", "agent").collect().iter_rows())
    of_claude = files.filter(pl.col("session_id").replace_strict(agents, default=None, return_dtype=pl.String) == "claude")
    present = of_claude.filter(pl.col("status") == "read")
    gone = of_claude.filter(pl.col("status") == "gone").height
    claude = next((agent for agent in find_agents() if agent.name == CLAUDE), None)
    kept_for = timedelta(days=_read_kept_days(claude.home if claude else None))
    if claude is not None and claude.session_count and not _is_read(run, claude.sessions):
        yield Check(
            "archive",
            "note",
            f"{CLAUDE} deletes its sessions after {kept_for.days} days, and the {claude.session_count} files in {claude.sessions}"
            " are not read",
            f"add {claude.sessions} to RECOLLECT_SESSIONS, then recollect nightly",
        )
    if of_claude.is_empty():
        if claude is None:
            yield Check(
                "archive",
                "ok",
                f"{files.filter(pl.col('status') == 'read').height} files are in the lake; no client deletes them",
            )
        return
    ends = [datetime.fromtimestamp(mtime / 1e9, UTC) + kept_for for mtime in present["mtime_ns"].to_list() if mtime > 0]
    soon = sum(end <= run.as_of + SOON for end in ends)
    detail = f"{CLAUDE} deletes its sessions {kept_for.days} days after their last change (cleanupPeriodDays); "
    if present.is_empty():
        detail += "no file is left there"
    else:
        detail += "the lake has " + ("its file" if present.height == 1 else f"all {present.height} files")
        detail += f", {soon} of them due within {SOON.days} days" if soon else ""
    if gone:
        detail += f"; {gone} that are deleted are in the lake only: keep a backup of {run.lake.root}"
    yield Check("archive", "ok", detail)


def check_cut_files(run: Run) -> Iterator[Check]:
    """Yield a note about session files that have lost entries, by a crash or a sync tool: only the lake has the rest."""
    cut = run.lake.scan("sources").filter((pl.col("status") == "read") & pl.col("reason").str.ends_with(KEPT_WORDS))
    rows = cut.select("path", "reason", "session_id").sort("path").collect().rows()
    if not rows:
        return
    path, reason, session_id = rows[0]
    others = f"; {count_things(len(rows) - 1, 'other file')} too" if len(rows) > 1 else ""
    command = f"put a backup of the file in its place, then recollect nightly; or recollect forget --session {session_id}"
    yield Check("session files", "note", f"{path}: {reason}{others}", command)


def find_kept_days() -> int:
    """Return the days after which Claude Code deletes sessions on this machine."""
    claude = next((agent for agent in find_agents() if agent.name == CLAUDE), None)
    return _read_kept_days(claude.home if claude else None)


def _is_read(run: Run, folder: Path) -> bool:
    """Whether the folder is one of the session folders, or lies in one."""
    target = folder.resolve()
    return any(target.is_relative_to(root.resolve()) for root in run.settings.sessions)


def _read_kept_days(home: Path | None) -> int:
    """Return the days after which Claude Code deletes sessions, by its settings."""
    try:
        days = orjson.loads((home / "settings.json").read_bytes()).get("cleanupPeriodDays") if home else None
    except (OSError, ValueError, AttributeError):  # no settings, or settings that the client does not read either
        return KEPT_DAYS
    return days if isinstance(days, int) and not isinstance(days, bool) and days >= 0 else KEPT_DAYS
