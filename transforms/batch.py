"""Entries of several files below each other, before they become columns: plain ones as structs, all others as dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from transforms.migrate import LINEAR_VERSION, EntryId, entry_ids, first_kept_id, given_ids
from transforms.parse import Header, Parsed
from transforms.plain import Plain, PlainEntry
from transforms.raw_json import stored_object
from transforms.raw_lines import Lines


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
    """Per entry: its struct when it is plain, else its dictionary; how it is written; its ids, line and flags of its form.

    `sizes` are how many entries each group has.
    """

    sizes: list[int]
    entries: list[PlainEntry | None]
    values: list[dict[str, Any] | None]
    lines: Lines
    ids: list[EntryId]
    line_nos: list[int]
    written_flags: list[tuple[str, ...]]

    def value_of(self, at: int) -> dict[str, Any]:
        """One entry with all its members, as its line holds them now."""
        value = self.values[at]
        return stored_object(self.lines.line(at)) if value is None else value

    def times(self) -> list[object]:
        """The timestamps as written."""
        return [
            entry.timestamp if entry is not None else self.value_of(at).get("timestamp") for at, entry in enumerate(self.entries)
        ]


def batch_of(groups: Sequence[Group]) -> Batch:
    """The entries of all groups in order. Plain ones whose ids are not all there take the exact way, as do those of version 1."""
    batch = Batch([], [], [], Lines(()), [], [], [])
    changed: list[int] = []
    for place, objects in groups:
        start = len(batch.entries)
        odd = objects.odd() if isinstance(objects, Plain) else {}
        if isinstance(objects, Plain) and (ids := _given_ids(place, objects, odd)) is not None:
            batch.entries.extend(objects.entries)
            batch.values.extend(map(odd.get, range(len(ids))))
            batch.line_nos.extend(objects.line_nos())
            batch.written_flags.extend([()] * len(ids))
            batch.lines.add(objects)
        else:
            exact = objects.objects() if isinstance(objects, Plain) else objects
            values = [one.value for one in exact]
            ids = entry_ids(values, place.header.version, place.first_ordinal)
            changed += [start + at for at in _put_kept_ids(place, exact, values, ids)]
            batch.entries.extend([None] * len(exact))
            batch.values.extend(values)
            batch.line_nos.extend(one.line_no for one in exact)
            batch.written_flags.extend(one.flags for one in exact)
            batch.lines.add(exact)
        batch.ids.extend(ids)
        batch.sizes.append(len(ids))
    batch.lines.change(dict.fromkeys(changed, b""))
    return batch


def _given_ids(place: Place, plain: Plain, odd: dict[int, dict[str, Any]]) -> list[EntryId] | None:
    """The ids of plain entries, None when one is missing or the version has none."""
    if place.header.version <= LINEAR_VERSION:
        return None
    own_ids = [odd[at].get("id") if entry is None else entry.id for at, entry in enumerate(plain.entries)]
    parents = [odd[at].get("parentId") if entry is None else entry.parentId for at, entry in enumerate(plain.entries)]
    return given_ids(own_ids, parents)


def _put_kept_ids(place: Place, objects: list[Parsed], values: list[dict[str, Any]], ids: list[EntryId]) -> list[int]:
    """Lets v1 compactions name the entry that they kept from as later versions do; which ones that changed."""
    if place.header.version > LINEAR_VERSION:
        return []
    by_index = {one.place: entry_id for one, (entry_id, _, _) in zip(objects, ids, strict=True)}
    changed = []
    for at, one in enumerate(objects):
        is_bare = one.value.get("type") == "compaction" and "firstKeptEntryId" not in one.value
        if is_bare and (kept := first_kept_id(one.value, one.place, by_index)):
            values[at] = one.value | {"firstKeptEntryId": kept}
            changed.append(at)
    return changed
