"""The step `window`: cut sessions whose entries or state changed into windows; read nothing else.

A hash of the session's row and of the consumed bytes, kept on its last window, tells whether it changed. Unchanged windows
keep the result of their engine. When a tail is cut differently, its segments and observations go in the same commit, and
the new windows are due.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import NamedTuple, Protocol, TypeVar, cast

import polars as pl

from effects.store.commit import Commit
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from transforms.conversation.entries import ENTRY_COLUMNS_READ, build_entries
from transforms.tables.enums import OFFLINE
from transforms.tables.ids import hash_fields
from transforms.tables.rows import CoverageRow, WindowRow
from transforms.tables.schema import TABLES, build_frame
from transforms.windowing.window_entries import WindowEntry, make_window_entries
from transforms.windowing.window_rows import build_coverage_rows, build_window_rows, find_outdated_rows
from transforms.windowing.windows import OPEN_REASON, WindowParams, cut_windows

WINDOWING_VERSION = 2
"""Raise it by hand to cut the windows of unchanged sessions again; windows that a model was paid for stay."""

WINDOWED_BYTES = 64_000_000
BATCH_SESSIONS = 200
SLICE_ENTRIES = 5_000
"""Entries parsed at once: a session's raw JSON as objects takes many times its size."""

ASSISTANT_CHARS = 400
"""Characters read of an assistant's text: windowing looks at its beginning only."""


@dataclass(slots=True)
class _Session:
    """A session that is due: its state hash, its size in bytes, the days of its entries and its stored windows."""

    session_id: str
    entry_count: int
    is_closed: bool
    state: str
    size: int
    days: list[date]
    stored: list[WindowRow]
    is_subagent: bool = False


class _SessionState(NamedTuple):
    """The columns of a session that tell whether it is cut again."""

    session_id: str
    source_path: str
    entry_count: int
    user_message_count: int
    started_at: datetime
    ended_at: datetime
    input_tokens: int
    output_tokens: int
    is_closed: bool | None
    is_subagent: bool | None
    attribution_hash: str | None


class _Mark(NamedTuple):
    """The columns of a stored window that tell whether its session is cut again."""

    session_hash: str | None
    status: str
    reason: str | None
    engine: str | None


@dataclass(slots=True)
class _Batch:
    """The rows of the sessions of one commit."""

    windows: list[WindowRow] = field(default_factory=list)
    coverage: list[CoverageRow] = field(default_factory=list)
    stored: list[WindowRow] = field(default_factory=list)
    outdated: list[WindowRow] = field(default_factory=list)


def window(run: Run) -> Counts:
    """Cut every new, grown, rewritten, closed or open session into windows.

    Returns counts: sessions in all and sessions cut, windows by status, skipped windows by reason, replaced windows.
    """
    key = compute_search_key(run, ("sessions", "sources", "windows"), str(WINDOWING_VERSION))
    if (settled := find_settled(run, "window", key)) is not None:
        return settled
    due, total = _find_due_sessions(run)
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    done = 0
    for sessions in split_sessions(due):
        run.progress("sessions", done, len(due))
        batch = _cut_batch(run, sessions)
        _commit_batch(run.lake, batch, {session.session_id for session in sessions})
        counts["replaced"] += len(batch.outdated)
        counts.update(row["status"] for row in batch.windows)
        skipped.update(row["reason"] for row in batch.windows if row["status"] == "skipped")
        done += len(sessions)
    statuses = ("pending", "distilled", "skipped", "failed", "replaced")
    summary: Counts = {
        "sessions": total,
        "cut": len(due),
        **{name: counts[name] for name in statuses},
        "reasons": dict(sorted(skipped.items())),
    }
    if not due:  # an open session is due every night, because then the time of the run decides
        settle(run, "window", key, summary)
    return summary


