"""The archive: which client deletes how many session files and when, and whether the lake holds them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

CLIENT_NAMES = {"pi": "pi", "claude": "Claude Code", "codex": "Codex"}
DELETING = "claude"
"""The one client that deletes session files by itself, a while after their last change (`cleanupPeriodDays`)."""
DELETED_SOON_DAYS = 7


@dataclass(frozen=True, slots=True)
class ClientArchive:
    """Sessions of a client. `next_deletions` are the first days on which files go, with their number; none for other clients."""

    name: str
    sessions: int
    files: int
    gone: int
    unread: int
    kept_days: int | None
    overdue: int
    due_soon: int
    next_deletions: tuple[tuple[date, int], ...]

    @property
    def is_safe(self) -> bool:
        """Whether every file that is still there is in the lake to its last line."""
        return self.unread == 0


def build_archive(
    sessions: pl.DataFrame, sources: pl.DataFrame, as_of: datetime, zone: ZoneInfo, kept_days: int
) -> tuple[ClientArchive, ...]:
    """Return the archive of each client that wrote a session, in the order of their names.

    `kept_days` is the time after which Claude Code deletes a file. A file counts as gone when the last night did not find it.
    """
    agents = sessions.select("session_id", client=pl.col("agent").fill_null("pi"))
    files = sources.join(agents, on="session_id", how="inner")
    archives = []
    for client in sorted(set(agents["client"])):
        own = files.filter(pl.col("client") == client)
        present = own.filter(pl.col("status") == "read")
        ends = _list_ends(present, kept_days) if client == DELETING else []
        days = [end.astimezone(zone).date() for end in ends if end > as_of]
        archives.append(
            ClientArchive(
                name=CLIENT_NAMES.get(client, client),
                sessions=agents.filter(pl.col("client") == client).height,
                files=present.height,
                gone=own.filter(pl.col("status") == "gone").height,
                unread=present.filter(pl.col("consumed_bytes") < pl.col("size")).height,
                kept_days=kept_days if client == DELETING else None,
                overdue=sum(end <= as_of for end in ends),
                due_soon=sum(as_of < end <= as_of + timedelta(days=DELETED_SOON_DAYS) for end in ends),
                next_deletions=tuple((day, days.count(day)) for day in sorted(set(days))[:3]),
            )
        )
    return tuple(archives)


def _list_ends(files: pl.DataFrame, kept_days: int) -> list[datetime]:
    changed = [datetime.fromtimestamp(mtime / 1e9, UTC) for mtime in files["mtime_ns"].to_list() if mtime and mtime > 0]
    return [moment + timedelta(days=kept_days) for moment in changed]
