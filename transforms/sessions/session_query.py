"""Reads a query for sessions: a commit, a line of a file, a file, or words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.patterns.late_pattern import compile_late

_WHOLE_HASH = compile_late(r"[0-9a-f]{7,40}", re.I)
_PATH_AND_LINE = compile_late(r"(?P<path>[^\s:]+):(?P<line>[1-9]\d*)(?::\d+)?")
_WHOLE_PATH = compile_late(r"(?:~|\.{0,2}/)?[\w@.+-]+(?:/[\w@.+-]+)*/?")
_FILE_SUFFIX = compile_late(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")


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
