"""Prefect's temporary server and Ctrl-C: the run stops at once, and the server lasts until Prefect has noted that.

A terminal sends Ctrl-C to every process in its foreground. Prefect's server ended by it, and Prefect then waited three minutes
for its start, or repeated requests to it for one. asyncio takes the first Ctrl-C for itself, and a step never hears of it.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Thread
from types import FrameType

from prefect.client.base import ServerType, determine_server_type

TICK_SECONDS = 0.1
LAUNCH_SECONDS = 3.0
"""A launch that Ctrl-C interrupts has its process after so long, or has none."""


@contextmanager
def running_server() -> Iterator[None]:
    """Start the server that Prefect would start itself, and let Ctrl-C raise KeyboardInterrupt wherever the main thread is.

    Nothing is started where the settings name a server. Prefect stops its server when this process ends.

    Raises:
        Exception: as Prefect raises it, when the server does not start.
        KeyboardInterrupt: on Ctrl-C; a server that is just starting is stopped.
    """
    with _raising_at_once():
        if determine_server_type() == ServerType.EPHEMERAL:
            _start_server()
        yield


@contextmanager
def _raising_at_once() -> Iterator[None]:
    """Keep asyncio from taking over Ctrl-C, which it does where Python's own handler is set; that one's effect stays."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _start_server() -> None:
    """Start the server from a thread that blocks SIGINT: its children take that over, and this thread can be interrupted."""
    from prefect.server.api.server import SubprocessASGIServer

    server = SubprocessASGIServer()  # the one that each client of this process asks for
    failures: list[Exception] = []

    def start() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            server.start()
        except Exception as error:  # noqa: BLE001 - raised again in the main thread
            failures.append(error)

    starter = Thread(target=copy_context().run, args=[start], daemon=True)
    starter.start()
    try:
        while starter.is_alive():
            starter.join(TICK_SECONDS)
    except KeyboardInterrupt:
        latest = time.monotonic() + LAUNCH_SECONDS
        while starter.is_alive() and server.server_process is None and time.monotonic() < latest:
            time.sleep(TICK_SECONDS)
        with suppress(Exception):  # the start that is under way ends with an error of its own
            server.stop()
        raise
    if failures:
        raise failures[0]
