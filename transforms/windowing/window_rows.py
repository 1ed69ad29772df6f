"""Windows → rows of `windows` and `coverage`; what an engine already wrote about a window that did not change is kept."""

from __future__ import annotations

from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from transforms.windowing.windows import COPIED, Window

Row = dict[str, Any]

_NOT_DISTILLED: Row = {
    "current_task": None,
    "suggested_response": None,
    "attempts": 0,
    "engine": None,
    "template_hash": None,
}


def window_rows(session_id: str, windows: list[Window], before: list[Row], session_hash: str, zone: ZoneInfo) -> list[Row]:
    """Rows of one session's windows, given its rows of the last run; the last row carries `session_hash`."""
    known = {row["window_id"]: row for row in before}
    rows = [_row(session_id, window, known.get(window.window_id), zone) for window in windows]
    if rows:
        max(rows, key=lambda row: (row["last_ordinal"], row["window_id"]))["session_hash"] = session_hash
    return rows


def outdated(rows: list[Row], before: list[Row]) -> list[Row]:
    """Rows of the last run whose segments and observations no longer hold: the window is gone, changed or skipped now."""
    now = {row["window_id"]: row for row in rows}
    return [
        old
        for old in before
        if (new := now.get(old["window_id"])) is None
        or new["content_hash"] != old["content_hash"]
        or (old["status"] == "distilled" and new["status"] != "distilled")
    ]


def _row(session_id: str, window: Window, old: Row | None, zone: ZoneInfo) -> Row:
    is_same = old is not None and old["content_hash"] == window.content_hash
    row = _NOT_DISTILLED | {
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
        "session_hash": None,
        "day": window.started_at.astimezone(zone).date(),
    }
    if old is None or not is_same:
        return row
    row["day"] = old["day"]  # its segments and observations lie there; only a changed zone setting could tell otherwise
    return row | ({name: old[name] for name in (*_NOT_DISTILLED, "status", "reason")} if _keeps_result(old, window) else {})


def _keeps_result(old: Row, window: Window) -> bool:
    """An engine has answered. Only windows that need no answer any more lose it, and a paid one only when it is a copy."""
    if old["status"] not in ("distilled", "failed"):
        return False
    return window.status == "pending" or (is_paid(old) and window.reason != COPIED)


def is_paid(row: Row) -> bool:
    """Whether a model was paid for a window's result."""
    return row["engine"] not in (None, "offline")


def coverage_rows(session_id: str, windows: list[Window], day_of: dict[int, date]) -> list[Row]:
    """One row per entry, `day` being the entry's."""
    return [
        {"session_id": session_id, "ordinal": ordinal, "window_id": window.window_id, "day": day_of[ordinal]}
        for window in windows
        for ordinal in window.ordinals
    ]
