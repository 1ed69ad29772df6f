"""Entries of several files below each other, before they become columns: plain ones as structs, all others as dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from transforms.conversation.raw_json import stored_object
from transforms.conversation.session_versions import LINEAR_VERSION, EntryIds, entry_ids, first_kept_id, given_ids
from transforms.reading.arrow_views import Lines
from transforms.reading.fast_columns import Columns, plain_columns
from transforms.reading.fast_parse import Places, Plain
from transforms.reading.parse import Header, Parsed


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


@dataclass(frozen=True, slots=True)
class Batch:
    """The columns of `plain_columns`, blank for `unfinished` rows; how each entry is written; its ids and line.

    `sizes` are how many entries each group has, `values` the dictionaries of those that are not plain, `synthetic` the rows whose
    id was made by us, `written_flags` what is odd about the form of some rows.
    """

    sizes: list[int] = field(default_factory=list)
    columns: Columns = field(default_factory=dict)
    unfinished: list[int] = field(default_factory=list)
    values: dict[int, dict[str, Any]] = field(default_factory=dict)
    lines: Lines = field(default_factory=lambda: Lines(()))
    own_ids: list[str] = field(default_factory=list)
    parents: list[str | None] = field(default_factory=list)
    synthetic: set[int] = field(default_factory=set)
    line_nos: list[Places] = field(default_factory=list)
    written_flags: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def value_of(self, at: int) -> dict[str, Any]:
        """One entry with all its members, as its line holds them now."""
        value = self.values.get(at)
        return stored_object(self.lines.line(at)) if value is None else value

    def _add(self, columns: Columns, unfinished: Iterable[int], ids: EntryIds) -> None:
        start = len(self.own_ids)
        for name, column in columns.items():
            self.columns.setdefault(name, []).extend(column)
        self.unfinished.extend(start + at for at in unfinished)
        own, parents, synthetic = ids
        self.own_ids.extend(own)
        self.parents.extend(parents)
        self.synthetic.update(start + at for at in synthetic)
        self.sizes.append(len(own))


def batch_of(groups: Sequence[Group]) -> Batch:
    """The entries of all groups in order. Plain ones whose ids are not all there take the exact way, as do those of version 1."""
    batch = Batch()
    changed: list[int] = []
    for place, objects in groups:
        if not isinstance(objects, Plain):
            changed += _add_exact(batch, place, objects)
        elif ids := _given_ids(place, objects, values := objects.values()):
            start = len(batch.own_ids)
            batch.values.update((start + at, value) for at, value in values.items())
            batch.line_nos.append(objects.line_nos())
            batch.lines.add(objects)
            batch._add({name: objects.column(name) for name in objects.columns}, objects.unfinished, ids)
        else:
            changed += _add_exact(batch, place, objects.objects())
    batch.lines.change(dict.fromkeys(changed, b""))
    return batch


def _add_exact(batch: Batch, place: Place, objects: list[Parsed]) -> list[int]:
    """Adds entries as dictionaries; the rows whose line does not say everything any more."""
    start = len(batch.own_ids)
    values = [one.value for one in objects]
    ids = entry_ids(values, place.header.version, place.first_ordinal)
    changed = _put_kept_ids(place, objects, values, ids[0])
    batch.values.update(enumerate(values, start))
    batch.line_nos.append(np.fromiter((one.line_no for one in objects), np.int64, len(objects)))
    batch.written_flags.update((start + at, one.flags) for at, one in enumerate(objects) if one.flags)
    batch.lines.add(objects)
    batch._add(*plain_columns([None] * len(objects)), ids)
    return [start + at for at in changed]


def _given_ids(place: Place, plain: Plain, values: dict[int, dict[str, Any]]) -> EntryIds | None:
    """The ids of plain entries, None when one is missing or the version has none."""
    if place.header.version <= LINEAR_VERSION:
        return None
    own_ids, parents = plain.column("id"), plain.column("parentId")
    for at, value in values.items():
        own_ids[at], parents[at] = value.get("id"), value.get("parentId")
    return given_ids(own_ids, parents)


def _put_kept_ids(place: Place, objects: list[Parsed], values: list[dict[str, Any]], own_ids: Sequence[str]) -> list[int]:
    """Lets v1 compactions name the entry that they kept from as later versions do; which ones that changed."""
    if place.header.version > LINEAR_VERSION:
        return []
    by_index = {one.place: entry_id for one, entry_id in zip(objects, own_ids, strict=True)}
    changed = []
    for at, one in enumerate(objects):
        is_bare = one.value.get("type") == "compaction" and "firstKeptEntryId" not in one.value
        if is_bare and (kept := first_kept_id(one.value, one.place, by_index)):
            values[at] = one.value | {"firstKeptEntryId": kept}
            changed.append(at)
    return changed