def _find_due_sessions(run: Run) -> tuple[list[_Session], int]:
    """Return the sessions to cut, ordered by day, and the number of all sessions. Whole rows are made of these only."""
    lake = run.lake
    digests = lake.collect(lake.scan("sources").select("path", "prefix_hash"), "sources")
    sources = {path: digest or "" for path, digest in digests.iter_rows()}
    marks: defaultdict[str, list[_Mark]] = defaultdict(list)
    windows = lake.scan("windows").select("window_id", "session_id", *_Mark._fields).sort("window_id")
    for _, session_id, *values in lake.collect(windows, "windows").iter_rows():
        marks[session_id].append(_Mark(*values))
    rows = lake.collect(lake.scan("sessions").sort("day", "session_id").select(*_SessionState._fields), "sessions")
    parameters = repr(run.settings.window)
    changed: list[tuple[_SessionState, str]] = []
    for row in map(_SessionState._make, rows.iter_rows()):
        stored = marks.pop(row.session_id, [])
        state = _compute_state(row, sources.get(row.source_path, ""), parameters)
        if _is_due(state, stored) and (row.entry_count or stored):
            changed.append((row, state))
    # A session that is no longer in the lake leaves no windows behind.
    return _read_due_sessions(lake, changed, sorted(marks)), rows.height


def _read_due_sessions(lake: Lake, changed: list[tuple[_SessionState, str]], lost: list[str]) -> list[_Session]:
    """Return the sessions to cut with their stored windows, and behind them those that are lost."""
    if not changed and not lost:
        return []
    ids = [*(row.session_id for row, _ in changed), *lost]
    paths = [row.source_path for row, _ in changed]
    places = lake.scan("sources").filter(pl.col("path").is_in(paths)).select("path", "size", "days").collect()
    sizes_and_days = {path: (size or 0, list(days or [])) for path, size, days in places.iter_rows()}
    stored_by_session: defaultdict[str, list[WindowRow]] = defaultdict(list)
    windows = lake.collect(lake.scan("windows").filter(pl.col("session_id").is_in(ids)).sort(TABLES["windows"].key), "windows")
    for window_row in cast("list[WindowRow]", windows.drop("schema_version").rows(named=True)):
        stored_by_session[window_row["session_id"]].append(window_row)
    due = []
    for row, state in changed:
        size, days = sizes_and_days.get(row.source_path, (0, []))
        stored = stored_by_session[row.session_id]
        is_closed, is_subagent = bool(row.is_closed), bool(row.is_subagent)
        due.append(_Session(row.session_id, row.entry_count, is_closed, state, size, days, stored, is_subagent))
    return due + [_Session(own, 0, False, "", 0, [], stored_by_session[own]) for own in lost]


def _compute_state(row: _SessionState, prefix_hash: str, parameters: str) -> str:
    """Return `<hash of the session and the settings>.<version of this step>`."""
    # The columns that change with a session's entries, or when shared entries of a parent session are found.
    values = [
        row.entry_count, row.user_message_count, row.started_at, row.ended_at, row.input_tokens, row.output_tokens, row.is_closed,
    ]  # fmt: skip
    judged = (row.attribution_hash or "").partition(".")[2]
    values += [judged, row.is_subagent] if judged else []
    return f"{hash_fields(prefix_hash, *map(str, values), parameters)}.{WINDOWING_VERSION}"


def _is_due(state: str, stored: list[_Mark]) -> bool:
    """Whether the session changed, or was open: then only the run's time decides."""
    stored_hash = next((mark.session_hash for mark in stored if mark.session_hash), "")
    if any(mark.status == "pending" and (mark.reason or "").startswith(OPEN_REASON) for mark in stored):
        return True
    if any(mark.engine not in (None, OFFLINE) for mark in stored):
        return stored_hash.partition(".")[0] != state.partition(".")[0]
    return stored_hash != state


class Sized(Protocol):
    """A session with the bytes of its file."""

    @property
    def size(self) -> int: ...


S = TypeVar("S", bound=Sized)


def split_sessions(sessions: Iterable[S], most_bytes: int = WINDOWED_BYTES) -> Iterator[list[S]]:
    """Return sessions in their order, in parts of at most so many bytes of files, which fit into memory together."""
    batch: list[S] = []
    size = 0
    for session in sessions:
        if batch and (size + session.size > most_bytes or len(batch) >= BATCH_SESSIONS):
            yield batch
            batch, size = [], 0
        batch.append(session)
        size += session.size
    if batch:
        yield batch


def _cut_batch(run: Run, sessions: list[_Session]) -> _Batch:
    settings = run.settings.window
    params = WindowParams(settings.cap_tokens, settings.quiet_minutes, settings.min_user_messages)
    entries_by_session = _read_window_entries(run.lake, sessions)
    batch = _Batch()
    for session in sessions:
        session_id = session.session_id
        members, day_of = entries_by_session.get(session_id, ([], {}))
        # The session of a sub-agent is work that somebody asked for, however little was typed in it.
        own_params = replace(params, min_user_messages=0) if session.is_subagent else params
        windows = cut_windows(session_id, members, own_params, run.as_of, session.is_closed)
        rows = build_window_rows(session_id, windows, session.stored, session.state, run.zone)
        batch.windows += rows
        batch.coverage += build_coverage_rows(session_id, windows, day_of)
        batch.stored += session.stored
        batch.outdated += find_outdated_rows(rows, session.stored)
    return batch


