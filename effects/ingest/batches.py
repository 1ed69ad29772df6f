"""Groups files into batches: sessions that may share entries stay together, and a batch fits memory and processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from effects.ingest.commit import LakeState
from effects.ingest.part_files import FILL_BYTES
from effects.ingest.plan import ReadTask
from transforms.reading.session_row import resolve_parent_id
from transforms.reading.timestamps import parse_time

BATCH_BYTES = 32_000_000
BATCH_FILES = 1000
"""What is read, then committed; a file is never divided."""

PART_BYTES = 48_000_000
"""Size of a batch when several processes read: with a larger one fewer days lie in two batches."""

PATIENCE = 1.25
"""Fill level that a batch may reach while its last day goes on, so that fewer days lie in two batches."""

Family = list[ReadTask]
"""Sessions that may share entries: parents, forks, sub-agents, and siblings whose parent is not here."""


def list_parents(tasks: Sequence[ReadTask], state: LakeState) -> dict[str, str | None]:
    """The parent's session id of every session, stored or to be read, whether or not the parent is here."""
    by_path = {path: row["session_id"] for path, row in state.sources.items() if row["session_id"]}
    by_path |= {task.file.path: task.header.session_id for task in tasks}
    parents = {own: resolve_parent_id(row["parent_session"], by_path) for own, row in state.sessions.items()}
    return parents | {task.header.session_id: resolve_parent_id(task.header.parent_session, by_path) for task in tasks}


def group_families(
    tasks: Sequence[ReadTask], state: LakeState, parents: dict[str, str | None]
) -> tuple[list[Family], list[ReadTask]]:
    """(files of families that are all new, the others): the first need nothing of what is stored, and change nothing of it.

    A family too large for a batch is among the others, unless it is a single session.
    """
    heads = _heads(parents)
    touched = {heads[own] for own in state.sessions}
    touched |= {heads[task.header.session_id] for task in tasks if task.file.path in state.sources}
    grouped: dict[str, Family] = defaultdict(list)
    others: list[ReadTask] = []
    for task in tasks:
        head = heads[task.header.session_id]
        if head in touched:
            others.append(task)
        else:
            grouped[head].append(task)
    new: list[Family] = []
    for family in grouped.values():
        if len(family) == 1 or family_size(family) <= PART_BYTES:
            new.append(family)
        else:
            others += family
    return new, others


def family_size(family: Family) -> int:
    """The bytes of its files."""
    return sum(task.file.size for task in family)


def split_into_batches(found: Sequence[Family], zone: ZoneInfo, processes: int = 1) -> Iterator[list[ReadTask]]:
    """The files in order, for several processes smaller towards the end, so that none waits long for the last one.

    They are cut where a day begins, if one does soon: a day that two batches bring rows of is written twice.
    """
    left = sum(map(family_size, found))
    batch: list[ReadTask] = []
    size, most = 0, _most_bytes(left, processes)
    begun: date | None = None
    for family in found:
        day = _begun(family[0], zone)
        fullness = max((size + family_size(family)) / most, (len(batch) + len(family)) / BATCH_FILES)
        if batch and fullness > (1 if day != begun else PATIENCE):
            yield batch
            left -= size
            batch, size, most = [], 0, _most_bytes(left, processes)
        batch += family
        size += family_size(family)
        begun = day
    if batch:
        yield batch


def _heads(parents: dict[str, str | None]) -> dict[str, str]:
    """For every session one that stands for all that it is related to. Union-find, Tarjan 1975, with path halving."""
    heads: dict[str, str] = {}

    def head_of(own: str) -> str:
        heads.setdefault(own, own)
        while heads[own] != own:
            heads[own] = own = heads[heads[own]]
        return own

    for own, parent in parents.items():
        heads[head_of(own)] = head_of(parent) if parent else head_of(own)
    return {own: head_of(own) for own in parents}


def _begun(task: ReadTask, zone: ZoneInfo) -> date | None:
    at = parse_time(task.header.timestamp)
    return at.astimezone(zone).date() if at else None


def _most_bytes(left: int, processes: int) -> int:
    return BATCH_BYTES if processes == 1 else max(FILL_BYTES, min(PART_BYTES, left // (2 * processes)))
