"""Computes the row of a session, and finds the entries of a fork that were copied from its parent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import TypedDict
from zoneinfo import ZoneInfo

import polars as pl

from transforms.conversation.speakers import Attribution, attribute_user_text, extract_words_of, read_part_rows
from transforms.tables.json_object import JsonObject

SESSION_TITLE_CHARS = 80
UNSPACED_LETTERS = 4

NARROW = (
    "session_id", "entry_id", "parent_id", "ordinal", "entry_type", "role", "turn_kind", "speaker", "speaker_reason",
    "speaker_parts", "text", "tool_name", "tool_call_id", "is_error", "provider", "model", "stop_reason", "input_tokens",
    "output_tokens", "cost_usd", "said_at", "on_active_branch", "flags", "day",
)  # fmt: skip
"""Columns that a session's row, tree and copies are computed from: everything but the bulk."""

_CONTENT = [
    "entry_type",
    "role",
    "said_at",
    "text",
    "tool_name",
    "tool_call_id",
    "is_error",
    "model",
    "stop_reason",
    "output_tokens",
]


class SessionSummary(TypedDict):
    """The columns of `sessions` that are computed from a session's entries."""

    title: str | None
    started_at: datetime
    ended_at: datetime
    entry_count: int
    user_message_count: int
    models: list[str]
    input_tokens: int
    output_tokens: int
    cost_usd: float
    day: date


HAS_OWNER_WORDS = (
    pl.when(pl.col("speaker").is_null())
    .then(pl.col("turn_kind") == "typed")
    .otherwise(
        (pl.col("speaker") == "owner")
        | pl.col("speaker_parts").list.eval(pl.element().struct.field("speaker") == "owner").list.any().fill_null(value=False)
    )
    .fill_null(value=False)
)
"""Whether the owner wrote any of an entry; rows of older versions have no speaker."""


def summarise_sessions(frame: pl.DataFrame, zone: ZoneInfo) -> dict[str, SessionSummary]:
    """Return the computed columns of whole sessions below each other, by session id (NARROW columns, ordinal order).

    Copied entries belong to the parent: they count as entries, but not for a session's start, messages, models, tokens and cost.
    """
    is_own = ~pl.col("flags").list.contains("copied")
    is_typed = HAS_OWNER_WORDS & (pl.col("role") == "user")
    spoken = pl.struct("text", "speaker", "speaker_reason", "speaker_parts")
    sessions = frame.group_by("session_id", maintain_order=True).agg(
        pl.col("text").filter(pl.col("entry_type") == "session_info").last().alias("name"),
        spoken.filter(is_typed & is_own).alias("typed"),
        spoken.filter(is_typed & ~is_own).alias("copied_typed"),
        pl.col("said_at").filter(is_own).min().alias("started_at"),
        pl.col("said_at").max().alias("ended_at"),
        pl.len().alias("entry_count"),
        (is_typed & is_own).sum().alias("user_message_count"),
        pl.struct("provider", "model")
        .filter((pl.col("role") == "assistant") & is_own)
        .unique(maintain_order=True)
        .alias("models"),
        pl.col("input_tokens").filter(is_own).sum(),
        pl.col("output_tokens").filter(is_own).sum(),
        pl.col("cost_usd").filter(is_own).drop_nulls(),
    )
    return {session["session_id"]: _summarise(session, zone) for session in sessions.iter_rows(named=True)}


def summarise_empty_session(started_at: datetime, zone: ZoneInfo) -> SessionSummary:
    """Return the computed columns of a session without entries."""
    return {
        "title": None, "started_at": started_at, "ended_at": started_at, "entry_count": 0, "user_message_count": 0, "models": [],
        "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "day": started_at.astimezone(zone).date(),
    }  # fmt: skip


