"""Which client deletes how many sessions and when, and whether the lake holds them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from transforms.report.archive import ClientArchive, build_archive
from transforms.tables.schema import SESSIONS, SOURCES, build_frame

NOW = datetime(2026, 5, 18, 4, tzinfo=UTC)


def build(files: list[tuple[str, str | None, float, str, int]]) -> dict[str, ClientArchive]:
    """Return the archives by client of files: session, client, age in days, status, bytes that were not read."""
    sessions = [{"session_id": name, "agent": agent, "day": NOW.date()} for name, agent, *_ in files]
    sources: list[dict[str, Any]] = [
        {"path": f"/{name}", "session_id": name, "status": status, "size": 100, "consumed_bytes": 100 - unread,
         "mtime_ns": int((NOW - timedelta(days=age)).timestamp() * 1e9)}
        for name, _, age, status, unread in files
    ]  # fmt: skip
    archives = build_archive(build_frame(SESSIONS, sessions), build_frame(SOURCES, sources), NOW, ZoneInfo("UTC"), 30)
    return {archive.name: archive for archive in archives}


def test_files_of_claude_code_go_a_month_after_their_last_change() -> None:
    archive = build([("a", "claude", 31, "read", 0), ("b", "claude", 25, "read", 0), ("c", "claude", 1, "read", 0),
                     ("d", "claude", 1, "read", 0), ("e", "claude", 90, "gone", 0)])["Claude Code"]  # fmt: skip
    assert (archive.sessions, archive.files, archive.gone) == (5, 4, 1)
    assert (archive.overdue, archive.due_soon) == (1, 1)
    assert archive.next_deletions == ((date(2026, 5, 23), 1), (date(2026, 6, 16), 2))
    assert archive.is_safe


def test_other_clients_delete_nothing_and_unread_lines_are_reported() -> None:
    """A row without a client is of an older version, which knew pi only."""
    archives = build([("a", None, 400, "read", 7), ("b", "pi", 1, "read", 0), ("c", "codex", 99, "read", 0)])
    assert list(archives) == ["Codex", "pi"]
    assert (archives["pi"].kept_days, archives["pi"].sessions, archives["pi"].unread) == (None, 2, 1)
    assert not archives["pi"].is_safe
    assert archives["Codex"].next_deletions == ()
