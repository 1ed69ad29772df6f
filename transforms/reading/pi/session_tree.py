"""Builds the tree of a session by pi's rules: leaf, active branch, orphans, repeated ids; with a guard for cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.tables.enums import EntryFlag


@dataclass(frozen=True, slots=True)
class Tree:
    """Per entry, in file order: whether it lies on the active branch, and its structural flags."""

    is_active: list[bool]
    flags: list[tuple[EntryFlag, ...]]


STRUCTURAL_FLAGS: tuple[EntryFlag, ...] = ("cycle", "duplicate_id", "orphan")


def build_tree(ids: Sequence[str], parents: Sequence[str | None]) -> Tree:
    """Return the tree. The active branch leads from the last entry over parents to a root, an unknown parent or a cycle.

    A repeated id names its last entry. Every later entry of an id is flagged, and every entry whose parent is unknown.
    """
    index = {own: position for position, own in enumerate(ids)}
    seen: set[str] = set()
    flags: list[tuple[EntryFlag, ...]] = []
    for own, parent in zip(ids, parents, strict=True):
        own_flags: list[EntryFlag] = []
        if own == parent:
            own_flags.append("cycle")
        if own in seen:
            own_flags.append("duplicate_id")
        if parent is not None and parent not in index:
            own_flags.append("orphan")
        flags.append(tuple(own_flags))
        seen.add(own)
    active = [False] * len(ids)
    position: int | None = len(ids) - 1 if ids else None
    while position is not None:
        active[position] = True
        parent = parents[position]
        following = index.get(parent) if parent is not None else None
        if following is not None and active[following]:
            flags[position] = tuple(sorted({*flags[position], "cycle"}))
            following = None
        position = following
    return Tree(active, flags)
