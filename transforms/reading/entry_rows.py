"""Turns parsed objects into rows of `entries`: typed columns, text per role, redacted raw JSON.

Rows are made for many sessions at once, because a frame takes longer to make than a small session to read.
`add_tree_columns` adds the columns that depend on the whole session: active branch and structural flags.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple
from zoneinfo import ZoneInfo

import polars as pl

from transforms.reading.json_lines import ParsedObject
from transforms.reading.pi.entry_fields import EntryFields, read_entry_fields
from transforms.reading.pi.entry_text import read_entry_time
from transforms.reading.pi.session_header import SessionHeader
from transforms.reading.pi.session_tree import STRUCTURAL_FLAGS, build_tree
from transforms.reading.pi.session_versions import LINEAR_VERSION, name_kept_entries, read_entry_ids
from transforms.reading.redact_entries import clean_entries
from transforms.reading.timestamps import fill_missing_times, make_time_column, parse_time
from transforms.tables.json_object import JsonObject
from transforms.tables.schema import ENTRIES

SCHEMA = ENTRIES.row_schema


@dataclass(frozen=True, slots=True)
class FilePosition:
    """The place of entries: their file and its header, the ordinal of the first one, the time of the entry before it."""

    header: SessionHeader
    source_path: str
    zone: ZoneInfo
    first_ordinal: int = 0
    time_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """Entries of one file that follow each other, headers left out."""

    position: FilePosition
    objects: list[ParsedObject]


class _LocatedEntry(NamedTuple):
    """An entry with its place in its file and its ids. `flags` are those of its line."""

    value: JsonObject
    line: bytes
    flags: tuple[str, ...]
    has_time: bool
    session_id: str
    source_path: str
    ordinal: int
    line_no: int
    entry_id: str
    parent_id: str | None
    is_synthetic_id: bool
    said_at: datetime


_PLACE_COLUMNS = ("session_id", "source_path", "ordinal", "line_no", "entry_id", "parent_id", "is_synthetic_id")


def make_entry_rows(groups: Sequence[EntryGroup]) -> tuple[pl.DataFrame, list[int]]:
    """Return the rows of `entries` of all groups in order, and the number of secrets that were taken out of each group.

    The groups have the same zone. `on_active_branch` is false and the structural flags are missing until `add_tree_columns`
    has seen the whole session.
    """
    entries = [entry for group in groups for entry in _locate_entries(group)]
    if not entries:
        return pl.DataFrame(schema=SCHEMA), [0] * len(groups)
    clean = clean_entries([entry.value for entry in entries], [entry.line for entry in entries])
    fields = list(map(read_entry_fields, clean.entries))
    flags = map(_join_flags, entries, fields, clean.secret_counts)
    places = dict(zip(_LocatedEntry._fields, zip(*entries, strict=True), strict=True))
    columns = dict(zip(EntryFields._fields, zip(*fields, strict=True), strict=True)) | {
        name: places[name] for name in _PLACE_COLUMNS
    }
    frame = pl.DataFrame(
        [
            *(pl.Series(name, column, SCHEMA[name]) for name, column in columns.items() if name != "flags"),
            _make_flag_column(list(flags)),
            make_time_column("said_at", places["said_at"]),
            clean.raw_json,
        ]
    )
    local_day = pl.col("said_at").dt.convert_time_zone(groups[0].position.zone.key).dt.date()
    counts = iter(clean.secret_counts)
    secrets = [sum(islice(counts, len(group.objects))) for group in groups]
    return frame.with_columns(on_active_branch=pl.lit(False), day=local_day).select(*SCHEMA), secrets


def _locate_entries(group: EntryGroup) -> Iterator[_LocatedEntry]:
    position, header = group.position, group.position.header
    values = [parsed.value for parsed in group.objects]
    lines = [parsed.line for parsed in group.objects]
    ids = read_entry_ids(values, header.version, position.first_ordinal)
    if header.version <= LINEAR_VERSION:
        for at, value in name_kept_entries(group.objects, ids.own).items():
            values[at], lines[at] = value, b""
    times = list(map(read_entry_time, values))
    said_at = fill_missing_times(times, position.time_before or parse_time(header.timestamp))
    for at, parsed in enumerate(group.objects):
        yield _LocatedEntry(
            values[at], lines[at], parsed.flags, times[at] is not None, header.session_id, position.source_path,
            position.first_ordinal + at, parsed.line_no, ids.own[at], ids.parents[at], ids.is_synthetic[at], said_at[at],
        )  # fmt: skip


def _join_flags(entry: _LocatedEntry, fields: EntryFields, secret_count: int) -> tuple[str, ...]:
    """Return the flags of an entry: those of its line and its form, and those for missing fields and redacted secrets."""
    if not entry.flags and not fields.flags and entry.has_time and not entry.is_synthetic_id and not secret_count:
        return ()
    states = {"no_id": entry.is_synthetic_id, "no_time": not entry.has_time, "redacted": secret_count > 0}
    return tuple(sorted({*entry.flags, *fields.flags, *(flag for flag, is_set in states.items() if is_set)}))


def add_tree_columns(
    frame: pl.DataFrame, sizes: Sequence[int] | None = None, copied: Collection[int] | None = None
) -> pl.DataFrame:
    """Return the rows of whole sessions below each other with `on_active_branch` and the structural flags set anew.

    Each session has as many rows as `sizes` says, in ordinal order; without `sizes` all rows are one session. `copied` are the
    numbers of the rows that a parent session has as well; None leaves that flag as it is.
    """
    ids, parents = frame["entry_id"].to_list(), frame["parent_id"].to_list()
    is_active: list[bool] = []
    tree_flags: list[tuple[str, ...]] = []
    for size in [frame.height] if sizes is None else sizes:
        session = slice(len(is_active), len(is_active) + size)
        tree = build_tree(ids[session], parents[session])
        is_active += tree.is_active
        tree_flags += tree.flags
    replaced = {*STRUCTURAL_FLAGS, *(() if copied is None else ("copied",))}
    old_flags = [tuple(flags or ()) for flags in frame["flags"].to_list()]
    flags = [
        tuple(
            sorted({flag for flag in old if flag not in replaced} | {*new} | ({"copied"} if copied and row in copied else set()))
        )
        if old or new or copied
        else ()
        for row, (old, new) in enumerate(zip(old_flags, tree_flags, strict=True))
    ]
    return frame.with_columns(pl.Series("on_active_branch", is_active, pl.Boolean), _make_flag_column(flags))


def _make_flag_column(flags: Sequence[tuple[str, ...]]) -> pl.Series:
    """Return the column of flags. Each different list is made once, because polars is slow to convert nested lists."""
    index_by_flags = {combination: index for index, combination in enumerate(dict.fromkeys(flags))}
    combinations = pl.Series("flags", [list(combination) for combination in index_by_flags], pl.List(pl.String))
    return combinations.gather([index_by_flags[combination] for combination in flags])
