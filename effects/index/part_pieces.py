"""Makes the documents of all parts for a new index, in several processes where they are many, in the order of the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from effects.index.part_reading import number_documents
from effects.index.source_parts import read_part_documents
from effects.store.run import Run
from effects.system.process_pool import count_workers, end_idle_workers, keeping_workers, map_in_processes

PIECE_BYTES = 400_000
"""Bytes of files of the lake whose documents a process makes at once: three megabytes of sessions."""
PIECES_AT_ONCE = 12
"""Pieces whose documents may wait for those of the parts before them, for each process."""
MIN_PARALLEL_BYTES = 8_000_000
"""Bytes of such files for which each worker is started, since those that distilled ended behind it: 9.4 million took 3.8 seconds
by the clock without one and 2.9 with it."""


@dataclass(frozen=True, slots=True)
class PartPiece:
    """Parts whose documents one process makes; `projects` has those of all sessions. Nobody writes the lake meanwhile."""

    run: Run
    number: int
    parts: list[str]
    projects: dict[str, str]


def make_documents(
    run: Run, parts: Sequence[str], projects: dict[str, str], warn: Callable[[str], None]
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield each part with its numbered documents, in order."""
    silent_run = Run(run.settings, run.lake, run.as_of)
    sizes = [(part, _measure_part(run, part)) for part in parts]
    workers = min(count_workers(), 1 + sum(size for _, size in sizes) // MIN_PARALLEL_BYTES)
    if workers < 2:
        yield from ((part, _make_part(silent_run, part, projects)) for part in parts)
        return
    pieces = [PartPiece(silent_run, number, own, projects) for number, own in enumerate(_split_parts(sizes))]
    with keeping_workers():
        for start in range(0, len(pieces), workers * PIECES_AT_ONCE):
            wave = pieces[start : start + workers * PIECES_AT_ONCE]
            made: dict[int, list[pl.DataFrame]] = {}
            due = start
            for number, documents in map_in_processes(make_piece, wave, workers, warn):
                made[number] = documents
                while due in made:
                    yield from zip(pieces[due].parts, made.pop(due), strict=True)
                    due += 1
        end_idle_workers()


def make_piece(piece: PartPiece) -> tuple[int, list[pl.DataFrame]]:
    """Return the number of a piece, and the numbered documents of each of its parts."""
    return piece.number, [_make_part(piece.run, part, piece.projects) for part in piece.parts]


def _make_part(run: Run, part: str, projects: dict[str, str]) -> pl.DataFrame:
    return number_documents(read_part_documents(run, part, projects))


def _measure_part(run: Run, part: str) -> int:
    """Return the bytes of the files that a part is read from; of MEMORY.md none."""
    table, _, day = part.partition("/")
    if table == "memory":
        return 0
    return sum(path.stat().st_size for path in run.lake.list_files(table, [date.fromisoformat(day)] if day else None))


def _split_parts(sizes: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    piece: list[str] = []
    total = 0
    for part, size in sizes:
        if piece and total + size > PIECE_BYTES:
            yield piece
            piece, total = [], 0
        piece.append(part)
        total += size
    if piece:
        yield piece
