"""What the `sessions` table says about a session, and which of its entries were copied from the session it was forked from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.conversation.message_spans import typed_text

TITLE_CHARS = 80

NARROW = (
    "session_id", "entry_id", "parent_id", "ordinal", "entry_type", "role", "turn_kind", "text", "tool_name", "tool_call_id",
    "is_error", "provider", "model", "stop_reason", "input_tokens", "output_tokens", "cost_usd", "said_at", "on_active_branch",
    "flags", "day",
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


def session_row(frame: pl.DataFrame, zone: ZoneInfo, fallback_at: datetime) -> dict[str, Any]:
    """The computed columns of a session from all its entries (NARROW columns, ordinal order).

    Copied entries belong to the parent: they count as entries, but not for its start, messages, models, tokens and cost.
    `fallback_at` is the start of a session without entries.
    """
    flags = frame["flags"].to_list()
    own = frame.filter([("copied" not in found) for found in flags]) if any("copied" in found for found in flags) else frame
    started = own["said_at"].min() if own.height else frame["said_at"].max()
    ended = frame["said_at"].max()
    started_at = started if isinstance(started, datetime) else fallback_at
    return {
        "title": session_title(frame, own),
        "started_at": started_at,
        "ended_at": ended if isinstance(ended, datetime) else fallback_at,
        "entry_count": frame.height,
        "user_message_count": own["turn_kind"].to_list().count("typed"),
        "models": _models(own),
        "input_tokens": int(own["input_tokens"].sum()),
        "output_tokens": int(own["output_tokens"].sum()),
        "cost_usd": math.fsum(cost for cost in own["cost_usd"].to_list() if cost is not None),
        "day": started_at.astimezone(zone).date(),
    }


def session_rows(frame: pl.DataFrame, zone: ZoneInfo) -> dict[str, dict[str, Any]]:
    """As `session_row` for whole sessions below each other, none of them without entries or with copied ones, by session id."""
    is_typed = pl.col("turn_kind") == "typed"
    found = frame.group_by("session_id", maintain_order=True).agg(
        pl.col("text").filter(pl.col("entry_type") == "session_info").last().alias("name"),
        pl.col("text").filter(is_typed).alias("typed"),
        pl.col("said_at").min().alias("started_at"),
        pl.col("said_at").max().alias("ended_at"),
        pl.len().alias("entry_count"),
        is_typed.sum().alias("user_message_count"),
        pl.struct("provider", "model").filter(pl.col("role") == "assistant").unique(maintain_order=True).alias("models"),
        pl.col("input_tokens").sum(),
        pl.col("output_tokens").sum(),
        pl.col("cost_usd").drop_nulls(),
    )
    rows = {}
    for row in found.iter_rows(named=True):
        own, title, typed = row.pop("session_id"), _named(row.pop("name")), row.pop("typed")
        rows[own] = row | {
            "title": title or next(filter(None, map(_first_words, typed)), None),
            "models": _model_names((pair["provider"], pair["model"]) for pair in row["models"]),
            "cost_usd": math.fsum(row["cost_usd"]),
            "day": row["started_at"].astimezone(zone).date(),
        }
    return rows


def session_title(frame: pl.DataFrame, own: pl.DataFrame) -> str | None:
    """The last session name in file order; without one the first line that was typed, the session's own words first."""
    types = frame["entry_type"].to_list()
    if "session_info" in types and (name := _named(frame["text"][len(types) - 1 - types[::-1].index("session_info")])):
        return name
    for rows in (own,) if own is frame else (own, frame):
        for at, kind in enumerate(rows["turn_kind"].to_list()):
            if kind == "typed" and (words := _first_words(rows["text"][at])):
                return words
    return None


def _named(text: str | None) -> str:
    return " ".join((text or "").split())[:TITLE_CHARS]


def _first_words(text: str) -> str:
    words = " ".join(typed_text(text).split("\n", 1)[0].split())
    return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1].rstrip() + "…"


def _models(own: pl.DataFrame) -> list[str]:
    answers = zip(own["role"].to_list(), own["provider"].to_list(), own["model"].to_list(), strict=True)
    return _model_names((provider, model) for role, provider, model in answers if role == "assistant")


def _model_names(pairs: Iterable[tuple[str | None, str | None]]) -> list[str]:
    return ["/".join(name for name in pair if name) for pair in dict.fromkeys(pairs) if any(pair)]


def copied_ordinals(child: pl.DataFrame, origins: list[pl.DataFrame]) -> set[int]:
    """Ordinals of a fork's entries that one of the `origins` has as well: same type, time and content.

    Ids are left out of the comparison on purpose: pi gives an old parent new ids when it migrates it, and newer versions
    chain parents anew. Entries without a time of their own are never taken for copies.
    """
    timed = child.filter(~pl.col("flags").list.contains("no_time"))
    found: set[int] = set()
    for origin in origins:
        found |= set(timed.join(origin.select(_CONTENT), on=_CONTENT, how="semi", nulls_equal=True)["ordinal"])
    return found


def parent_id_of(parent_path: str | None, id_of_path: dict[str, str]) -> str | None:
    """The session that a header's parent path names: a file that we know, else the id in its file name."""
    if not parent_path:
        return None
    if known := id_of_path.get(parent_path):
        return known
    name = parent_path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
    return name.split("_", 1)[1] if "_" in name else name


def origins_of(session_id: str, parents: dict[str, str | None]) -> list[str]:
    """The sessions that a fork may share entries with: its parent, or when that is not here its earlier siblings.

    `parents` maps every session to the id of its parent, present or not. A ring of parents is broken at its smallest id.
    """
    parent = parents.get(session_id)
    if parent is None or parent == session_id:
        return []
    if parent not in parents:
        return sorted(other for other, of in parents.items() if of == parent and other < session_id)
    at: str | None = parent
    ring = [session_id]
    while at in parents and at not in ring:
        ring.append(at)
        at = parents[at]
    return [] if at == session_id and session_id == min(ring) else [parent]


def touched_forks(touched: set[str], parents: dict[str, str | None]) -> list[str]:
    """Sessions whose copies have to be looked at again when `touched` sessions are new or have changed."""
    lost = {parents[own] for own in touched if parents.get(own)}
    return sorted(own for own, parent in parents.items() if parent and (own in touched or parent in touched or parent in lost))
