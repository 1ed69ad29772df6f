"""Tells who speaks in a turn: its role, or the name before its text where a session writes names before what is said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import polars as pl

from transforms.patterns.late_pattern import compile_late

LEAST_NAMED = 2
"""Messages that begin with a name where names are speakers."""
_NAME_PREFIX = compile_late(r"([A-Z][\w.-]{1,24}):\s")


def find_dialogues(entries: pl.DataFrame) -> set[str]:
    """Return the sessions of one day that write a name before what each speaker says: half of the messages or more begin so.

    "Cause: …" and "Done: …" begin single messages.
    """
    spoken = entries.filter(pl.col("role").is_in(["user", "assistant"]) & (pl.col("text").fill_null("").str.len_chars() > 0))
    is_named: defaultdict[str, list[bool]] = defaultdict(list)
    for session, text in spoken.select("session_id", "text").iter_rows():
        is_named[session].append(_NAME_PREFIX.match(text) is not None)
    return {session for session, named in is_named.items() if sum(named) >= max(LEAST_NAMED, len(named) / 2)}


def find_speaker(text: str, entry: Mapping[str, Any]) -> str | None:
    """Return the name in front of a text, else its role; of a user entry without a word of the owner, who wrote it."""
    if name := _NAME_PREFIX.match(text):
        return name.group(1).lower()
    owned = [part["speaker"] == "owner" for part in entry.get("speaker_parts") or ()]
    is_foreign = entry["role"] == "user" and entry.get("speaker") not in (None, "owner") and not any(owned)
    return str(entry["speaker"]) if is_foreign else entry["role"]
