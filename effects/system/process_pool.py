"""The same work on many pieces, in this process and in helper processes, for what keeps Python itself busy.

Plain processes instead of `multiprocessing`: that runs the main module again in each (Prefect's imports for 1.3 s, a script
without a guard starts itself again), and forking is not safe once polars has threads. A helper imports only the module with the
function, and ends when its input does.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from effects.system.bulk_memory import LEAST_MAPPED, MOST_KEPT
from transforms.redaction.redact import redact

Piece = TypeVar("Piece")
Done = TypeVar("Done")

ROOT = Path(__file__).resolve().parents[2]
MOST_HELPERS = 3
"""Each holds a piece in memory: 280 MB for 48 MB of sessions."""

REASON_CHARS = 300

_ALONE = {
    "POLARS_MAX_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
    "MALLOC_TRIM_THRESHOLD_": str(MOST_KEPT),
    "MALLOC_MMAP_THRESHOLD_": str(LEAST_MAPPED),
}
"""A helper has one thread, and keeps the memory that it has had: without the last three it takes 6 % more processor time."""

_COMMAND = "from effects.system.process_pool import helper; helper()"


def helpers_here() -> int:
    """For how many processes beside this one there are processors."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_HELPERS, count - 1)


def noted(tell: Callable[[str], None], kept: list[str]) -> Callable[[str], None]:
    """Tells a message, and keeps it for the counts of the run; an error may quote a session, so secrets are taken out."""

    def note(message: str) -> None:
        kept.append(redact(message)[:REASON_CHARS])
        tell(kept[-1])

    return note


def side_by_side(
    work: Callable[[Piece], Done], pieces: Sequence[Piece], helpers: int, warn: Callable[[str], None]
) -> Iterator[Done]:
    """What `work` (a function of a module) makes of each piece, in the order in which they get done.

    What a helper fails at is done here, after `warn` was told why; so errors of `work` are raised here, too.
    """
    waiting: deque[Piece] = deque(pieces)
    answers: queue.SimpleQueue[tuple[Piece, Done | None, str]] = queue.SimpleQueue()
    processes: list[subprocess.Popen[bytes]] = []
    for _ in range(min(helpers, len(pieces) - 1)):
        threading.Thread(target=_feed, args=(work, waiting, answers, processes), daemon=True).start()
    left = len(pieces)
    try:
        while left:
            piece = _next(waiting)
            if piece is not None:
                yield work(piece)
                left -= 1
            while not answers.empty() or (left and not waiting):
                given, done, reason = answers.get()
                if done is None:
                    warn(f"a helper process failed, so its part is done here: {reason}")
                    waiting.append(given)
                    break
                yield done
                left -= 1
    finally:
        waiting.clear()
        for process in processes:  # idle, not ready yet, or at work for nobody
            process.kill()


def _next(waiting: deque[Piece]) -> Piece | None:
    try:
        return waiting.popleft()
    except IndexError:  # taken by a helper meanwhile, or all done
        return None


def _feed(
    work: Callable[[Piece], Done],
    waiting: deque[Piece],
    answers: queue.SimpleQueue[tuple[Piece, Done | None, str]],
    processes: list[subprocess.Popen[bytes]],
) -> None:
    """Gives pieces to a helper, one after the other, from when it is ready to when none is left."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), **_ALONE}
    command = [sys.executable, "-c", _COMMAND, work.__module__, work.__qualname__]
    piece: Piece | None = None
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            processes.append(process)
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.load(process.stdout)  # it is ready
            while (piece := _next(waiting)) is not None:
                pickle.dump(piece, process.stdin)
                process.stdin.flush()
                done, reason = pickle.load(process.stdout)
                answers.put((piece, done, reason))
                if done is None:
                    return
    except Exception as error:  # noqa: BLE001  # whatever it is: the piece goes back, and the reason is told with it
        if piece is not None:
            answers.put((piece, None, f"{type(error).__name__}: {error}"))


def helper() -> None:
    """A helper process: reads pieces from stdin and writes what comes of each to stdout, until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that was started by a person decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not print into the answers
    work: Callable[[Any], Any] = getattr(import_module(sys.argv[1]), sys.argv[2])
    pickle.dump((True, ""), answers)
    answers.flush()
    while True:
        try:
            piece = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = work(piece), ""
        except Exception as error:  # noqa: BLE001  # told to the process that gave the piece, which tries it itself
            answer = None, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()
