"""Turn windows into rows of `windows` and `coverage`; unchanged windows keep the result of their engine."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from transforms.tables.enums import OFFLINE
from transforms.tables.rows import CoverageRow, WindowRow
from transforms.windowing.windows import COPIED_REASON, Window

LEAST_CORRECTION = timedelta(days=1)
"""A time that differs by less was parsed more exactly."""


def build_window_rows(
    session_id: str, windows: list[Window], stored: list[WindowRow], session_hash: str, zone: ZoneInfo
) -> list[WindowRow]:
    """Return the rows of one session's windows, given its stored rows; the last row carries `session_hash`.

    The offline engine leaves out what earlier windows of the session told, so its result is due again behind facts that go.
    """
    stored_by_id = {row["window_id"]: row for row in stored}
    rows = [_build_window_row(session_id, window, stored_by_id.get(window.window_id), zone) for window in windows]
    lost = [row["first_ordinal"] for row in find_outdated_rows(rows, stored) if row["status"] == "distilled"]
    for at, window in enumerate(windows):
        if lost and min(lost) < window.ordinals[0] and rows[at]["engine"] == OFFLINE:
            rows[at] = _build_window_row(session_id, window, None, zone) | {"day": rows[at]["day"]}
    if rows:
        max(rows, key=lambda row: (row["last_ordinal"], row["window_id"]))["session_hash"] = session_hash
    return rows


def find_outdated_rows(rows: list[WindowRow], stored: list[WindowRow]) -> list[WindowRow]:
    """Return the stored rows whose segments and observations no longer hold: the window is gone, changed or now skipped."""
    rows_by_id = {row["window_id"]: row for row in rows}
    return [
        old
        for old in stored
        if (new := rows_by_id.get(old["window_id"])) is None
        or new["content_hash"] != old["content_hash"]
        or (new["attribution_hash"] != old["attribution_hash"] and not is_paid(old))
        or (old["status"] == "distilled" and new["status"] != "distilled")
        or _is_dated_anew(old, new["started_at"], new["ended_at"])
    ]


def _is_dated_anew(old: WindowRow, started_at: datetime, ended_at: datetime) -> bool:
    """Whether times of a window were corrected: facts have the wrong ones. One line of the future moves the end alone."""
    return max(abs(started_at - old["started_at"]), abs(ended_at - old["ended_at"])) > LEAST_CORRECTION


def _build_window_row(session_id: str, window: Window, old: WindowRow | None, zone: ZoneInfo) -> WindowRow:
    is_same = old is not None and old["content_hash"] == window.content_hash
    is_same = is_same and old is not None and not _is_dated_anew(old, window.started_at, window.ended_at)
    if old is not None and old["attribution_hash"] != window.attribution_hash:
        is_same = is_same and is_paid(old)  # a model is not paid again because a text was found to recur
    row: WindowRow = {
        "window_id": window.window_id,
        "session_id": session_id,
        "kind": window.kind,
        "first_ordinal": window.ordinals[0],
        "last_ordinal": window.ordinals[-1],
        "entry_count": len(window.ordinals),
        "user_message_count": window.user_message_count,
        "token_count": window.token_count,
        "started_at": window.started_at,
        "ended_at": window.ended_at,
        "files_read": list(window.files_read),
        "files_modified": list(window.files_modified),
        "status": window.status,
        "reason": window.reason,
        "content_hash": window.content_hash,
        "attribution_hash": window.attribution_hash,
        "session_hash": None,
        "current_task": None,
        "suggested_response": None,
        "mode": None,
        "attempts": 0,
        "engine": None,
        "template_hash": None,
        "day": window.started_at.astimezone(zone).date(),
    }
    if old is None or not is_same:
        return row
    row["day"] = old["day"]  # its segments and observations are there; only another time zone could give another day
    if _keeps_result(old, window):
        row["status"], row["reason"] = old["status"], old["reason"]
        row["current_task"], row["suggested_response"] = old["current_task"], old["suggested_response"]
        row["mode"] = old["mode"]
        row["attempts"], row["engine"], row["template_hash"] = old["attempts"], old["engine"], old["template_hash"]
    return row


def _keeps_result(old: WindowRow, window: Window) -> bool:
    """Whether a window keeps its engine's result. Only a window that needs no result loses it, a paid one only as a copy."""
    if old["status"] not in ("distilled", "failed"):
        return False
    return window.status == "pending" or (is_paid(old) and window.reason != COPIED_REASON)


def is_paid(row: WindowRow) -> bool:
    """Whether a model was paid for a window's result."""
    return row["engine"] not in (None, OFFLINE)


def build_coverage_rows(session_id: str, windows: list[Window], day_of: dict[int, date]) -> list[CoverageRow]:
    """Return one row per entry, on the entry's day."""
    return [
        {"session_id": session_id, "ordinal": ordinal, "window_id": window.window_id, "day": day_of[ordinal]}
        for window in windows
        for ordinal in window.ordinals
    ]
