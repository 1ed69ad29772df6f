"""Repairs a lake: sets damaged files aside and marks as due all that a night can make again; the steps of a night then make it.

Entries, sessions and sources are read again where the session files still exist. Windows are cut again from entries, and
distilled again from stored answers. Nothing is deleted: `LAKE/_damaged/N` holds damaged files by their paths in the lake.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from pathlib import Path

import polars as pl

from effects.health.damage import Damage, find_damage, find_damaged_files
from effects.health.refused_files import check_access
from effects.health.restore_proposals import restore_events, restore_proposals
from effects.ingest.plan import make_source_row
from effects.ingest.session_files import SessionFile, stat_file
from effects.store.lake import Lake
from effects.store.layout import note_change
from effects.store.redo_log import list_damaged_commits
from effects.store.run import Counts, Run
from effects.system.files import fsync_folder
from transforms.forgetting.scrub_text import blank_entry
from transforms.reading.session_row import NARROW, summarise_sessions
from transforms.tables.periods import find_first_moment
from transforms.tables.schema import SESSIONS, SOURCES, TABLES, build_frame

DAMAGED = "_damaged"
LOST = "lost"
"""Flag of an entry whose text is gone: its file is damaged and its session file does not exist any more."""
OF_ALL_FILES = frozenset({"sources", "sessions", "quarantine"})
"""Tables whose loss makes every session file due: their rows do not tell which of them are missing."""
LOST_FOR_GOOD = {
    "proposals": "made again from the record of your decisions and from the pages; some may lack the facts that they rest on",
    "proposal_events": "made again from the proposals; earlier wordings are gone, and what no proposal came of may be proposed",
    "memory_lines": "which lines of MEMORY.md came from which proposal is gone",
    "tombstones": "what was forgotten is known again: forget it again",
    "tasks": "tasks are gone",
    "task_events": "the history of tasks is gone",
    "model_calls": "answers that were paid for are gone: requests may be paid again",
    "runs": "the record of former runs is gone",
    "projects": "projects that you joined or split by hand are as they were found",
}
"""Notes for people about tables that cannot be rebuilt from the sessions."""


def repair_lake(run: Run) -> Counts:
    """Set damaged files aside and mark lost rows as due; a step of its own, before those of a night.

    Returns:
        `set_aside` files, `reread` session files, `cut` sessions whose windows are made again, `distilled_again` windows,
        `lost_entries`, `proposals` and `events` made again, and `problems`: the losses that nothing can restore, in words.

    Raises:
        RefusedError: when this user may not read some of the lake: it is whole, and nothing is set aside.
    """
    lake = run.lake
    damages = find_damage(lake)
    is_there = {damage.table for damage in damages if damage.path.exists()}
    folder = set_aside(lake, damages)
    tables = {damage.table for damage in damages}
    problems = [
        f"{table}: {LOST_FOR_GOOD[table]}; the damaged file " + (f"is in {folder}" if table in is_there else "is gone")
        for table in sorted(tables & LOST_FOR_GOOD.keys())
    ]
    repeats = sum(_merge_repeats(lake, name) for name in ("entries", "coverage", "windows", "segments", "observations"))
    entry_days = {damage.day for damage in damages if damage.table == "entries" and damage.day}
    paths = _find_session_files(lake)
    reread = _forget_sources(lake, entry_days, is_all=bool(tables & OF_ALL_FILES))
    _drop_unclaimed(lake, paths)
    made = _make_sessions(run, paths) + _keep_gone_sources(lake, paths)
    lost = _keep_places(run, paths)
    if lost:
        problems.append(f"{lost} entries are lost: their file is damaged and their session files are gone; their places are kept")
    sketches = _judge_again(lake, {damage.day for damage in damages if damage.table == "sketches" and damage.day})
    cut = _cut_again(lake)
    fact_days = {damage.day for damage in damages if damage.table in ("segments", "observations") and damage.day}
    again = _distil_again(lake, fact_days)
    proposals = restore_proposals(run)
    events = restore_events(run) if "proposal_events" in tables else 0
    return {
        "set_aside": len(damages),
        "merged": repeats,
        "reread": reread,
        "sessions": made,
        "judged_again": sketches,
        "cut": cut,
        "distilled_again": again,
        "lost_entries": lost,
        "proposals": proposals,
        "events": events,
        "problems": problems,
    }


def set_aside_commits(lake: Lake) -> int:
    """Set aside unfinished commits with a damaged list, since no run writes until they are gone; return how many.

    Raises:
        LockedError: when another run holds the lake.
        RefusedError: when this user may not read some of it.
    """
    check_access(lake)
    with lake.repairing():
        damaged = [Damage(path, "") for path in list_damaged_commits(lake.root)]
        set_aside(lake, damaged)
    return len(damaged)


def restore_copy(lake: Lake) -> int:
    """Fetch the damaged files of a lake in an object store again and return how many. Those damaged there, too, stay.

    Raises:
        LockedError: when another run holds the lake.
    """
    return lake.restore_copy(damage.path for damage in find_damaged_files(lake))


def set_aside(lake: Lake, damages: Iterable[Damage]) -> Path:
    """Move damaged files that are there to `LAKE/_damaged/N`, by their path in the lake; return this folder."""
    home = lake.root / DAMAGED
    numbers = [int(path.name) for path in home.glob("*") if path.name.isdigit()]
    folder = home / f"{max(numbers, default=0) + 1:03d}"
    for damage in damages:
        if not damage.path.exists():  # it is missing
            continue
        target = folder / damage.path.relative_to(lake.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        damage.path.replace(target)
        note_change(lake.root, damage.path)
        fsync_folder(damage.path.parent)
        if damage.path.parent.name.startswith("day=") and not any(damage.path.parent.iterdir()):
            damage.path.parent.rmdir()
    return folder


def _merge_repeats(lake: Lake, table: str) -> int:
    """Keep one of each row that several files of a day hold (somebody copied a file); return how many days changed."""
    changed = 0
    key = list(TABLES[table].key)
    for day in lake.list_days(table):
        if len(lake.list_files(table, [day])) < 2:
            continue
        rows = lake.read(table, [day]).drop("schema_version")
        unique = rows.unique(key, keep="first", maintain_order=True)
        if unique.height < rows.height:
            with lake.commit() as change:
                change.replace(table, unique, day)
            changed += 1
    return changed


def _forget_sources(lake: Lake, days: Collection[date], *, is_all: bool) -> int:
    """Drop the rows of session files that must be read again, so that the reader takes them for new; return how many.

    Due are files whose entries are not all there, and those with entries on damaged days. Files that are gone keep their rows.
    """
    sources = lake.read("sources").drop("schema_version")
    stored = lake.scan("entries").group_by("session_id").agg(stored=pl.len())
    sessions = lake.scan("sessions").select("session_id", "entry_count").join(stored, on="session_id", how="left").collect()
    complete = sessions.filter(pl.col("entry_count") == pl.col("stored").fill_null(0))["session_id"]
    touches = pl.col("days").list.eval(pl.element().is_in(sorted(days))).list.any().fill_null(False)
    is_due = pl.lit(is_all) | touches | ~pl.col("session_id").is_in(complete.implode())
    due = sources.filter(pl.col("session_id").is_not_null() & is_due)["path"].to_list()
    present = [path for path in due if stat_file(Path(path)) is not None]
    if present:
        with lake.commit() as change:
            change.replace("sources", sources.filter(~pl.col("path").is_in(present)))
    return len(present)


def _find_session_files(lake: Lake) -> dict[str, Path]:
    """Return the session file of each session that any of three tables knows."""
    paths: dict[str, Path] = {}
    for table, column in (("entries", "source_path"), ("sources", "path"), ("sessions", "source_path")):
        rows = lake.scan(table).select("session_id", column).drop_nulls().unique("session_id").collect()
        paths |= {session: Path(path) for session, path in rows.iter_rows()}
    return paths


def _drop_unclaimed(lake: Lake, paths: dict[str, Path]) -> None:
    """Remove entries of sessions without a row whose file is there: it is read as a new one, and would add them again."""
    known = set(lake.scan("sessions").select("session_id").collect()["session_id"])
    unclaimed = sorted(name for name, path in paths.items() if name not in known and stat_file(path) is not None)
    is_due = pl.col("session_id").is_in(unclaimed)
    days = sorted(lake.scan("entries").filter(is_due).select(pl.col("day").unique()).collect()["day"])
    with lake.commit() as change:
        for day in days:
            change.replace("entries", lake.read("entries", [day]).drop("schema_version").filter(~is_due), day)


def _keep_gone_sources(lake: Lake, paths: dict[str, Path]) -> int:
    """Make rows of `sources` for stored sessions whose file is gone and whose row is lost; return how many."""
    sources = lake.read("sources").drop("schema_version")
    known = set(sources["session_id"].drop_nulls())
    lost = sorted((name, path) for name, path in paths.items() if name not in known and stat_file(path) is None)
    if not lost:
        return 0
    rows = [make_source_row(SessionFile(str(path), 0, 0), "gone") | {"session_id": name} for name, path in lost]
    with lake.commit() as change:
        change.replace("sources", pl.concat([sources, build_frame(SOURCES, rows)]))
    return len(lost)


def _make_sessions(run: Run, paths: dict[str, Path]) -> int:
    """Make rows of sessions whose row is lost and whose file is gone from their entries; return how many."""
    lake = run.lake
    known = set(lake.scan("sessions").select("session_id").collect()["session_id"])
    stored = lake.scan("entries").select(pl.col("session_id").unique()).collect()["session_id"]
    lost = sorted(name for name in stored if name not in known and stat_file(paths[name]) is None)
    if not lost:
        return 0
    rows = lake.scan("entries").filter(pl.col("session_id").is_in(lost)).sort("session_id", "ordinal").select(NARROW).collect()
    facts = lake.scan("observations").filter(pl.col("session_id").is_in(lost)).select("session_id", "project")
    projects = dict(facts.unique("session_id").collect().iter_rows())
    made = [
        {
            **summary, "session_id": name, "source_path": str(paths[name]), "project": projects.get(name) or "", "cwd": "",
            "parent_session": None, "agent": None, "agent_version": None, "is_subagent": False, "opened_by": None,
            "attribution_hash": None, "is_closed": True,
        }
        for name, summary in summarise_sessions(rows, run.zone).items()
    ]  # fmt: skip
    with lake.commit() as change:
        change.add_days("sessions", build_frame(SESSIONS, made))
    return len(made)


def _keep_places(run: Run, paths: dict[str, Path]) -> int:
    """Make empty entries in the places of those that are covered and lost for good, so that citations lead somewhere."""
    lake = run.lake
    key = ["session_id", "ordinal"]
    lost = lake.scan("coverage").select(*key, "day").join(lake.scan("entries"), on=key, how="anti").collect()
    gone = [name for name in lost["session_id"].unique() if name not in paths or stat_file(paths[name]) is None]
    lost = lost.filter(pl.col("session_id").is_in(gone)).unique(key).sort(key)
    if lost.is_empty():
        return 0
    ids = [f"{LOST}-{ordinal}" for ordinal in lost["ordinal"]]
    rows = lost.with_columns(
        pl.Series("entry_id", ids, pl.String),
        pl.Series("raw_json", [blank_entry(LOST, name, None, None, LOST) for name in ids], pl.String),
        source_path=pl.col("session_id").replace_strict(
            {name: str(path) for name, path in paths.items()}, default=None, return_dtype=pl.String
        ),
        entry_type=pl.lit(LOST), text=pl.lit(""), is_error=pl.lit(False), on_active_branch=pl.lit(True), token_count=pl.lit(0),
        is_synthetic_id=pl.lit(True), flags=pl.concat_list(pl.lit(LOST)), line_no=pl.lit(-1),
        said_at=pl.Series([find_first_moment(day, run.zone) for day in lost["day"]], dtype=pl.Datetime("us", "UTC")),
    )  # fmt: skip
    with lake.commit() as change:
        change.add_days("entries", rows)
    return lost.height


def _judge_again(lake: Lake, days: Collection[date]) -> int:
    """Let the sessions with entries on days of lost sketches be judged again; return how many."""
    if not days:
        return 0
    touched = lake.scan("entries", sorted(days)).select(pl.col("session_id").unique()).collect()["session_id"]
    return _rewrite(lake, "sessions", pl.col("session_id").is_in(touched.implode()), attribution_hash=None)


def _cut_again(lake: Lake) -> int:
    """Let the sessions be cut again whose entries, coverage and windows do not fit together; return how many."""
    key = ["session_id", "ordinal"]
    entries, coverage = lake.scan("entries").select(key), lake.scan("coverage")
    windows = lake.scan("windows").select("window_id", "session_id")
    faults = [
        entries.join(coverage, on=key, how="anti"),
        coverage.join(entries, on=key, how="anti"),
        coverage.group_by(key).len().filter(pl.col("len") > 1),
        coverage.join(windows, on="window_id", how="anti"),
        windows.join(coverage, on="window_id", how="anti"),
    ]
    session_ids = pl.concat([fault.select("session_id") for fault in faults]).unique().collect()["session_id"]
    _rewrite(lake, "windows", pl.col("session_id").is_in(session_ids.implode()), session_hash="")
    return len(session_ids)


def _distil_again(lake: Lake, days: Collection[date]) -> int:
    """Let windows of damaged days, and distilled ones without a segment, be distilled again; return how many."""
    segments = lake.scan("segments").select("window_id").unique().collect()["window_id"]
    is_due = pl.col("day").is_in(sorted(days)) | ~pl.col("window_id").is_in(segments.implode())
    return _rewrite(lake, "windows", (pl.col("status") == "distilled") & is_due, status="pending", reason="", attempts=0)


def _rewrite(lake: Lake, table: str, is_due: pl.Expr, **values: str | int | None) -> int:
    """Set columns of the rows that are due; return how many there are."""
    days = sorted(lake.scan(table).filter(is_due).select(pl.col("day").unique()).collect()["day"])
    total = 0
    for day in days:
        rows = lake.read(table, [day]).drop("schema_version")
        total += rows.filter(is_due).height
        columns = [pl.when(is_due).then(pl.lit(value)).otherwise(name).alias(name) for name, value in values.items()]
        with lake.commit() as change:
            change.replace(table, rows.with_columns(columns), day)
    return total