def _read_window_entries(lake: Lake, sessions: list[_Session]) -> dict[str, tuple[list[WindowEntry], dict[int, date]]]:
    """Return the entries in ordinal order and the day of each, per session."""
    wanted = {session.session_id: session.entry_count for session in sessions if session.entry_count}
    days = sorted({day for session in sessions for day in session.days})
    frame = _read_entries(lake, sorted(wanted), days)
    if frame.height < sum(wanted.values()):
        frame = _read_entries(lake, sorted(wanted), None)
    frame = frame.unique(["session_id", "ordinal"], keep="first", maintain_order=True).sort("session_id", "ordinal")
    by_session: dict[str, tuple[list[WindowEntry], dict[int, date]]] = {session_id: ([], {}) for session_id in wanted}
    for rows in frame.iter_slices(SLICE_ENTRIES):
        for entry, member in zip(entries := build_entries(rows), make_window_entries(entries), strict=True):
            by_session[entry.session_id][0].append(member)
        for session_id, ordinal, day in rows.select("session_id", "ordinal", "day").iter_rows():
            by_session[session_id][1][ordinal] = day
    return by_session


def _read_entries(lake: Lake, sessions: list[str], days: list[date] | None) -> pl.DataFrame:
    scan = lake.scan("entries", days).filter(pl.col("session_id").is_in(sessions))
    # Windowing reads the text of users and the beginning of replies; the rest is in the raw JSON.
    text = (
        pl.when(pl.col("role") == "user")
        .then("text")
        .when(pl.col("role") == "assistant")
        .then(pl.col("text").str.slice(0, ASSISTANT_CHARS))
        .otherwise(pl.lit(""))
    )
    return scan.select(*ENTRY_COLUMNS_READ, "day").with_columns(text=text).collect()


def _commit_batch(lake: Lake, batch: _Batch, sessions: set[str]) -> None:
    """Commit windows, coverage and the rows they outdate together; partitions without a change are left alone."""
    with lake.commit() as change:
        _replace_changed_days(change, "windows", batch.windows, batch.stored, sessions)
        _replace_changed_days(change, "coverage", batch.coverage, _read_coverage(lake, batch.stored, sessions), sessions)
        gone = [row["window_id"] for row in batch.outdated]
        if days := sorted({row["day"] for row in batch.outdated}):
            for table in ("segments", "observations"):
                rows = lake.read(table, days).drop("schema_version")
                change.replace_days(table, rows.filter(~pl.col("window_id").is_in(gone)), days)


def _read_coverage(lake: Lake, stored: list[WindowRow], sessions: set[str]) -> list[CoverageRow]:
    if not stored:
        return []
    # An entry's local day may differ by one from its window's UTC time.
    spans = {(row["started_at"].date() - timedelta(days=1), row["ended_at"].date() + timedelta(days=1)) for row in stored}
    days = [day for day in lake.list_days("coverage") if any(first <= day <= last for first, last in spans)]
    rows = lake.scan("coverage", days).filter(pl.col("session_id").is_in(sorted(sessions))).drop("schema_version").collect()
    return cast("list[CoverageRow]", rows.rows(named=True))


def _replace_changed_days(
    change: Commit,
    table: str,
    rows_now: Sequence[WindowRow | CoverageRow],
    stored: Sequence[WindowRow | CoverageRow],
    sessions: set[str],
) -> None:
    """Rewrite the days on which the sessions' rows differ from the stored ones."""
    differing = {_freeze_row(row) for row in rows_now} ^ {_freeze_row(row) for row in stored}
    days = sorted({day for day, _ in differing})
    if not days:
        return
    other_rows = change.lake.read(table, days).drop("schema_version").filter(~pl.col("session_id").is_in(sorted(sessions)))
    rows = build_frame(TABLES[table], [row for row in rows_now if row["day"] in set(days)])
    change.replace_days(table, pl.concat([other_rows, rows]), days)


def _freeze_row(row: WindowRow | CoverageRow) -> tuple[date, str]:
    return row["day"], repr(sorted(row.items()))
