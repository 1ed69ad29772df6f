"""Parsed objects → rows of `entries`: typed columns, text per role, redacted raw JSON.

Columns are built for many sessions at once, because a frame costs a millisecond and a small session is read in less.
What depends on the whole session (active branch, structural flags) is added by `tree_columns`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, chain
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.cleaning import cleaned
from transforms.entry_fields import Fields, fields_of
from transforms.entry_text import parse_time
from transforms.migrate import LINEAR_VERSION, entry_ids, first_kept_id
from transforms.parse import Header, Parsed, Plain
from transforms.raw_lines import Lines
from transforms.said_at import said_at_column
from transforms.schema import ENTRIES
from transforms.tree import STRUCTURAL_FLAGS, build_tree

SCHEMA = {name: dtype for name, (dtype, _) in ENTRIES.columns.items()}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a batch of objects continues: the file, its header, the next ordinal, the time of the entry before it."""

    header: Header
    source_path: str
    zone: ZoneInfo
    first_ordinal: int = 0
    time_before: datetime | None = None


Group = tuple[Place, Plain | list[Parsed]]
"""Entries of one file that follow each other, headers left out."""


def entry_rows(objects: list[Parsed], place: Place) -> tuple[pl.DataFrame, int]:
    """Rows of `entries` for objects without headers, in file order, and how many secrets were taken out.

    `on_active_branch` is false and the structural flags are missing until `tree_columns` has seen the whole session.
    """
    frame, secrets = rows_of_groups([(place, objects)])
    return frame, sum(secrets)


