"""Reads a query for sessions (a commit, a line of a file, a file, or words), and orders the matches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late

_WHOLE_HASH = compile_late(r"[0-9a-f]{7,40}", re.I)
_PATH_AND_LINE = compile_late(r"(?P<path>[^\s:]+):(?P<line>[1-9]\d*)(?::\d+)?")
_WHOLE_PATH = compile_late(r"(?:~|\.{0,2}/)?[\w@.+-]+(?:/[\w@.+-]+)*/?")
_FILE_SUFFIX = compile_late(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
MATCH_ORDER = ("id", "commit", "changed", "error", "modified", "title", "words", "read")
"""Kinds of matches, the surest first. A file that was only read is in many sessions."""


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """A query, and the commit, the path and the line that it may name."""

    text: str
    commit: str | None = None
    path: str | None = None
    line: int | None = None


def parse_session_query(text: str) -> SessionQuery:
    """Return the query; a word with a slash or a suffix is a path, seven or more hexadecimal digits are a commit.

    One of a thousand short hashes has letters alone, as "defaced" has: it may be a commit, and its words are looked for, too.
    """
    text = text.strip()
    if _WHOLE_HASH.fullmatch(text):
        return SessionQuery(text, commit=text.lower())
    if (match := _PATH_AND_LINE.fullmatch(text)) and _is_path(match["path"]):
        return SessionQuery(text, path=match["path"], line=int(match["line"]))
    return SessionQuery(text, path=text if _is_path(text) else None)


def _is_path(text: str) -> bool:
    return _WHOLE_PATH.fullmatch(text) is not None and ("/" in text or _FILE_SUFFIX.search(text) is not None)


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
