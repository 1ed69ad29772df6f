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
"""Most bytes and files that are read for one commit; a file is never divided."""

PART_BYTES = 48_000_000
"""Size of a batch when several processes read: with a larger one fewer days lie in two batches."""

PATIENCE = 1.25
"""Fill level that a batch may reach while its last day goes on, so that fewer days lie in two batches."""

RelatedTasks = list[ReadTask]
"""Sessions that may share entries: parents, forks, sub-agents, and siblings whose parent is not here."""


def list_parents(tasks: Sequence[ReadTask], state: LakeState) -> dict[str, str | None]:
    """Return the parent's session id of every session, stored or to be read, whether or not the parent is here."""
    by_path = {path: row["session_id"] for path, row in state.sources.items() if row["session_id"]}
    by_path |= {task.file.path: task.header.session_id for task in tasks}
    parents = {session_id: resolve_parent_id(row["parent_session"], by_path) for session_id, row in state.sessions.items()}
    return parents | {task.header.session_id: resolve_parent_id(task.header.parent_session, by_path) for task in tasks}


def group_families(
    tasks: Sequence[ReadTask], state: LakeState, parents: dict[str, str | None]
) -> tuple[list[RelatedTasks], list[ReadTask]]:
    """Return the families of new files, and the other files. New families neither need nor change stored rows.

    A family too large for a batch is among the others, unless it is a single session.
    """
    heads = _find_heads(parents)
    touched = {heads[session_id] for session_id in state.sessions}
    touched |= {heads[task.header.session_id] for task in tasks if task.file.path in state.sources}
    grouped: dict[str, RelatedTasks] = defaultdict(list)
    others: list[ReadTask] = []
    for task in tasks:
        head = heads[task.header.session_id]
        if head in touched:
            others.append(task)
        else:
            grouped[head].append(task)
    new: list[RelatedTasks] = []
    for family in grouped.values():
        if len(family) == 1 or measure_family(family) <= PART_BYTES:
            new.append(family)
        else:
            others += family
    return new, others


def measure_family(family: RelatedTasks) -> int:
    """Return the bytes of its files."""
    return sum(task.file.size for task in family)


def split_into_batches(families: Sequence[RelatedTasks], zone: ZoneInfo, processes: int = 1) -> Iterator[list[ReadTask]]:
    """Yield the files in order; for several processes, smaller batches towards the end, so that none waits long for the last.

    A batch ends where a day begins, if one begins soon: a day with rows of two batches is written twice.
    """
    remaining = sum(map(measure_family, families))
    batch: list[ReadTask] = []
    size, limit = 0, _compute_limit(remaining, processes)
    current_day: date | None = None
    for family in families:
        day = _read_start_day(family[0], zone)
        fullness = max((size + measure_family(family)) / limit, (len(batch) + len(family)) / BATCH_FILES)
        if batch and fullness > (1 if day != current_day else PATIENCE):
            yield batch
            remaining -= size
            batch, size, limit = [], 0, _compute_limit(remaining, processes)
        batch += family
        size += measure_family(family)
        current_day = day
    if batch:
        yield batch


def _find_heads(parents: dict[str, str | None]) -> dict[str, str]:
    """Return the representative of every session's family. Union-find, Tarjan 1975, with path halving."""
    heads: dict[str, str] = {}

    def find_head(session_id: str) -> str:
        """Return the session that stands for the family of `session_id`."""
        heads.setdefault(session_id, session_id)
        while heads[session_id] != session_id:
            heads[session_id] = session_id = heads[heads[session_id]]
        return session_id

    for session_id, parent in parents.items():
        heads[find_head(session_id)] = find_head(parent) if parent else find_head(session_id)
    return {session_id: find_head(session_id) for session_id in parents}


def _read_start_day(task: ReadTask, zone: ZoneInfo) -> date | None:
    started_at = parse_time(task.header.timestamp)
    return started_at.astimezone(zone).date() if started_at else None


def _compute_limit(remaining: int, processes: int) -> int:
    return BATCH_BYTES if processes == 1 else max(FILL_BYTES, min(PART_BYTES, remaining // (2 * processes)))
