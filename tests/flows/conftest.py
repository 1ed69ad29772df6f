"""Starts one real Prefect server for the tests of the flows, in a home of its own, and ends it after the last of them."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.machine.file_order import find_shared
from tests.prefect_commands import RunPrefect, preparing_commands

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def sample_night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample sessions after one night over all of them. Tests only read it."""
    from flows.pipelines import nightly_pipeline
    from flows.runner import run_pipeline
    from tests.flows.pipelines.test_pipelines import run_in, samples

    folder = tmp_path_factory.mktemp("night")
    samples(folder / "sessions")
    run_pipeline(run_in(folder), nightly_pipeline(None))
    return folder


class FirstNight(NamedTuple):
    """What the first night of an owner without a server left: its output, and the folder of Prefect."""

    done: subprocess.CompletedProcess[str]
    prefect_home: Path


@pytest.fixture(scope="session")
def first_night(tmp_path_factory: pytest.TempPathFactory) -> FirstNight:
    """Run a first night through Prefect, which starts a server and makes its database.

    Making it is Prefect's work and takes 9 s of processor time: the first run of the tests after `make setup` has it made and
    keeps it in `build/`, the others begin with that one. With `CI_DEEP` it is made again.
    """
    from tests.flows.test_prefect_run import recollect, session_file

    folder = tmp_path_factory.mktemp("first")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {"HOME": str(folder / "home"), "PREFECT_HOME": str(folder / "prefect")}
    session_file(folder / "sessions")
    database, kept = folder / "prefect" / "prefect.db", _name_kept_database()
    copy_kept_database(database.parent)
    done = recollect(environment, folder, "nightly", "--as-of", "2026-05-21T03:30", "--json")
    if done.returncode == 0 and not kept.is_file():
        _keep_database(database, kept)
    return FirstNight(done, database.parent)


def copy_kept_database(home: Path) -> None:
    """Give a folder of Prefect the database that is kept, if it is: a server then starts as on the second night of an owner."""
    home.mkdir(exist_ok=True)
    if _name_kept_database().is_file() and not os.environ.get("CI_DEEP"):
        shutil.copy(_name_kept_database(), home / "prefect.db")


def _name_kept_database() -> Path:
    """Return where the database of these versions of Prefect and of what it stands on is kept."""
    lock = hashlib.sha256((ROOT / "requirements.lock").read_bytes()).hexdigest()[:12]
    return ROOT / "build" / "tests" / f"prefect-{version('prefect')}-{lock}.db"


def _keep_database(database: Path, kept: Path) -> None:
    """Copy a database whole, with what its log holds; a run of the tests beside this one sees all of it or nothing."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(part)) as target:
        source.backup(target)
    part.replace(kept)


class PrefectServer:
    """A running server; it stands still while no file asks for it, because an idle one costs processor time, too."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._running = ExitStack()
        self.environment: dict[str, str] = {}

    def start(self) -> dict[str, str]:
        """Return the environment of a process that talks to the server; starting it takes 4 to 8 s."""
        if not self.environment:
            self.environment = self._running.enter_context(_serving(self._home))
        return self.environment

    def stop(self) -> None:
        """End the server and everything that it keeps in memory."""
        self._running.close()
        self.environment = {}


@pytest.fixture(scope="session")
def prefect_servers(tmp_path_factory: pytest.TempPathFactory, first_night: FirstNight) -> Iterator[PrefectServer]:
    """The server of all files, which is started when the first one asks for it; its database is the one of the first night."""
    home = tmp_path_factory.mktemp("prefect")
    for path in first_night.prefect_home.glob("prefect.db*"):
        shutil.copy(path, home)
    server = PrefectServer(home)
    try:
        yield server
    finally:
        server.stop()


NEXT = pytest.StashKey[pytest.Item | None]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Tell the fixtures that end which test comes next."""
    item.session.stash[NEXT] = nextitem


@pytest.fixture(scope="module")
def prefect_server(prefect_servers: PrefectServer, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The environment of a process that talks to a running server. It is stopped where the next file does not ask for it."""
    yield prefect_servers.start()
    following = request.session.stash[NEXT]
    if following is None or find_shared(following.path) != "prefect_server":
        prefect_servers.stop()


@pytest.fixture(scope="session")
def prefect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunPrefect]:
    """A function that runs a command of Prefect against the server of the test: prefect(environment, *arguments)."""
    with preparing_commands(
        _hide_settings(tmp_path_factory.mktemp("prefect-home")), tmp_path_factory.mktemp("commands")
    ) as commands:
        yield commands.run


def _hide_settings(home: Path) -> dict[str, str]:
    """Return the variables of the environment without Prefect's and recollect's, with those that the README exports."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "RECOLLECT_"))}
    return environment | read_exports() | {"HOME": str(home), "PREFECT_HOME": str(home), "TZ": "UTC"}


@contextmanager
def _serving(home: Path) -> Iterator[dict[str, str]]:
    port = _free_port()
    environment = _hide_settings(home) | {
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "1",  # 10 by itself: each run of a worker would wait for its next look
    }
    command = [sys.executable, "-m", "prefect", *read_lines()[0], "--host", "127.0.0.1", "--port", str(port)]
    log = home / "server.log"
    with log.open("wb") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as server:
        try:
            _wait(environment["PREFECT_API_URL"], server, log)
            yield environment
        finally:
            server.terminate()
            server.wait(timeout=120)


def read_lines() -> list[list[str]]:
    """Return the arguments of each `prefect` line of the README, in order: the server is the first."""
    block = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .partition("## Every night")[2]
        .partition("```sh\n")[2]
        .partition("```")[0]
    )
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines() if line.startswith(".venv/bin/prefect ")]


def read_exports() -> dict[str, str]:
    """Return the variables that the README exports, without the address of the server."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Every night")[2]
    words = [word for line in re.findall(r"^export (.*)$", text, re.MULTILINE) for word in shlex.split(line, comments=True)]
    exports = dict(word.split("=", 1) for word in words)
    del exports["PREFECT_API_URL"]
    return exports


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 240
    # Without `verify=False` each client reads the certificates of this machine: 40 ms, and the server speaks no TLS.
    with httpx.Client(verify=False, timeout=10, trust_env=False) as client:
        while time.monotonic() < deadline and server.poll() is None:
            try:
                if client.get(f"{url}/health").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
