"""Parsed objects → rows of `entries`: typed columns, text per role, redacted raw JSON.

What depends on the whole session (active branch, structural flags) is added by `tree_columns`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import polars as pl

from transforms.entry_text import (
    cut_bulk,
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
from transforms.redact import assignment_suspicion, redact_value, shape_suspicion
from transforms.schema import ENTRIES
from transforms.serialize import entry_message, estimate_tokens
from transforms.tree import STRUCTURAL_FLAGS, build_tree
from transforms.turns import turn_kind

_SURROGATE = re.compile("[\ud800-\udfff]")

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of an entry in a file that has no time at all; before any real one, and not the day of the lake's empty files."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a batch of objects continues: the file, its header, the next ordinal, the time of the entry before it."""

    header: Header
    source_path: str
    zone: ZoneInfo
    first_ordinal: int = 0
    time_before: datetime | None = None


def entry_rows(objects: list[Parsed], place: Place) -> tuple[pl.DataFrame, int]:
    """Rows of `entries` for objects without headers, in file order, and how many secrets were taken out.

    `on_active_branch` is false and the structural flags are missing until `tree_columns` has seen the whole session.
    """
    values = [parsed.value for parsed in objects]
    ids = entry_ids(values, place.header.version, place.first_ordinal)
    by_index = {parsed.index: own for parsed, (own, _, _) in zip(objects, ids, strict=True)}
    cleaned, secrets = _clean([_with_kept_id(parsed, place.header, by_index) for parsed in objects])
    times = _times(values, place)
    rows = [
        _row(place, place.first_ordinal + offset, parsed, clean, own, at)
        for offset, (parsed, clean, own, at) in enumerate(zip(objects, cleaned, ids, times, strict=True))
    ]
    schema = {name: dtype for name, (dtype, _) in ENTRIES.columns.items()}
    return pl.DataFrame(rows, schema=schema, orient="row"), secrets


def tree_columns(frame: pl.DataFrame, copied: set[int] | None = None) -> pl.DataFrame:
    """A whole session's rows in ordinal order, with `on_active_branch` and the structural flags set anew.

    `copied` are the ordinals that a parent session has too; None leaves that flag as it is.
    """
    tree = build_tree(frame["entry_id"].to_list(), frame["parent_id"].to_list())
    replaced = set(STRUCTURAL_FLAGS) | ({"copied"} if copied is not None else set())
    flags = [
        sorted({*(old or ()), *new} - (replaced - set(new)) | ({"copied"} if copied and ordinal in copied else set()))
        for ordinal, old, new in zip(frame["ordinal"], frame["flags"].to_list(), tree.flags, strict=True)
    ]
    return frame.with_columns(
        pl.Series("on_active_branch", tree.is_active, pl.Boolean), pl.Series("flags", flags, pl.List(pl.String))
    )


def _with_kept_id(parsed: Parsed, header: Header, by_index: dict[int, str]) -> dict[str, Any]:
    """The object without bulk; a v1 compaction also names the entry that it kept from, as later versions do."""
    value: dict[str, Any] = cut_bulk(parsed.value)
    if header.version <= LINEAR_VERSION and value.get("type") == "compaction" and "firstKeptEntryId" not in value:
        kept = first_kept_id(value, parsed.index, by_index)
        return value | {"firstKeptEntryId": kept} if kept else value
    return value


def _clean(values: list[dict[str, Any]]) -> tuple[list[tuple[dict[str, Any], str, bool]], int]:
    """(redacted value, its JSON, whether anything was redacted) of each value. Rust finds the rows that Python looks at."""
    dumped = [_dump(value) for value in values]
    suspects = pl.DataFrame({"raw_json": dumped}, schema={"raw_json": pl.String}).select(
        has_shape=shape_suspicion(), is_named=assignment_suspicion()
    )
    found: list[tuple[dict[str, Any], str, bool]] = []
    total = 0
    for value, raw, (has_shape, is_named) in zip(values, dumped, suspects.iter_rows(), strict=True):
        is_user = message_of(value).get("role") in ("user", "bashExecution")
        clean, count = _loaded(value, raw), 0
        if has_shape or is_named or is_user:
            clean, count = redact_value(clean, is_user, has_shape)
        total += count
        found.append((clean, _dump(clean) if count else raw, count > 0))
    return found, total


def _loaded(value: dict[str, Any], raw: str) -> dict[str, Any]:
    """The value as stored: when a lone surrogate had to be replaced, the columns must say the same as the raw JSON."""
    loaded: dict[str, Any] = orjson.loads(raw) if "\ufffd" in raw else value
    return loaded


def _dump(value: dict[str, Any]) -> str:
    """Compact JSON; lone surrogates become U+FFFD, because neither Parquet nor strict readers accept them."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return _SURROGATE.sub("\ufffd", text)


def _times(values: list[dict[str, Any]], place: Place) -> list[datetime]:
    """The time of each entry; a missing one is that of the entry before it, the header's, or the first that follows."""
    given = [said_at(value) for value in values]
    before = place.time_before or parse_time(place.header.timestamp)
    last = before or next((at for at in given if at), EPOCH)
    times = []
    for at in given:
        last = at or last
        times.append(last)
    return times


def _row(
    place: Place,
    ordinal: int,
    parsed: Parsed,
    clean: tuple[dict[str, Any], str, bool],
    own: tuple[str, str | None, bool],
    at: datetime,
) -> tuple[Any, ...]:
    value, raw, is_redacted = clean
    message = message_of(value)
    role = message_role(message)
    text = entry_text(value)
    context = entry_message(value)
    tokens_in, tokens_out, cost = usage_of(value)
    source = message if message else value
    return (
        place.header.session_id, own[0], own[1], ordinal, parsed.line_no, place.source_path,
        _string(value.get("type")) or "unknown", role, turn_kind(text) if role == "user" else None,
        text, entry_thinking(message), _string(message.get("toolName")), _string(message.get("toolCallId")), is_failed(message),
        _string(source.get("provider")), _string(source.get("model") or source.get("modelId")),
        _string(message.get("stopReason")),
        tokens_in, tokens_out, cost, min(estimate_tokens(context), 2**31 - 1) if context else 0,
        at, own[2], False, _flags(parsed, value, message, own[2], is_redacted), raw, at.astimezone(place.zone).date(),
    )  # fmt: skip


def _flags(parsed: Parsed, value: dict[str, Any], message: dict[str, Any], is_synthetic: bool, is_redacted: bool) -> list[str]:
    flags = set(parsed.flags)
    content = message.get("content")
    if is_synthetic:
        flags.add("no_id")
    if said_at(value) is None:
        flags.add("no_time")
    if message.get("role") in ("assistant", "toolResult") and isinstance(content, str):
        flags.add("string_content")
    if isinstance(content, list) and any(isinstance(part, dict) and part.get("type") == "image" for part in content):
        flags.add("image")
    if is_redacted:
        flags.add("redacted")
    return sorted(flags)


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
