"""Tells when an entry stands in the talk: a prompt that waited in a queue keeps the time at which it was typed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime


def list_talk_times(entries: Iterable[tuple[datetime, bool]]) -> list[datetime]:
    """Return the time from which pauses around each entry are measured, given its own and whether it is the user's.

    It is its own, but for a prompt that is older than what stands before it: that waited, and stands with what follows it. Where
    the talk does not go on behind the latest time so far, a clock was set back, and each entry keeps its time.
    """
    times: list[datetime] = []
    waiting: list[int] = []
    latest: datetime | None = None
    for index, (said_at, is_users) in enumerate(entries):
        times.append(said_at)
        if latest is not None and is_users and said_at < latest:
            waiting.append(index)
            continue
        if latest is None or said_at >= latest:
            for earlier in waiting:
                times[earlier] = said_at
        waiting, latest = [], said_at
    return times
