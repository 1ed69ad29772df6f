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
from transforms.entry_fields import Fields, fields_of
from transforms.entry_text import parse_time, said_at
from transforms.migrate import LINEAR_VERSION, entry_ids, first_kept_id
from transforms.parse import Header, Parsed
from transforms.schema import ENTRIES
from transforms.tree import STRUCTURAL_FLAGS, build_tree

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of an entry in a file that has no time at all; before any real one, and not the day of the lake's empty files."""

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
    rows = list(map(fields_of, clean.values))
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
    replaced = set(STRUCTURAL_FLAGS) | ({"copied"} if copied is not None else set())
    flags = given
    if copied or any(tree.flags) or any(given):
        flags = [
            tuple(sorted({*old, *new} - (replaced - set(new)) | ({"copied"} if copied and ordinal in copied else set())))
            for ordinal, old, new in zip(frame["ordinal"].to_list(), given, tree.flags, strict=True)
        ]
    changed = frame.clone()  # replacing a column is 20 times as fast as with_columns, and most sessions are small
    changed.replace_column(frame.columns.index("on_active_branch"), is_active)
    return changed if flags == given else changed.replace_column(frame.columns.index("flags"), _flag_series(flags))


def _values(place: Place, objects: list[Parsed], ids: list[tuple[str, str | None, bool]]) -> list[dict[str, Any]]:
    """The objects; a v1 compaction also names the entry that it kept from, as later versions do."""
    if place.header.version > LINEAR_VERSION:
        return [one.value for one in objects]
    by_index = {one.place: own for one, (own, _, _) in zip(objects, ids, strict=True)}
    return [_with_kept_id(one, by_index) for one in objects]


def _with_kept_id(parsed: Parsed, by_index: dict[int, str]) -> dict[str, Any]:
    value = parsed.value
    if value.get("type") == "compaction" and "firstKeptEntryId" not in value:
        kept = first_kept_id(value, parsed.place, by_index)
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


def _frame(
    groups: Sequence[Group],
    ids: list[tuple[str, str | None, bool]],
    rows: list[Fields],
    times: list[tuple[datetime, bool]],
    clean: Cleaned,
) -> pl.DataFrame:
    if not rows:
        return pl.DataFrame(schema=SCHEMA)
    parsed = [one for _, objects in groups for one in objects]
    columns: dict[str, Sequence[Any]] = dict(zip(Fields._fields, zip(*rows, strict=True), strict=True))
    columns |= dict(zip(("entry_id", "parent_id", "is_synthetic_id"), zip(*ids, strict=True), strict=True))
    columns["line_no"] = [one.line_no for one in parsed]
    columns["session_id"] = list(chain.from_iterable([place.header.session_id] * len(some) for place, some in groups))
    columns["source_path"] = list(chain.from_iterable([place.source_path] * len(some) for place, some in groups))
    columns["ordinal"] = list(chain.from_iterable(range(at.first_ordinal, at.first_ordinal + len(some)) for at, some in groups))
    forms = columns.pop("flags")
    flags = [
        _flags(*one)
        for one in zip(parsed, forms, columns["is_synthetic_id"], [own for _, own in times], clean.is_redacted, strict=True)
    ]
    series = [pl.Series(name, column, SCHEMA[name]) for name, column in columns.items()]
    said = _said_at([value.get("timestamp") for value in clean.values], [at for at, _ in times])
    frame = pl.DataFrame([*series, said, clean.raw_json, _flag_series(flags)])
    local = pl.col("said_at").dt.convert_time_zone(groups[0][0].zone.key).dt.date()
    return frame.with_columns(on_active_branch=pl.lit(False), day=local).select(*SCHEMA)


def _said_at(written: list[Any], times: list[datetime]) -> pl.Series:
    """The column of times: read again in Rust where pi wrote them, because Python's datetimes take 3 µs each to convert."""
    usual = [
        text if type(text) is str and len(text) == 24 and "2001" <= text < "2200" and text[17:19] < "60" else None
        for text in written
    ]
    column = pl.Series("said_at", usual, pl.String).str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.3fZ", time_unit="us", time_zone="UTC", strict=False
    )
    others = column.is_null().arg_true().to_list()
    return column.scatter(others, pl.Series([times[at] for at in others], dtype=SCHEMA["said_at"])) if others else column


def _flags(parsed: Parsed, form: tuple[str, ...], is_synthetic: bool, has_time: bool, is_redacted: bool) -> tuple[str, ...]:
    if has_time and not (parsed.flags or form or is_synthetic or is_redacted):
        return ()
    flags = {*parsed.flags, *form}
    told = {"no_id": is_synthetic, "no_time": not has_time, "redacted": is_redacted}
    return tuple(sorted(flags | {name for name, holds in told.items() if holds}))


def _flag_series(flags: Sequence[tuple[str, ...]]) -> pl.Series:
    """A column of few different lists: each is made once, because nested Python lists are slow to convert."""
    different = {found: index for index, found in enumerate(dict.fromkeys(flags))}
    lists = pl.Series("flags", [list(found) for found in different], pl.List(pl.String))
    return lists.gather([different[found] for found in flags])
