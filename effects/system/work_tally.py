"""How many units of a step are done by now, in all of its processes: the step watches while they work on pieces that take long.

Each piece of a worker has a number of its own in shared memory, which no other process writes: without locks, a worker that
dies holds nobody up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock


@dataclass(slots=True)
class _Tally:
    """The units that this process did, those of its workers by piece, and who wants to know."""

    watch: Callable[[int], None]
    own: int = 0
    by_piece: MutableSequence[int] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


_tally: _Tally | None = None
"""The work of the step that runs in this process; None where nobody watches."""
_memory: MutableSequence[int] | None = None
"""In a worker: the memory that its parent reads."""
_piece = 0
"""The number of the piece that this worker works on."""


@contextmanager
def watching_work(watch: Callable[[int], None]) -> Iterator[None]:
    """Call `watch` with the units done so far whenever `add_done` counts some, in this process or in a worker."""
    global _tally  # noqa: PLW0603  # threads and generators of a step share it, so a context variable does not do
    before, _tally = _tally, _Tally(watch)
    try:
        yield
    finally:
        _tally = before


def add_done(units: int) -> None:
    """Count units as done. Where nobody watches, nothing happens."""
    if _memory is not None:
        _memory[_piece] += units
    elif _tally is not None:
        with _tally.lock:
            _tally.own += units
        tell_watcher()


def tell_watcher() -> None:
    """Tell the watcher what is done by now: what workers did meanwhile, too."""
    if _tally is not None:
        _tally.watch(_tally.own + sum(_tally.by_piece))


def share_tally(memory: MutableSequence[int]) -> None:
    """Let workers count in this shared memory, a number for each piece."""
    if _tally is not None:
        _tally.own += sum(_tally.by_piece)
        _tally.by_piece = memory


def join_tally(memory: MutableSequence[int] | None) -> None:
    """Count in the memory that the parent shares, in this worker; without memory nothing is counted."""
    global _memory  # noqa: PLW0603  # it reaches a worker when that starts, not with a piece
    _memory = memory


def begin_piece(number: int) -> None:
    """Count from now on for this piece, in this worker."""
    global _piece  # noqa: PLW0603  # a worker does one piece at a time
    _piece = number
