"""Old session versions brought to version 3 in memory: v1 has no ids, v2 calls injected messages `hookMessage`.

pi gives migrated entries random ids; ours come from the position, so that every reading agrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.tables.surrogates import storable

LINEAR_VERSION = 1
CURRENT_VERSION = 3


EntryIds = tuple[Sequence[str], Sequence[str | None], Sequence[int]]
"""(ids, ids of the parents, which of the ids were made by us)."""

_PARENTS = {str, type(None)}


def synthetic_id(ordinal: int) -> str:
    """Id of an entry that has none: eight characters like pi's, but never hexadecimal, so that it cannot meet a real one."""
    return f"n{ordinal:07d}"


def given_ids(own_ids: Sequence[Any], parents: Sequence[Any]) -> EntryIds | None:
    """The ids as they are written, None when an entry has none or another type than text."""
    if set(map(type, own_ids)) <= {str} and all(own_ids) and set(map(type, parents)) <= _PARENTS:
        return own_ids, [parent or None for parent in parents] if "" in parents else parents, ()
    return None


def entry_ids(entries: list[dict[str, Any]], version: int, first_ordinal: int = 0) -> EntryIds:
    """The ids of each entry; a v1 file is one chain in file order."""
    if version > LINEAR_VERSION:
        given = given_ids([_written(entry, "id") for entry in entries], [_written(entry, "parentId") for entry in entries])
        if given is not None:
            return given
    ids: list[str] = []
    parents: list[str | None] = []
    synthetic: list[int] = []
    for offset, entry in enumerate(entries):
        written = _written(entry, "id")
        is_given = isinstance(written, str) and bool(written)
        if not is_given:
            synthetic.append(offset)
        parent = _written(entry, "parentId")
        if version <= LINEAR_VERSION and "parentId" not in entry and ids:
            parent = ids[-1]
        ids.append(str(written) if is_given else synthetic_id(first_ordinal + offset))
        parents.append(parent if isinstance(parent, str) and parent else None)
    return ids, parents, synthetic


def _written(entry: dict[str, Any], name: str) -> Any:
    written = entry.get(name)
    return storable(written) if type(written) is str else written


def first_kept_id(entry: dict[str, Any], index: int, ids_by_index: dict[int, str]) -> str | None:
    """Id of the first entry that a v1 compaction kept; None when it names itself, something later, or the header.

    `firstKeptEntryIndex` counts all parsed values of the file, the header being 0.
    """
    kept = entry.get("firstKeptEntryIndex")
    if not isinstance(kept, int) or isinstance(kept, bool) or kept >= index:
        return None
    return ids_by_index.get(kept)


def message_role(message: dict[str, Any]) -> str | None:
    """The role of a message in today's terms."""
    role = message.get("role")
    return "custom" if role == "hookMessage" else role if isinstance(role, str) else None
