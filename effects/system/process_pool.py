"""The same function on many pieces in several processes, for work that keeps Python itself busy.

Processes are spawned, because forking is not safe once polars has threads.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Thread
from typing import TypeVar

from effects.system.cores import count_usable_cores
from effects.system.garbage import give_memory_back, prepare_process
from effects.system.work_tally import begin_piece, join_tally, share_tally, tell_watcher
from transforms.redaction.redact import redact

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MAX_WORKERS = 4
"""Each worker holds a piece in memory."""
REASON_CHARS = 300
WATCH_SECONDS = 1.0
"""While this process waits for workers, it tells this often what they have counted."""

_WORKER_ENVIRONMENT = {
    "POLARS_MAX_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
}
"""A worker has one thread, and polars keeps the memory that it has had."""


def count_workers() -> int:
    """Return how many processes this machine has cores for, this one among them; 1 means that work stays in it."""
    return min(MAX_WORKERS, count_usable_cores())


def keep_warnings(report: Callable[[str], None], warnings: list[str]) -> Callable[[str], None]:
    """Return a function that reports a message and keeps it for the counts of the run, without secrets of a quoted session."""

    def warn(message: str) -> None:
        """Keep the message without secrets, and report it."""
        warnings.append(redact(message)[:REASON_CHARS])
        report(warnings[-1])

    return warn


@dataclass(frozen=True, slots=True)
class _Helpers:
    """Worker processes, and the memory that they share with this one: a number for each piece, of what is done of it, of
    whether this process took it, and of whether a worker began it."""

    pool: ProcessPoolExecutor
    size: int
    done: MutableSequence[int]
    taken: MutableSequence[int]
    begun: MutableSequence[int]


_idle: list[_Helpers] = []
"""Workers that wait for the next step; a step takes them out while it uses them."""
_keepers = 0
"""How many runs of this process keep workers: one, but for tests."""


@contextmanager
def keeping_workers() -> Iterator[None]:
    """Keep the workers that a step starts for the steps behind it until the context ends: each start takes as much of a core as
    reading two megabytes."""
    global _keepers  # noqa: PLW0603  # Prefect runs the steps of one run in several threads
    _keepers += 1
    try:
        yield
    finally:
        _keepers -= 1
        if not _keepers:
            end_idle_workers()


def end_idle_workers() -> None:
    """End the workers that wait: a step says so behind which no other has work for them, since each of them keeps the models that
    it loaded, and what it read."""
    while _idle:
        _idle.pop().pool.shutdown()


def has_idle_workers() -> bool:
    """Whether workers of a former step wait, so that little work is worth being divided, too."""
    return bool(_idle)


def map_in_processes(
    work: Callable[[Piece], Result], pieces: Sequence[Piece], workers: int, warn: Callable[[str], None]
) -> Iterator[Result]:
    """Yield the result of `work` (a function of a module) for each piece, in the order in which they are done.

    This process is one of the `workers`: it would only wait, and a process that need not start saves what two dozen windows
    cost. With one worker or one piece everything is done here. A piece that a worker fails at is done in this process, after
    `warn` got the reason, so that errors of `work` are raised here, once all other pieces are done. Each piece has one result,
    also if two processes did it: who takes the result of its own or its promise out of `futures` is the only one.
    """
    pieces = tuple(pieces)  # the caller may go on with its own list between two results
    started = _start(work, pieces, min(workers, len(pieces)) - 1, warn) if workers > 1 and len(pieces) > 1 else None
    if started is None:
        yield from map(work, pieces)
        return
    helpers, submitted = started
    futures = dict(zip(submitted, pieces, strict=True))
    failed, left = list[Piece](), list[Piece]()
    reasons: set[str] = set()

    def take_result(future: Future[Result]) -> Iterator[Result]:
        """Yield the result of a worker, or note its piece as failed."""
        piece = futures.pop(future)
        error = future.exception()
        if error is None:
            yield future.result()
            return
        if isinstance(error, PieceTakenError):  # both began it at once, and both left it
            left.append(piece)
            return
        failed.append(piece)
        reason = f"{type(error).__name__}: {error}"
        if reason not in reasons:
            warn(f"a worker process failed; this process takes over its part: {reason}")
            reasons.add(reason)

    with _using(helpers, submitted, failed):
        for own in _take_pieces(helpers, submitted):
            piece = futures.pop(own)
            try:
                result = work(piece)
            except Exception:  # noqa: BLE001  it is raised at the end, when the piece is done again
                failed.append(piece)
            else:
                yield result
            for future in [future for future in futures if future.done()]:
                yield from take_result(future)
        tell_watcher()  # of what a worker did after this process had counted its own last piece
        while futures:
            for future in wait(futures, WATCH_SECONDS, FIRST_COMPLETED).done:
                yield from take_result(future)
            tell_watcher()
    yield from map(work, [*left, *failed])


def _take_pieces(helpers: _Helpers, submitted: Sequence[Future[Result]]) -> Iterator[Future[Result]]:
    """Yield the promise of each piece that no worker has begun, from the end: the workers begin at the other one, each with one
    piece at least. What only lies ready for one of them is taken, too."""
    for number, promised in reversed([*enumerate(submitted)][helpers.size :]):
        if promised.done():
            continue
        helpers.taken[number] = 1
        if not helpers.begun[number]:
            yield promised


@contextmanager
def _using(helpers: _Helpers, submitted: Sequence[Future[Result]], failed: Sequence[Piece]) -> Iterator[None]:
    """Keep workers that did all of their pieces for the next step of the run; all others end with the context."""
    is_over = False
    try:
        yield
        is_over = not failed
    finally:
        if is_over and _keepers and not _idle:
            wait(submitted)  # of what both began nobody needs the worker's answer, but it counts in the shared memory
            share_tally([])
            _idle.append(helpers)
        else:
            _end(helpers)


def _start(
    work: Callable[[Piece], Result], pieces: Sequence[Piece], size: int, warn: Callable[[str], None]
) -> tuple[_Helpers, list[Future[Result]]] | None:
    """Give the pieces to workers that wait, or to new ones, and return these and the promised results. None where no memory can
    be shared or not all workers can be started: then all work is done here, and `warn` gets the reason."""
    helpers = _idle.pop() if _idle else None
    if helpers and helpers.size >= size and len(helpers.done) >= len(pieces):
        try:
            return helpers, _submit(helpers, work, pieces)
        except (OSError, RuntimeError):  # one of them died while it waited
            pass
    if helpers:
        _end(helpers)
    helpers, others = None, multiprocessing.active_children()
    try:
        helpers = _make_helpers(size, max(len(pieces), SHARED_PIECES))
        return helpers, _submit(helpers, work, pieces)
    except (OSError, RuntimeError) as error:  # a full disk or /dev/shm, no semaphores, a limit on processes or threads
        warn(f"worker processes cannot start; this process does all of the work: {type(error).__name__}: {error}")
        begun = [worker for worker in multiprocessing.active_children() if worker not in others]
        for worker in begun:
            worker.kill()
        if helpers:
            with suppress(RuntimeError):  # its own thread did not start, either
                helpers.pool.shutdown()  # in Python 3.11 a pool with a cancelled piece never ends when a worker dies
        for worker in begun:
            worker.join()
        return None


def _make_helpers(size: int, room: int) -> _Helpers:
    """Return workers, which start with their first pieces, and memory for so many pieces."""
    context = multiprocessing.get_context("spawn")
    memory = context.RawArray("q", room), context.RawArray("b", room), context.RawArray("b", room)  # it lies in a file
    return _Helpers(ProcessPoolExecutor(size, context, _prepare_worker, memory), size, *memory)


def _end(helpers: _Helpers) -> None:
    """End workers once each is done with its piece: what none of them began, also what lies ready for one, nobody needs."""
    for number in range(len(helpers.taken)):
        helpers.taken[number] = 1
    helpers.pool.shutdown(cancel_futures=True)


def _submit(helpers: _Helpers, work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Future[Result]]:
    for number in range(len(helpers.done)):
        helpers.done[number] = helpers.taken[number] = helpers.begun[number] = 0
    share_tally(helpers.done)
    try:
        with _holding_interrupts():  # workers start here
            return [helpers.pool.submit(_do_piece, work, piece, number) for number, piece in enumerate(pieces)]
    except KeyboardInterrupt:
        _end(helpers)  # else the end of this process would wait until they are done with all pieces
        raise


@contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until the context ends. A worker that starts in it is born deaf to it, and would print a traceback else:
    it imports for a second before it can say that it ignores the signal."""
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


