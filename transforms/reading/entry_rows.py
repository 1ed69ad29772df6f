"""Parsed objects → rows of `entries`: typed columns, text per role, redacted raw JSON.

Columns are built for many sessions at once, because a frame costs a millisecond and a small session is read in less.
What depends on the whole session (active branch, structural flags) is added by `tree_columns`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate, chain

import numpy as np
import polars as pl

from transforms.reading.entry_batches import Batch, Group, Place, batch_of
from transforms.reading.entry_fields import fields_of
from transforms.reading.entry_text import parse_time
from transforms.reading.fast_columns import put_fields
from transforms.reading.parse import Parsed
from transforms.reading.redact_entries import cleaned, is_user
from transforms.reading.session_tree import STRUCTURAL_FLAGS, build_tree
from transforms.reading.timestamps import said_at_column
from transforms.tables.schema import ENTRIES

SCHEMA = ENTRIES.row_schema


def entry_rows(objects: list[Parsed], place: Place) -> tuple[pl.DataFrame, int]:
    """Rows of `entries` for objects without headers, in file order, and how many secrets were taken out.

    `on_active_branch` is false and the structural flags are missing until `tree_columns` has seen the whole session.
    """
    frame, secrets = rows_of_groups([(place, objects)])
    return frame, sum(secrets)


def rows_of_groups(groups: Sequence[Group]) -> tuple[pl.DataFrame, list[int]]:
    """As `entry_rows` for several files of one zone, one below the other, and the number of secrets of each."""
    places = [place for place, _ in groups]
    batch = batch_of(groups)
    if not batch.own_ids:
        return pl.DataFrame(schema=SCHEMA), batch.sizes
    columns = batch.columns
    values = {at: batch.value_of(at) for at in batch.unfinished}
    typed = [at for at, role in enumerate(columns["role"]) if role == "user"]
    typed += [at for at, value in values.items() if is_user(value)]
    clean = cleaned(batch.lines, lambda at: values[at] if at in values else batch.value_of(at), sorted(typed))
    for at, value in (values | clean.changed).items():
        put_fields(columns, at, fields_of(value))
    written, _, _ = columns.pop("timestamp"), columns.pop("id"), columns.pop("parentId")
    columns |= {"entry_id": batch.own_ids, "parent_id": batch.parents}
    said, is_timed = said_at_column(written, batch.value_of, list(zip(batch.sizes, map(_time_before, places), strict=True)))
    flags = _flags(batch, columns.pop("flags"), is_timed, clean.secrets)
    series = [pl.Series(name, column, SCHEMA[name]) for name, column in columns.items()]
    frame = pl.DataFrame([*series, *_of_batch(batch), *_of_places(places, batch.sizes), said, clean.raw_json, flags])
    local = pl.col("said_at").dt.convert_time_zone(places[0].zone.key).dt.date()
    ends = list(accumulate(batch.sizes))
    secrets = [0] * len(groups)
    for at, count in clean.secrets.items():
        secrets[bisect_right(ends, at)] += count
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


def _time_before(place: Place) -> datetime | None:
    return place.time_before or parse_time(place.header.timestamp)


def _of_batch(batch: Batch) -> list[pl.Series]:
    is_synthetic = np.zeros(len(batch.own_ids), bool)
    is_synthetic[list(batch.synthetic)] = True
    return [
        pl.Series("line_no", np.concatenate(batch.line_nos).tolist(), SCHEMA["line_no"]),
        pl.Series("is_synthetic_id", is_synthetic.tolist(), pl.Boolean),
    ]


def _of_places(places: list[Place], sizes: list[int]) -> list[pl.Series]:
    """The columns that a file gives to all its entries, and their position in it."""
    counts = np.array(sizes)
    which = pl.Series(np.repeat(np.arange(len(sizes)), counts).tolist(), dtype=pl.UInt32)
    shifts = np.array([place.first_ordinal for place in places]) - (np.cumsum(counts) - counts)
    return [
        pl.Series("session_id", [place.header.session_id for place in places], pl.String).gather(which),
        pl.Series("source_path", [place.source_path for place in places], pl.String).gather(which),
        pl.Series("ordinal", (np.arange(len(which)) + np.repeat(shifts, counts)).tolist(), SCHEMA["ordinal"]),
    ]


def _flags(batch: Batch, forms: Sequence[tuple[str, ...]], is_timed: list[bool] | None, secrets: dict[int, int]) -> pl.Series:
    """The column of flags: what is odd about the form of an entry, which is nothing for nearly all of them."""
    flags = list(forms)
    told = {
        "no_id": batch.synthetic,
        "no_time": {at for at, own in enumerate(is_timed) if not own} if is_timed else set(),
        "redacted": {at for at, count in secrets.items() if count},
    }
    for at in {*batch.written_flags, *chain.from_iterable(told.values())}:
        names = [name for name, rows in told.items() if at in rows]
        flags[at] = tuple(sorted({*batch.written_flags.get(at, ()), *forms[at], *names}))
    return _flag_series(flags)


def _flag_series(flags: Sequence[tuple[str, ...]]) -> pl.Series:
    """A column of few different lists: each is made once, because nested Python lists are slow to convert."""
    different = {found: index for index, found in enumerate(dict.fromkeys(flags))}
    lists = pl.Series("flags", [list(found) for found in different], pl.List(pl.String))
    if len(different) == 1:
        return lists.new_from_index(0, len(flags))
    return lists.gather([different[found] for found in flags])
