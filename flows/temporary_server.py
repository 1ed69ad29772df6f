"""Prefect's temporary server and Ctrl-C: the run stops at once, and the server lasts until Prefect has noted that.

A terminal sends Ctrl-C to every process in its foreground. Prefect's server ended by it, and Prefect then waited three minutes
for its start, or repeated requests to it for one. asyncio takes the first Ctrl-C for itself, and a step never hears of it.

The server starts before this process imports Prefect, beside it: both load the same libraries for seconds. Prefect itself would
load the whole server here, too, only to start it.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from urllib.request import ProxyHandler, build_opener

from effects.system.garbage import NEW_OBJECTS
from effects.system.own_process import PYTHON

NAMES_OF_SERVERS = ("PREFECT_API_URL", "EPHEMERAL_MODE")
"""Settings, in the environment or a profile, with which Prefect may need no server of its own: it is asked first."""
_SERVE = f"""
import gc, socket, sys
gc.set_threshold({NEW_OBJECTS})
import uvicorn
from prefect.server.api.server import create_app
application = create_app(ephemeral=True, final=True)
listener = socket.socket(fileno=int(sys.argv[1]))
uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="on")).run(sockets=[listener])
"""
"""Serves Prefect's API on a socket that is open already, so that nobody else takes its port and a request may wait there. Four
fifths of its time are imports, of which searches for cycles were a sixth."""
_SERVER_SETTINGS = {
    "PREFECT_UI_ENABLED": "0",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
    "PREFECT_MEMOIZE_BLOCK_AUTO_REGISTRATION": "false",
}
"""No pages, and no search for kinds of blocks: no flow of recollect uses a block. The last setting is for the search that tells
whether a registration that is off would be due, which loads every integration, Dask among them."""
STOP_SECONDS = 5.0
END_SECONDS = 60.0
"""A server that closed its socket is about to end, which takes a busy machine longer than five seconds."""
START_SECONDS = 180.0
"""A server in a new home on a busy machine needs long for its first start."""


@contextmanager
def running_server() -> Iterator[Callable[[], None]]:
    """Start a server where Prefect's settings name none, and let Ctrl-C raise KeyboardInterrupt wherever the main thread is.

    Yields what waits for the server and makes it Prefect's: flows are imported before, and run after. The server stops when this
    process ends.

    Raises:
        RuntimeError: from the waiting, when the server does not start.
        KeyboardInterrupt: on Ctrl-C.
    """
    with _raising_at_once():
        server = None if _may_name_server() else _Server()
        from prefect.client.base import ServerType, determine_server_type
        from prefect.settings import PREFECT_API_URL, temporary_settings

        is_needed = determine_server_type() == ServerType.EPHEMERAL
        if server and not is_needed:
            server.stop()
        server = (server or _Server()) if is_needed else None
        with temporary_settings({PREFECT_API_URL: f"{server.address}/api"} if server else {}):
            yield server.wait if server else lambda: None


class _Server:
    """A process that serves Prefect's API on a free port of this machine; it stops when this process ends."""

    def __init__(self) -> None:
        """Start it without SIGINT: a process takes over the signals that are blocked where it is started."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                with _holding_interrupt():
                    self.process = subprocess.Popen(
                        [*PYTHON, "-c", _SERVE, str(listener.fileno())],
                        env=os.environ | _SERVER_SETTINGS,
                        pass_fds=[listener.fileno()],
                    )
                    atexit.register(self.stop)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def wait(self) -> None:
        """Wait until it answers: a request waits at its socket from the beginning.

        Raises:
            RuntimeError: when it ends, or does not answer in time.
        """
        try:
            build_opener(ProxyHandler({})).open(f"{self.address}/api/health", timeout=START_SECONDS).close()
        except OSError as error:
            raise RuntimeError(f"its temporary server {self._describe_failure(error)}") from error

    def _describe_failure(self, error: OSError) -> str:
        has_closed = isinstance(getattr(error, "reason", error), ConnectionError)
        try:
            return f"ended with code {self.process.wait(timeout=END_SECONDS if has_closed else STOP_SECONDS)}"
        except subprocess.TimeoutExpired:
            return f"did not answer ({error})"

    def stop(self) -> None:
        """End it; one that does not end by itself is killed."""
        atexit.unregister(self.stop)
        self.process.terminate()
        try:
            self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _may_name_server() -> bool:
    """Whether environment or profiles may name a server: then Prefect is asked before one is started."""
    home = os.environ.get("PREFECT_HOME") or os.path.expanduser("~/.prefect")  # noqa: PTH111 - never fails
    profiles = Path(os.environ.get("PREFECT_PROFILES_PATH") or Path(home, "profiles.toml"))
    try:
        text = profiles.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return any(name in text or any(name in variable for variable in os.environ) for name in NAMES_OF_SERVERS)


@contextmanager
def _holding_interrupt() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, in which a process starts that nobody would stop otherwise.

    That a thread blocks the signal does not hold it: another thread takes it, and Python still interrupts the main one.
    """
    if threading.current_thread() is not threading.main_thread() or not callable(before := signal.getsignal(signal.SIGINT)):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


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
