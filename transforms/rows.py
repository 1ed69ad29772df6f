"""Parsed objects → rows of `entries`: typed columns, text per role, redacted raw JSON.

Columns are built for many sessions at once, because a frame costs a millisecond and a small session is read in less.
What depends on the whole session (active branch, structural flags) is added by `tree_columns`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.cleaning import Cleaned, cleaned
from transforms.entry_text import (
    entry_text,
    entry_thinking,
    is_failed,
    message_of,
    parse_time,
    said_at,
    usage_of,
)
from transforms.migrate import LINEAR_VERSION, entry_ids, first_kept_id, message_role
from transforms.parse import Header, Parsed
from transforms.schema import ENTRIES
from transforms.serialize import entry_message, estimate_tokens
from transforms.tree import STRUCTURAL_FLAGS, build_tree
from transforms.turns import turn_kind

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of an entry in a file that has no time at all; before any real one, and not the day of the lake's empty files."""

MOST_TOKENS = 2**31 - 1
SCHEMA = {name: dtype for name, (dtype, _) in ENTRIES.columns.items()}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a batch of objects continues: the file, its header, the next ordinal, the time of the entry before it."""

    header: Header
    source_path: str
    zone: ZoneInfo
    first_ordinal: int = 0
    time_before: datetime | None = None


Group = tuple[Place, list[Parsed]]
"""Objects of one file that follow each other, headers left out."""


def entry_rows(objects: list[Parsed], place: Place) -> tuple[pl.DataFrame, int]:
    """Rows of `entries` for objects without headers, in file order, and how many secrets were taken out.

    `on_active_branch` is false and the structural flags are missing until `tree_columns` has seen the whole session.
    """
    frame, secrets = rows_of_groups([(place, objects)])
    return frame, sum(secrets)


def rows_of_groups(groups: Sequence[Group]) -> tuple[pl.DataFrame, list[int]]:
    """As `entry_rows` for several files of one zone, one below the other, and the number of secrets of each."""
    ids = [entry_ids([one.value for one in objects], place.header.version, place.first_ordinal) for place, objects in groups]
    values = [_values(place, objects, own) for (place, objects), own in zip(groups, ids, strict=True)]
    parsed = [one for _, objects in groups for one in objects]
    stored = list(chain.from_iterable(values))
    clean = cleaned(stored, [one.written if one.value is value else b"" for one, value in zip(parsed, stored, strict=True)])
    own_ids = list(chain.from_iterable(ids))
    times = list(chain.from_iterable(_times(some, place) for (place, _), some in zip(groups, values, strict=True)))
    rows = [_fields(*one) for one in zip(parsed, clean.values, clean.is_redacted, own_ids, strict=True)]
    secrets, at = [], 0
    for _, objects in groups:
        secrets.append(sum(clean.secrets[at : at + len(objects)]))
        at += len(objects)
    return _frame(groups, own_ids, rows, times, clean), secrets


def tree_columns(frame: pl.DataFrame, copied: set[int] | None = None) -> pl.DataFrame:
    """A whole session's rows in ordinal order, with `on_active_branch` and the structural flags set anew.

    `copied` are the ordinals that a parent session has too; None leaves that flag as it is.
    """
    tree = build_tree(frame["entry_id"].to_list(), frame["parent_id"].to_list())
    is_active = pl.Series("on_active_branch", tree.is_active, pl.Boolean)
    given = [tuple(old or ()) for old in frame["flags"].to_list()]
    if not copied and not any(tree.flags) and not any(given):
        return frame.with_columns(is_active)
    replaced = set(STRUCTURAL_FLAGS) | ({"copied"} if copied is not None else set())
    flags = [
        tuple(sorted({*old, *new} - (replaced - set(new)) | ({"copied"} if copied and ordinal in copied else set())))
        for ordinal, old, new in zip(frame["ordinal"].to_list(), given, tree.flags, strict=True)
    ]
    return frame.with_columns(is_active) if flags == given else frame.with_columns(is_active, _flag_series(flags))


def _values(place: Place, objects: list[Parsed], ids: list[tuple[str, str | None, bool]]) -> list[dict[str, Any]]:
    """The objects; a v1 compaction also names the entry that it kept from, as later versions do."""
    if place.header.version > LINEAR_VERSION:
        return [one.value for one in objects]
    by_index = {one.index: own for one, (own, _, _) in zip(objects, ids, strict=True)}
    return [_with_kept_id(one, by_index) for one in objects]


def _with_kept_id(parsed: Parsed, by_index: dict[int, str]) -> dict[str, Any]:
    value = parsed.value
    if value.get("type") == "compaction" and "firstKeptEntryId" not in value:
        kept = first_kept_id(value, parsed.index, by_index)
        return value | {"firstKeptEntryId": kept} if kept else value
    return value


def _times(values: list[dict[str, Any]], place: Place) -> list[tuple[datetime, bool]]:
    """The time of each entry and whether it is its own; else that of the entry before, the header's, or the first to follow."""
    given = [said_at(value) for value in values]
    before = place.time_before or parse_time(place.header.timestamp)
    last = before or next((at for at in given if at), EPOCH)
    times = []
    for at in given:
        last = at or last
        times.append((last, at is not None))
    return times