def _summarise(session: JsonObject, zone: ZoneInfo) -> SessionSummary:
    started_at = session["started_at"] or session["ended_at"]
    first_lines = [line for line in map(_read_first_line, (*session["typed"], *session["copied_typed"])) if line]
    names = ("/".join(name for name in (pair["provider"], pair["model"]) if name) for pair in session["models"])
    return {
        "title": " ".join((session["name"] or "").split())[:SESSION_TITLE_CHARS] or _choose_title(first_lines),
        "started_at": started_at,
        "ended_at": session["ended_at"],
        "entry_count": session["entry_count"],
        "user_message_count": session["user_message_count"],
        "models": [name for name in names if name],
        "input_tokens": session["input_tokens"],
        "output_tokens": session["output_tokens"],
        "cost_usd": math.fsum(session["cost_usd"]),
        "day": started_at.astimezone(zone).date(),
    }


def _choose_title(first_lines: Sequence[str]) -> str | None:
    """Return the first line that names a matter, else the first one: a single word ("hi", "clear", "1") names none."""
    return next(filter(_names_matter, first_lines), next(iter(first_lines), None))


def _names_matter(line: str) -> bool:
    """Whether a line has two words, or the letters of two in a script that writes without spaces and knows no capitals."""
    uncased = sum(char.isalpha() and char.lower() == char.upper() for char in line)
    return uncased >= UNSPACED_LETTERS or sum(any(map(str.isalpha, word)) for word in line.split()) >= 2


def _read_first_line(entry: JsonObject) -> str:
    """Return the first line that the owner typed, at most TITLE_CHARS of it."""
    text, speaker = entry["text"], entry["speaker"]
    parts = read_part_rows(entry["speaker_parts"])
    attribution = Attribution(speaker, entry["speaker_reason"], parts) if speaker else attribute_user_text(text)
    words = " ".join(extract_words_of("owner", text, attribution).split("\n", 1)[0].split())
    return words if len(words) <= SESSION_TITLE_CHARS else words[: SESSION_TITLE_CHARS - 1].rstrip() + "…"


def find_copied_rows(child: pl.DataFrame, origins: Sequence[pl.DataFrame]) -> set[int]:
    """Return the numbers of a fork's rows that one of its origins has as well: same type, time and content.

    Ids are not compared, because pi gives an old parent new ids when it migrates it, and newer versions chain parents anew.
    An entry without a time of its own is never a copy.
    """
    timed = child.with_row_index("row").filter(~pl.col("flags").list.contains("no_time"))
    return {
        row for origin in origins for row in timed.join(origin.select(_CONTENT), on=_CONTENT, how="semi", nulls_equal=True)["row"]
    }


def find_repeated_rows(frame: pl.DataFrame) -> set[int]:
    """Return the numbers of rows that an earlier row of their session repeats: same id, type, time and content.

    A client or a sync tool wrote the lines twice. An id that comes back with other words is an entry of its own.
    """
    is_first = frame.select(pl.struct("session_id", "entry_id", *_CONTENT).is_first_distinct())
    return set(is_first.to_series().not_().arg_true().to_list())


def resolve_parent_id(parent_path: str | None, id_of_path: dict[str, str]) -> str | None:
    """Return the session that a header's parent path names: that of a known file, else the id in the file name."""
    if not parent_path:
        return None
    if known := id_of_path.get(parent_path):
        return known
    name = parent_path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
    return name.split("_", 1)[1] if "_" in name else name


def find_origins(session_id: str, parents: dict[str, str | None]) -> list[str]:
    """Return the sessions that a fork may share entries with: its parent, or its earlier siblings when that is missing.

    `parents` maps every session to the id of its parent, present or not. A ring of parents is broken at its smallest id.
    """
    parent = parents.get(session_id)
    if parent is None or parent == session_id:
        return []
    if parent not in parents:
        return sorted(other for other, of in parents.items() if of == parent and other < session_id)
    ancestor: str | None = parent
    ring = [session_id]
    while ancestor in parents and ancestor not in ring:
        ring.append(ancestor)
        ancestor = parents[ancestor]
    return [] if ancestor == session_id and session_id == min(ring) else [parent]


def find_touched_forks(touched: set[str], parents: dict[str, str | None]) -> list[str]:
    """Return the sessions whose copies may change when `touched` sessions are new or have changed."""
    lost = {parents[own] for own in touched if parents.get(own)}
    return sorted(own for own, parent in parents.items() if parent and (own in touched or parent in touched or parent in lost))