def rows_of_groups(groups: Sequence[Group]) -> tuple[pl.DataFrame, list[int]]:
    """As `entry_rows` for several files of one zone, one below the other, and the number of secrets of each."""
    places = [place for place, _ in groups]
    parts = [_taken_apart(objects) for _, objects in groups]
    sizes = [len(values) for values, _, _ in parts]
    if not sum(sizes):
        return pl.DataFrame(schema=SCHEMA), sizes
    ids = [entry_ids(part[0], at.header.version, at.first_ordinal) for at, part in zip(places, parts, strict=True)]
    values, changed = _with_kept_ids(groups, list(chain.from_iterable(part[0] for part in parts)), ids)
    lines = Lines([objects for _, objects in groups])
    lines.change(dict.fromkeys(changed, b""))
    clean = cleaned(values, lines)
    columns: dict[str, Sequence[Any]] = dict(zip(Fields._fields, zip(*map(fields_of, clean.values), strict=True), strict=True))
    columns |= dict(zip(("entry_id", "parent_id", "is_synthetic_id"), zip(*chain.from_iterable(ids), strict=True), strict=True))
    columns["line_no"] = list(chain.from_iterable(part[1] for part in parts))
    said, is_timed = said_at_column(clean.values, list(zip(sizes, map(_time_before, places), strict=True)))
    written = list(chain.from_iterable(part[2] for part in parts))
    flags = _flags(written, columns.pop("flags"), columns["is_synthetic_id"], is_timed, clean.secrets)
    series = [pl.Series(name, column, SCHEMA[name]) for name, column in columns.items()]
    frame = pl.DataFrame([*series, *_of_places(places, sizes), said, clean.raw_json, flags])
    local = pl.col("said_at").dt.convert_time_zone(places[0].zone.key).dt.date()
    ends = accumulate(sizes)
    secrets = [sum(clean.secrets[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
    return frame.with_columns(on_active_branch=pl.lit(False), day=local).select(*SCHEMA), secrets


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


def trees_of_new(frame: pl.DataFrame, sizes: Sequence[int]) -> pl.DataFrame:
    """As `tree_columns` for whole new sessions below each other, of so many rows each, that share no entries with others."""
    ids, parents = frame["entry_id"].to_list(), frame["parent_id"].to_list()
    is_active: list[bool] = []
    found: dict[int, tuple[str, ...]] = {}
    for size in sizes:
        start = len(is_active)
        tree = build_tree(ids[start : start + size], parents[start : start + size])
        is_active += tree.is_active
        found |= {start + at: flags for at, flags in enumerate(tree.flags) if flags}
    changed = frame.clone()
    changed.replace_column(frame.columns.index("on_active_branch"), pl.Series("on_active_branch", is_active, pl.Boolean))
    if found:
        flags = [tuple(old) for old in frame["flags"].to_list()]
        for at, new in found.items():
            flags[at] = tuple(sorted({*flags[at], *new}))
        changed.replace_column(frame.columns.index("flags"), _flag_series(flags))
    return changed


def _taken_apart(objects: Plain | list[Parsed]) -> tuple[list[dict[str, Any]], Sequence[int], Sequence[tuple[str, ...]]]:
    """(values, line numbers, flags of how they were found)."""
    if isinstance(objects, Plain):
        return objects.values, objects.line_nos(), [()] * len(objects.values)
    return [one.value for one in objects], [one.line_no for one in objects], [one.flags for one in objects]


def _with_kept_ids(
    groups: Sequence[Group], values: list[dict[str, Any]], ids: list[list[tuple[str, str | None, bool]]]
) -> tuple[list[dict[str, Any]], list[int]]:
    """The values, v1 compactions naming the entry that they kept from as later versions do; and which ones that changed."""
    changed: list[int] = []
    at = 0
    for (place, objects), own in zip(groups, ids, strict=True):
        if place.header.version <= LINEAR_VERSION:
            one_by_one = objects.objects() if isinstance(objects, Plain) else objects
            by_index = {one.place: entry_id for one, (entry_id, _, _) in zip(one_by_one, own, strict=True)}
            for offset, one in enumerate(one_by_one, at):
                is_bare = one.value.get("type") == "compaction" and "firstKeptEntryId" not in one.value
                if is_bare and (kept := first_kept_id(one.value, one.place, by_index)):
                    values[offset] = one.value | {"firstKeptEntryId": kept}
                    changed.append(offset)
        at += len(own)
    return values, changed


def _time_before(place: Place) -> datetime | None:
    return place.time_before or parse_time(place.header.timestamp)


def _of_places(places: list[Place], sizes: list[int]) -> list[pl.Series]:
    """The columns that a file gives to all its entries, and their position in it."""
    which = list(chain.from_iterable([at] * size for at, size in enumerate(sizes)))
    ordinals = chain.from_iterable(
        range(at.first_ordinal, at.first_ordinal + size) for at, size in zip(places, sizes, strict=True)
    )
    return [
        pl.Series("session_id", [place.header.session_id for place in places], pl.String).gather(which),
        pl.Series("source_path", [place.source_path for place in places], pl.String).gather(which),
        pl.Series("ordinal", list(ordinals), SCHEMA["ordinal"]),
    ]


def _flags(
    written: list[tuple[str, ...]],
    forms: Sequence[tuple[str, ...]],
    is_synthetic: Sequence[bool],
    is_timed: list[bool] | None,
    secrets: list[int],
) -> pl.Series:
    """The column of flags: what is odd about the form of an entry, which is nothing for nearly all of them."""
    flags = list(forms)
    told = {"no_id": is_synthetic, "no_time": is_timed and [not own for own in is_timed], "redacted": secrets}
    odd = {at for column in (written, *told.values()) if column and any(column) for at, holds in enumerate(column) if holds}
    for at in odd:
        flags[at] = tuple(sorted({*written[at], *forms[at], *(name for name, column in told.items() if column and column[at])}))
    return _flag_series(flags)


def _flag_series(flags: Sequence[tuple[str, ...]]) -> pl.Series:
    """A column of few different lists: each is made once, because nested Python lists are slow to convert."""
    different = {found: index for index, found in enumerate(dict.fromkeys(flags))}
    lists = pl.Series("flags", [list(found) for found in different], pl.List(pl.String))
    return lists.gather([different[found] for found in flags])
