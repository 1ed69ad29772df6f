"""Brings old session versions to version 3 in memory: version 1 has no ids.

pi gives migrated entries random ids. Ours come from the position, so that every reading agrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.reading.json_lines import ParsedObject
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import replace_surrogates

LINEAR_VERSION = 1
CURRENT_VERSION = 3


@dataclass(frozen=True, slots=True)
class EntryIds:
    """The id of each entry, the id of its parent, and whether its id was made from its position."""

    own: list[str]
    parents: list[str | None]
    is_synthetic: list[bool]


def make_synthetic_id(ordinal: int) -> str:
    """Return the id of an entry that has none: eight characters like pi's, but never hexadecimal, so that it is unique."""
    return f"n{ordinal:07d}"


def read_entry_ids(entries: Sequence[JsonObject], version: int, first_ordinal: int = 0) -> EntryIds:
    """Return the ids of entries that follow each other; a file of version 1 is one chain in file order."""
    ids = EntryIds([], [], [])
    for ordinal, entry in enumerate(entries, first_ordinal):
        own, parent = _get_id(entry.get("id")), _get_id(entry.get("parentId"))
        if version <= LINEAR_VERSION and "parentId" not in entry and ids.own:
            parent = ids.own[-1]
        ids.own.append(own or make_synthetic_id(ordinal))
        ids.parents.append(parent)
        ids.is_synthetic.append(own is None)
    return ids


def name_kept_entries(objects: Sequence[ParsedObject], own_ids: Sequence[str]) -> dict[int, JsonObject]:
    """Return the compactions of a version 1 file by their index, with the id of the first entry that they kept.

    Version 1 names that entry by its index among all objects of the file, the header being 0. A compaction that names itself,
    a later entry or the header stays as it is.
    """
    id_by_number = {parsed.object_no: own for parsed, own in zip(objects, own_ids, strict=True)}
    renamed: dict[int, JsonObject] = {}
    for index, parsed in enumerate(objects):
        if parsed.value.get("type") != "compaction" or "firstKeptEntryId" in parsed.value:
            continue
        first_kept_no = parsed.value.get("firstKeptEntryIndex")
        if not isinstance(first_kept_no, int) or isinstance(first_kept_no, bool) or first_kept_no >= parsed.object_no:
            continue
        if kept_id := id_by_number.get(first_kept_no):
            renamed[index] = parsed.value | {"firstKeptEntryId": kept_id}
    return renamed


def _get_id(value: object) -> str | None:
    return replace_surrogates(value) if isinstance(value, str) and value else None
