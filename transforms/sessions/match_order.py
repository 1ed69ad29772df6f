"""Orders the sessions that match a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

MATCH_ORDER = ("id", "commit", "changed", "error", "modified", "title", "words", "read")
"""Kinds of matches, the surest first. A file that was only read is in many sessions."""


class SessionMatch(NamedTuple):
    """A session that matches: why (one of MATCH_ORDER), its rank among the matches of that kind, and the words that show it."""

    session_id: str
    why: str
    rank: int
    detail: str


def order_matches(matches: Iterable[SessionMatch], ended_at: Mapping[str, datetime]) -> list[SessionMatch]:
    """Return one match per session: the surest, then the best rank, then the newest session; only sessions with an end count."""
    best: dict[str, SessionMatch] = {}
    for match in matches:
        if match.session_id in ended_at and _is_better(match, best.get(match.session_id)):
            best[match.session_id] = match
    newest = sorted(best.values(), key=lambda match: (ended_at[match.session_id], match.session_id), reverse=True)
    return sorted(newest, key=_key)


def _is_better(match: SessionMatch, old: SessionMatch | None) -> bool:
    return old is None or _key(match) < _key(old)


def _key(match: SessionMatch) -> tuple[int, int]:
    return MATCH_ORDER.index(match.why), match.rank