_FIELDS = (
    "line_no", "entry_type", "role", "turn_kind", "text", "thinking", "tool_name", "tool_call_id", "is_error", "provider",
    "model", "stop_reason", "input_tokens", "output_tokens", "cost_usd", "token_count",
)  # fmt: skip


def _fields(
    parsed: Parsed, value: dict[str, Any], is_redacted: bool, own: tuple[str, str | None, bool]
) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """The columns that one entry gives by itself, in the order of _FIELDS, and its flags but `no_time`."""
    message = message_of(value)
    role = message_role(message)
    text = entry_text(value)
    context = entry_message(value)
    source = message or value
    fields = (
        parsed.line_no, _string(value.get("type")) or "unknown", role, turn_kind(text) if role == "user" else None,
        text, entry_thinking(message), _string(message.get("toolName")), _string(message.get("toolCallId")), is_failed(message),
        _string(source.get("provider")), _string(source.get("model") or source.get("modelId")),
        _string(message.get("stopReason")), *usage_of(value),
        min(estimate_tokens(context), MOST_TOKENS) if context else 0,
    )  # fmt: skip
    return fields, _flags(parsed.flags, message, own[2], is_redacted)


def _flags(given: tuple[str, ...], message: dict[str, Any], is_synthetic: bool, is_redacted: bool) -> tuple[str, ...]:
    flags = list(given)
    content = message.get("content")
    if is_synthetic:
        flags.append("no_id")
    if isinstance(content, str):
        if message.get("role") in ("assistant", "toolResult"):
            flags.append("string_content")
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and part.get("type") == "image":
                flags.append("image")
                break
    if is_redacted:
        flags.append("redacted")
    return tuple(flags)


def _frame(
    groups: Sequence[Group],
    ids: list[tuple[str, str | None, bool]],
    rows: list[tuple[tuple[Any, ...], tuple[str, ...]]],
    times: list[tuple[datetime, bool]],
    clean: Cleaned,
) -> pl.DataFrame:
    if not rows:
        return pl.DataFrame(schema=SCHEMA)
    columns: dict[str, Any] = dict(zip(_FIELDS, zip(*(fields for fields, _ in rows), strict=True), strict=True))
    columns |= dict(zip(("entry_id", "parent_id", "is_synthetic_id"), zip(*ids, strict=True), strict=True))
    columns["session_id"] = list(chain.from_iterable([place.header.session_id] * len(some) for place, some in groups))
    columns["source_path"] = list(chain.from_iterable([place.source_path] * len(some) for place, some in groups))
    columns["ordinal"] = list(chain.from_iterable(range(at.first_ordinal, at.first_ordinal + len(some)) for at, some in groups))
    columns["said_at"] = [at for at, _ in times]
    series = [pl.Series(name, list(column), SCHEMA[name]) for name, column in columns.items()]
    flags = [
        tuple(sorted({*found, "no_time"} if not is_own else found)) if found or not is_own else found
        for (_, found), (_, is_own) in zip(rows, times, strict=True)
    ]
    frame = pl.DataFrame([*series, clean.raw_json, _flag_series(flags)])
    zone = groups[0][0].zone.key
    local = pl.col("said_at").dt.convert_time_zone(zone).dt.date()
    return frame.with_columns(on_active_branch=pl.lit(False), day=local).select(*SCHEMA)


def _flag_series(flags: Sequence[tuple[str, ...]]) -> pl.Series:
    """A column of few different lists: each is made once, because nested Python lists are slow to convert."""
    different = {found: index for index, found in enumerate(dict.fromkeys(flags))}
    lists = pl.Series("flags", [list(found) for found in different], pl.List(pl.String))
    return lists.gather([different[found] for found in flags])


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
