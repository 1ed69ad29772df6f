"""Puts a batch of updates into the lake in one commit: entries, sessions, sources and quarantine belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from shutil import rmtree
from types import MappingProxyType
from typing import cast
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest.cut_files import KEPT_WORDS
from effects.ingest.part_files import SessionPart
from effects.ingest.read_file import NO_ENTRIES, SessionUpdate, load_stored_rows
from effects.store.commit import Commit
from effects.store.lake import Lake
from transforms.reading.entry_rows import add_tree_columns
from transforms.reading.session_header import SessionHeader
from transforms.reading.session_row import (
    NARROW,
    SessionSummary,
    find_copied_rows,
    find_origins,
    find_touched_forks,
    resolve_parent_id,
    summarise_empty_session,
    summarise_sessions,
)
from transforms.reading.timestamps import EPOCH
from transforms.redaction.redact import redact
from transforms.tables.ids import hash_fields
from transforms.tables.rows import QuarantineRow, SessionRow, SourceRow
from transforms.tables.schema import QUARANTINE, SESSIONS, SOURCES, build_frame

PARALLEL_JOINS = 2
"""Days whose files are joined at once."""
SHRUNK_RULE = "shrunk"
"""Rule of a file that has fewer entries than were read from it; the detail says how many, of how many where they went."""
ENTRY_KEY = ["session_id", "ordinal"]
MUTABLE = ["on_active_branch", "flags"]


class LakeState:
    """`sources`, `sessions` and `quarantine` as they are and as this run makes them; entries stay on disk."""

    def __init__(self, lake: Lake, zone: ZoneInfo) -> None:
        self.lake, self.zone = lake, zone
        sources = cast(list[SourceRow], lake.read("sources").drop("schema_version").rows(named=True))
        sessions = cast(list[SessionRow], lake.read("sessions").drop("schema_version").rows(named=True))
        self.sources = {row["path"]: row for row in sources}
        self.sessions = {row["session_id"]: row for row in sessions}

    def list_speakers(self) -> dict[str, str]:
        """Return the path of the file that speaks for each session."""
        return {session_id: row["source_path"] for session_id, row in self.sessions.items()}

    def copy_rows(self, session_ids: Iterable[str]) -> dict[str, SessionRow | None]:
        """Return copies of the rows of some sessions as they are now, None for new ones."""
        return {session_id: row.copy() if (row := self.sessions.get(session_id)) else None for session_id in session_ids}

    def find_days(self, session_id: str) -> list[date]:
        """Return the days of a session's stored rows; they are looked up in the rows when its file no longer speaks for it."""
        row = self.sessions.get(session_id)
        if row is None:
            return []
        source = self.sources.get(row["source_path"])
        if source and source["session_id"] == session_id and source["days"]:
            return list(source["days"])
        rows = self.lake.scan("entries").filter(pl.col("session_id") == session_id)
        return sorted(rows.select(pl.col("day").unique()).collect()["day"])

    def list_parents(self) -> dict[str, str | None]:
        """Return the parent's session id of every session, whether or not the parent is here."""
        by_path = {path: row["session_id"] for path, row in self.sources.items() if row["session_id"]}
        return {session_id: resolve_parent_id(row["parent_session"], by_path) for session_id, row in self.sessions.items()}


def commit_batch(
    state: LakeState, updates: list[SessionUpdate], sources: dict[str, SourceRow], refused: list[QuarantineRow]
) -> None:
    """Write the batch, with the forks and parents that it touches; afterwards `state` equals the lake."""
    by_session = {update.session_id: update for update in updates}
    before = state.copy_rows(by_session)
    for update in updates:
        if update.source:
            _update_header_columns(state, update)
    _add_forks(state, by_session)
    before = state.copy_rows(session_id for session_id in by_session if session_id not in before) | before
    parents = state.list_parents()
    origins_by_session = {session_id: find_origins(session_id, parents) for session_id in by_session}
    frames = {session_id: _select_narrow_rows(update) for session_id, update in by_session.items()}
    changed: dict[str, pl.DataFrame] = {}
    for session_id in sorted(frames):
        origins = [_find_frame(state, frames, origin) for origin in origins_by_session[session_id]]
        rows = add_tree_columns(frames[session_id], copied=find_copied_rows(frames[session_id], origins) if origins else set())
        if by_session[session_id].stored.height:
            changed[session_id] = _select_changed_rows(by_session[session_id].stored, rows)
            by_session[session_id].fresh = _copy_flags(by_session[session_id].fresh, rows)
        else:
            by_session[session_id].fresh = rows
        summary = summarise_sessions(rows, state.zone).get(session_id)
        summary = summary or summarise_empty_session(_find_start(by_session[session_id], state.sessions[session_id]), state.zone)
        state.sessions[session_id] = {**state.sessions[session_id], **summary}
    state.sources |= sources | {row["path"]: row for update in updates if (row := update.source)}
    with state.lake.commit() as change:
        _write_entries(change, state.lake, list(by_session.values()), changed)
        _write_sessions(change, state, before)
        change.replace("sources", build_frame(SOURCES, state.sources.values()))
        reread = [update.source["path"] for update in updates if update.source and update.is_whole]
        damage = [row for update in updates for row in update.damage]
        entry_counts = {
            update.source["path"]: state.sessions[update.session_id]["entry_count"]
            for update in updates
            if update.source and not update.source["reason"]
        }
        restored = [update.source["path"] for update in updates if update.source and update.is_restored]
        _write_quarantine(change, state.lake, reread, sources, [*refused, *damage], entry_counts, restored)


