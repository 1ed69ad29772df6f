"""The tree inside a session file: leaf, active branch, orphans, cycles, repeated ids. pi's rules, plus the guard it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """Per entry, in file order: whether it lies on the active branch, and its structural flags."""

    is_active: list[bool]
    flags: list[tuple[str, ...]]


STRUCTURAL_FLAGS = ("cycle", "duplicate_id", "orphan")


def build_tree(ids: Sequence[str], parents: Sequence[str | None]) -> Tree:
    """The leaf is the last entry; from it parents are followed to a root, an unknown parent or an entry seen before.

    A repeated id means its last entry; every later one is flagged, as is an entry whose parent is unknown.
    """
    index = {own: position for position, own in enumerate(ids)}
    seen: set[str] = set()
    flags: list[tuple[str, ...]] = []
    for own, parent in zip(ids, parents, strict=True):
        found = []
        if own == parent:
            found.append("cycle")
        if own in seen:
            found.append("duplicate_id")
        if parent is not None and parent not in index:
            found.append("orphan")
        flags.append(tuple(found))
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
