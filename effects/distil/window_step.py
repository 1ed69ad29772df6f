"""The step `window`: sessions whose entries or state changed are cut into windows anew; nothing else is read.

Whether a session changed is told by a hash of its row and of the bytes consumed, kept on its last window. Windows that
stay the same keep what an engine wrote about them; when a tail is cut differently, its segments and observations go in
the same commit, and the new windows are due.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import polars as pl

from effects.store.commit import Commit
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from transforms.conversation.entries import COLUMNS, entries_of
from transforms.tables.ids import digest
from transforms.tables.schema import TABLES, build_frame
from transforms.windowing.window_members import Member, members_of
from transforms.windowing.window_rows import coverage_rows, is_paid, outdated, window_rows
from transforms.windowing.windows import OPEN, WindowParams, cut_windows

VERSION = 1
"""Raised by hand when windows of unchanged sessions should be cut anew; windows that a model was paid for stay."""

BATCH_BYTES = 64_000_000
BATCH_SESSIONS = 200
SLICE_ENTRIES = 5_000
"""So many entries are taken apart at once: a session's raw JSON as objects would take ten times its size."""

SAID_CHARS = 400

_TOLD = ("entry_count", "user_message_count", "started_at", "ended_at", "input_tokens", "output_tokens", "is_closed")
"""Columns of a session that change when its entries do, also when only what it shares with a parent is found out."""

Row = dict[str, Any]


@dataclass(slots=True)
class _Session:
    """A session that is due: its row, the state it is in, its bytes, the days of its entries, its windows so far."""

    row: Row
    state: str
    size: int
    days: list[date]
    before: list[Row]


@dataclass(slots=True)
class _Batch:
    """What the sessions of one commit come to."""

    windows: list[Row] = field(default_factory=list)
    coverage: list[Row] = field(default_factory=list)
    before: list[Row] = field(default_factory=list)
    outdated: list[Row] = field(default_factory=list)


def window(run: Run) -> Counts:
    """Cuts every new, grown, rewritten, closed or still open session into windows.

    Counts: sessions looked at and cut, windows written by status, skipped ones by reason, windows that were replaced.
    """
    due, total = _due(run)
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    done = 0
    for sessions in _batches(due):
        run.progress(f"window {done}/{len(due)} sessions")
        batch = _cut(run, sessions)
        _commit(run.lake, batch, {session.row["session_id"] for session in sessions})
        counts["replaced"] += len(batch.outdated)
        counts.update(row["status"] for row in batch.windows)
        skipped.update(row["reason"] for row in batch.windows if row["status"] == "skipped")
        done += len(sessions)
    statuses = ("pending", "distilled", "skipped", "failed", "replaced")
    return {
        "sessions": total,
        "cut": len(due),
        **{name: counts[name] for name in statuses},
        "reasons": dict(sorted(skipped.items())),
    }


def _due(run: Run) -> tuple[list[_Session], int]:
    """Sessions to cut, in the order of their days, and how many there are."""
    sources = {row["path"]: row for row in run.lake.read("sources").rows(named=True)}
    known: defaultdict[str, list[Row]] = defaultdict(list)
    for row in run.lake.read("windows").drop("schema_version").rows(named=True):
        known[row["session_id"]].append(row)
    rows = run.lake.read("sessions").drop("schema_version").rows(named=True)
    due = []
    for row in sorted(rows, key=lambda row: (row["day"], row["session_id"])):
        source = sources.get(row["source_path"], {})
        before = known.pop(row["session_id"], [])
        state = _state(run, row, source)
        if _is_due(state, before) and (row["entry_count"] or before):
            due.append(_Session(row, state, source.get("size") or 0, list(source.get("days") or []), before))
    # A session that is no longer in the lake leaves no windows behind.
    due += [_Session({"session_id": lost, "entry_count": 0}, "", 0, [], known[lost]) for lost in sorted(known)]
    return due, len(rows)


def _state(run: Run, row: Row, source: Row) -> str:
    """`<hash of the session and the settings>.<version of this step>`."""
    told = [str(row[name]) for name in _TOLD]
    return f"{digest(source.get('prefix_hash') or '', *told, repr(run.settings.window))}.{VERSION}"


def _is_due(state: str, before: list[Row]) -> bool:
    """Whether the session changed, or was open: only the run's time tells whether it still is."""
    kept = next((row["session_hash"] for row in before if row["session_hash"]), "")
    if any(row["status"] == "pending" and (row["reason"] or "").startswith(OPEN) for row in before):
        return True
    if any(map(is_paid, before)):
        return kept.partition(".")[0] != state.partition(".")[0]
    return bool(kept != state)