def commit_parts(state: LakeState, parts: list[SessionPart], refused: list[QuarantineRow]) -> None:
    """Take new sessions that workers read into the lake, in one commit: each commit writes `sources` again."""
    gains = [gain for part in parts for gain in part.gains]
    failed = {path: row for part in parts for path, row in part.failed.items()}
    before = state.copy_rows(gain.header.session_id for gain in gains)
    for gain in gains:
        row = _make_session_row(gain.header, gain.source["path"], gain.session)
        state.sessions[row["session_id"]] = row
    state.sources |= failed | {gain.source["path"]: gain.source for gain in gains}
    with state.lake.commit() as change:
        for part in parts:
            name = hash_fields(*(gain.source["prefix_hash"] or "" for gain in part.gains))
            for day, path in part.files.items():
                change.adopt("entries", path, day, name)
        _write_sessions(change, state, before)
        change.replace("sources", build_frame(SOURCES, state.sources.values()))
        reread = [gain.source["path"] for gain in gains]
        damage = [row for gain in gains for row in gain.damage]
        _write_quarantine(change, state.lake, reread, failed, [*refused, *damage])
    for part in parts:
        rmtree(part.folder)


def _make_session_row(header: SessionHeader, source_path: str, summary: SessionSummary) -> SessionRow:
    return {
        **summary,  # first: it may be a full row, whose header columns are old
        "session_id": header.session_id,
        "source_path": source_path,
        "project": redact(header.cwd),
        "cwd": redact(header.cwd),
        "parent_session": header.parent_session,
        "agent": header.agent,
        "agent_version": header.agent_version,
        "is_subagent": header.is_subagent,
        "opened_by": None,
        "attribution_hash": None,
        "is_closed": False,
    }


def _update_header_columns(state: LakeState, update: SessionUpdate) -> None:
    """Update the columns of a session that come from its header; a grown or rewritten file is open again."""
    assert update.header is not None  # as every update of a file that was read
    assert update.source is not None
    old = state.sessions.get(update.session_id)
    row = _make_session_row(update.header, update.source["path"], old or summarise_empty_session(EPOCH, state.zone))
    if old is not None and old["cwd"] == row["cwd"]:
        row["project"] = old["project"]  # the projects step may have joined it to another folder
    has_news = update.fresh.height > 0 or update.is_whole
    row["is_closed"] = old is not None and old["is_closed"] and not has_news
    state.sessions[update.session_id] = row


def _add_forks(state: LakeState, by_session: dict[str, SessionUpdate]) -> None:
    """Add forks whose parent or sibling is new or changed: their copied entries must be found again."""
    for session_id in find_touched_forks(set(by_session), state.list_parents()):
        if session_id not in by_session:
            days = state.find_days(session_id)
            by_session[session_id] = SessionUpdate(
                session_id, load_stored_rows(state.lake, session_id, days), NO_ENTRIES, old_days=days
            )


def _select_narrow_rows(update: SessionUpdate) -> pl.DataFrame:
    """Return the rows of the session with at least the NARROW columns."""
    return pl.concat([update.stored, update.fresh.select(NARROW)]) if update.stored.height else update.fresh


def _find_frame(state: LakeState, frames: dict[str, pl.DataFrame], session_id: str) -> pl.DataFrame:
    return frames[session_id] if session_id in frames else load_stored_rows(state.lake, session_id, state.find_days(session_id))


def _find_start(update: SessionUpdate, row: SessionRow) -> datetime:
    """Return the start of a session without entries: its header's, else the stored one when only its relatives changed."""
    return update.began_at if update.header else row["started_at"]