SHARED_PIECES = 1024
"""Pieces for which workers have memory at least, so that those of a step with few do for the next one."""

_taken: MutableSequence[int] = []
_begun: MutableSequence[int] = []
"""In a worker: which pieces the parent does itself, and which a worker began. Each says so before it looks what the other says:
nobody does a piece of the other. The parent cancels none: in Python 3.11 a pool with a cancelled piece never ends when a
worker dies (`terminate_broken` in concurrent/futures/process.py)."""


class PieceTakenError(Exception):
    """A worker leaves a piece that its parent does."""


_former: list[Callable[..., object] | None] = [None]
"""In a worker: the work of its former piece; what it left in memory goes before another step's."""


def _do_piece(work: Callable[[Piece], Result], piece: Piece, number: int) -> Result:
    _begun[number] = 1
    if _taken[number]:
        raise PieceTakenError
    if work is not _former[0]:
        _former[0] = work
        give_memory_back()
    begin_piece(number)
    return work(piece)


def _prepare_worker(done: MutableSequence[int], taken: MutableSequence[int], begun: MutableSequence[int]) -> None:
    """Make this process a worker: one thread, silent on stdout, ended by its parent only, and never without it."""
    global _taken, _begun  # they reach a worker when that starts, not with a piece
    join_tally(done)
    _taken, _begun = taken, begun
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent as well, which decides
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # `_holding_interrupts` was for the time until here
    os.environ |= _WORKER_ENVIRONMENT  # read by polars and numpy, which are not imported yet
    prepare_process()
    os.dup2(2, 1)  # stdout belongs to the parent's answer
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