def _batches(sessions: list[_Session]) -> Iterator[list[_Session]]:
    batch: list[_Session] = []
    size = 0
    for session in sessions:
        if batch and (size + session.size > BATCH_BYTES or len(batch) >= BATCH_SESSIONS):
            yield batch
            batch, size = [], 0
        batch.append(session)
        size += session.size
    if batch:
        yield batch


def _cut(run: Run, sessions: list[_Session]) -> _Batch:
    settings = run.settings.window
    params = WindowParams(settings.cap_tokens, settings.quiet_minutes, settings.min_user_messages)
    found = _members(run.lake, sessions)
    batch = _Batch()
    for session in sessions:
        session_id = session.row["session_id"]
        members, day_of = found.get(session_id, ([], {}))
        windows = cut_windows(session_id, members, params, run.as_of, bool(session.row.get("is_closed")))
        rows = window_rows(session_id, windows, session.before, session.state, run.zone)
        batch.windows += rows
        batch.coverage += coverage_rows(session_id, windows, day_of)
        batch.before += session.before
        batch.outdated += outdated(rows, session.before)
    return batch


def _members(lake: Lake, sessions: list[_Session]) -> dict[str, tuple[list[Member], dict[int, date]]]:
    """Per session its entries in ordinal order, and the day of each."""
    wanted = {session.row["session_id"]: session.row["entry_count"] for session in sessions if session.row["entry_count"]}
    days = sorted({day for session in sessions for day in session.days})
    frame = _entries(lake, sorted(wanted), days)
    if frame.height < sum(wanted.values()):
        frame = _entries(lake, sorted(wanted), None)
    frame = frame.unique(["session_id", "ordinal"], keep="first", maintain_order=True).sort("session_id", "ordinal")
    found: dict[str, tuple[list[Member], dict[int, date]]] = {own: ([], {}) for own in wanted}
    for rows in frame.iter_slices(SLICE_ENTRIES):
        for entry, member in zip(entries := entries_of(rows), members_of(entries), strict=True):
            found[entry.session_id][0].append(member)
        for own, ordinal, day in rows.select("session_id", "ordinal", "day").iter_rows():
            found[own][1][ordinal] = day
    return found


def _entries(lake: Lake, sessions: list[str], days: list[date] | None) -> pl.DataFrame:
    scan = lake.scan("entries", days).filter(pl.col("session_id").is_in(sessions))
    # Of the text only what a user said and how an agent began is looked at; the rest is in the raw JSON already.
    text = (
        pl.when(pl.col("role") == "user")
        .then("text")
        .when(pl.col("role") == "assistant")
        .then(pl.col("text").str.slice(0, SAID_CHARS))
        .otherwise(pl.lit(""))
    )
    return scan.select(*COLUMNS, "day").with_columns(text=text).collect()


def _commit(lake: Lake, batch: _Batch, sessions: set[str]) -> None:
    """Windows, coverage and what they make outdated, together; partitions without a change are left alone."""
    with lake.commit() as change:
        _replace_changed(change, "windows", batch.windows, batch.before, sessions)
        _replace_changed(change, "coverage", batch.coverage, _covered_before(lake, batch.before, sessions), sessions)
        gone = [row["window_id"] for row in batch.outdated]
        if days := sorted({row["day"] for row in batch.outdated}):
            for table in ("segments", "observations"):
                rows = lake.read(table, days).drop("schema_version")
                change.replace_days(table, rows.filter(~pl.col("window_id").is_in(gone)), days)


def _covered_before(lake: Lake, before: list[Row], sessions: set[str]) -> list[Row]:
    if not before:
        return []
    # An entry's local day may differ by one from its window's UTC time.
    spans = {(row["started_at"].date() - timedelta(days=1), row["ended_at"].date() + timedelta(days=1)) for row in before}
    days = [day for day in lake.days("coverage") if any(first <= day <= last for first, last in spans)]
    rows = lake.scan("coverage", days).filter(pl.col("session_id").is_in(sorted(sessions))).drop("schema_version").collect()
    return rows.rows(named=True)


def _replace_changed(change: Commit, table: str, now: list[Row], before: list[Row], sessions: set[str]) -> None:
    """Rewrites the days on which the sessions' rows differ from what they were."""
    differing = {_frozen(row) for row in now} ^ {_frozen(row) for row in before}
    days = sorted({day for day, _ in differing})
    if not days:
        return
    others = change.lake.read(table, days).drop("schema_version").filter(~pl.col("session_id").is_in(sorted(sessions)))
    rows = build_frame(TABLES[table], [row for row in now if row["day"] in set(days)])
    change.replace_days(table, pl.concat([others, rows]), days)


def _frozen(row: Row) -> tuple[date, str]:
    return row["day"], repr(sorted(row.items()))