def _select_changed_rows(stored: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the stored rows whose branch or flags changed: their new values and their day."""
    now = rows.head(stored.height)
    is_other = (now["on_active_branch"] != stored["on_active_branch"]) | (now["flags"] != stored["flags"])
    return now.filter(is_other).select(*ENTRY_KEY, *MUTABLE, "day")


def _copy_flags(fresh: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    return fresh.with_columns(rows.tail(fresh.height)[name] for name in MUTABLE) if fresh.height else fresh


def _write_entries(change: Commit, lake: Lake, updates: list[SessionUpdate], changed: dict[str, pl.DataFrame]) -> None:
    """Write the fresh rows of `updates` and the changed values of stored ones."""
    replaced = [update.session_id for update in updates if update.is_whole and update.old_days]
    rewrite = {day for update in updates if update.is_whole for day in update.old_days}
    rewrite |= {day for frame in changed.values() for day in frame["day"]}
    fresh = pl.concat([NO_ENTRIES, *(update.fresh for update in updates if update.fresh.height)])
    for update in updates:
        update.fresh = NO_ENTRIES
    new_values = pl.concat([frame.drop("day") for frame in changed.values()]) if changed else None
    for day in sorted(rewrite):
        rows = lake.read("entries", [day]).drop("schema_version").filter(~pl.col("session_id").is_in(replaced))
        if new_values is not None:
            rows = rows.update(new_values, on=ENTRY_KEY, how="left")
        change.replace("entries", pl.concat([rows, fresh.filter(pl.col("day") == day)]), day)
    change.add_days("entries", fresh.filter(~pl.col("day").is_in(sorted(rewrite))) if rewrite else fresh)


def _write_sessions(change: Commit, state: LakeState, before: dict[str, SessionRow | None]) -> None:
    """Write the days of the sessions that differ from `before`."""
    changed = {session_id: old for session_id, old in before.items() if old != state.sessions[session_id]}
    days = {state.sessions[session_id]["day"] for session_id in changed} | {old["day"] for old in changed.values() if old}
    rows = [row for row in state.sessions.values() if row["day"] in days]
    if days:
        change.replace_days("sessions", build_frame(SESSIONS, rows), sorted(days))


def _write_quarantine(
    change: Commit,
    lake: Lake,
    reread: list[str],
    sources: dict[str, SourceRow],
    rows: list[QuarantineRow],
    entry_counts: Mapping[str, int] = MappingProxyType({}),
    restored: Sequence[str] = (),
) -> None:
    """Replace the damage of files that were read whole or refused; add the damage of those that grew.

    That a file lost entries stays written until it is `restored`. Rows of versions that did not note what the file was go when it
    has as many entries as before: `entry_counts` are those of the files that were just read and have all that the lake has.
    """
    again = [*reread, *(path for path, row in sources.items() if row["status"] == "refused")]
    old = lake.read("quarantine").drop("schema_version")
    is_shrunk = pl.col("rule") == SHRUNK_RULE
    entry_count = pl.col("path").replace_strict(dict(entry_counts), default=-1, return_dtype=pl.Int64)
    is_whole = entry_count >= pl.col("detail").str.extract(r" of (\d+) entries that were read are no longer in the file$").cast(
        pl.Int64
    )
    told_anew = [row["path"] for row in rows if row["rule"] == SHRUNK_RULE]
    is_kept = pl.col("detail").str.ends_with(KEPT_WORDS) & ((entry_count >= 0) | pl.col("path").is_in(told_anew))
    is_back = is_shrunk & (is_whole.fill_null(value=False) | is_kept | pl.col("path").is_in([*restored]))
    other_rows = old.filter((is_shrunk | ~pl.col("path").is_in(again)) & ~is_back)
    if rows or other_rows.height != old.height:
        fresh = build_frame(QUARANTINE, rows)
        change.replace("quarantine", pl.concat([other_rows, fresh]).unique(maintain_order=True))


def join_day_files(lake: Lake) -> int:
    """Join the files of entries of each day under one name, so that the layout does not depend on the number of runs.

    Returns the number of days that were joined.
    """
    names: dict[str, list[str]] = {}
    for path in lake.list_files("entries"):  # one listing, because a history has thousands of days
        names.setdefault(path.parent.name, []).append(path.name)
    due = [day for day in lake.list_days("entries") if names.get(f"day={day.isoformat()}", ["data.parquet"]) != ["data.parquet"]]
    with lake.commit() as change, ThreadPoolExecutor(PARALLEL_JOINS, "join") as pool:
        list(pool.map(lambda day: change.join("entries", day), due))
    return len(due)


def write_session_row(state: LakeState, session_id: str) -> None:
    """Write the row of a session (and the others of its day)."""
    day = state.sessions[session_id]["day"]
    rows = [row for row in state.sessions.values() if row["day"] == day]
    with state.lake.commit() as change:
        change.replace("sessions", build_frame(SESSIONS, rows), day)
