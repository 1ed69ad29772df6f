"""Every test has its own home, no RECOLLECT_* of the developer, and no network but the loopback."""

from __future__ import annotations

import gc
import ipaddress
import os
import shutil
import signal
import socket
import ssl
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import stamina
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from tests.machine.disk import skip_sync
from tests.machine.file_order import ROOT, find_group, rank_file
from tests.machine.memory_folder import open_memory_folder
from tests.machine.parsed_modules import forget_modules
from tests.machine.shared_bytecode import has_constants, keep_constants, make_share

# Several test processes on two cores: BLAS threads of all would wait for each other (a season of nights: 141 s, then 46 s).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# As in `make test`: where it is set (in many containers), each process of the tests would compile Prefect and our modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A kill keeps what the system has; only a loss of power would not, and waiting for the disk was a fifth of a night's time.
os.fsync = skip_sync

# A shell starts a job in the background with Ctrl-C ignored, and so would be all that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is not a fault of the code under test. Each run draws other examples: half as many as usual, twice as often.
settings.register_profile("recollect", deadline=None, max_examples=50)
# The CI judges a change, not its luck: the same examples for the same test. New examples are drawn in every `make test`.
settings.register_profile("repeatable", deadline=None, max_examples=50, derandomize=True)
# For a search at night: ten times as many. A test that names a number of its own keeps it.
settings.register_profile("deep", deadline=None, max_examples=500)
settings.load_profile("deep" if os.environ.get("CI_DEEP") else os.environ.get("HYPOTHESIS_PROFILE", "recollect"))

# Of the run, not of a worker: workers and what they start take over the variable that names it.
_memory = open_memory_folder()

_connect = socket.socket.connect
_homes = count()

# Each client of HTTP reads the certificates of the machine (25 ms), also to speak to the loopback, where nobody asks for one.
ssl.SSLContext.load_default_certs = lambda _context, _purpose=ssl.Purpose.SERVER_AUTH: None  # type: ignore[method-assign]

# What a collection makes lives until the end: to search it for garbage takes a sixth of the collection's time.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Have each worker of a whole run make its share of the bytecode, before all of them collect the same files; and of the
    constants that Hypothesis keeps, in a fresh clone."""
    worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if worker is not None and [ROOT / place for place in session.config.args] == [ROOT / "tests"]:
        share, is_fresh = (int(worker["workerid"].removeprefix("gw")), worker["workercount"]), not has_constants()
        make_share(ROOT, *share)
        if is_fresh:
            keep_constants(ROOT, *share)


def pytest_collection_finish() -> None:
    """Search for garbage again: the tests begin. What is collected lives until the end and is no longer looked through."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus: int) -> None:
    """Give the memory of a good run's files back at once; a bad one's files stay until the next run."""
    gc.unfreeze()  # libraries in C tell what nobody freed when the process ends
    if _memory is not None and exitstatus == 0:
        shutil.rmtree(_memory, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the files that take long first, so that no worker ends with one of them alone; the others stay shuffled."""
    items.sort(key=lambda item: rank_file(item.path))


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget the parsed modules after the last test that looks at them, and search for garbage again."""
    if find_group(item.path) == "parsed_modules" and (nextitem is None or find_group(nextitem.path) != "parsed_modules"):
        forget_modules()
        gc.enable()


class SharingFiles(LoadFileScheduling):
    """Gives a worker a whole file, or all files of a group."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return find_group(ROOT / file) or file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharingFiles | None:
    """Share the tests out by file, as `--dist loadfile` does, but once per group of files."""
    return SharingFiles(config, log) if config.getvalue("dist") == "loadfile" else None


@cache
def _open_homes() -> TemporaryDirectory[str]:
    """Return the folder of all homes, which ends with the process."""
    return TemporaryDirectory(prefix="recollect-homes-")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Set a fresh HOME; hide settings of the person who runs the tests; fix the zone; search for no garbage among parsed modules.

    A hook and no fixture: it comes before the fixtures of modules, and thousands of short tests take half as long to set up.
    """
    if find_group(item.path) == "parsed_modules":
        gc.disable()
    home = os.path.join(_open_homes().name, str(next(_homes)))  # noqa: PTH118 - once per test
    os.mkdir(home)  # noqa: PTH102
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        del os.environ[name]
    os.environ.update(HOME=home, TZ="UTC", PREFECT_SERVER_ANALYTICS_ENABLED="false", DO_NOT_TRACK="1")


@pytest.fixture(scope="session", autouse=True)
def tester(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the owner of all tests; pytest's folder is named for the person who runs them, and made before."""
    tmp_path_factory.getbasetemp()
    os.environ["LOGNAME"] = "tester"
    return "tester"


@pytest.fixture
def own_home() -> Path:
    """Return the HOME of the test."""
    return Path(os.environ["HOME"])


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Send a request at most three times and without pauses, and hide the keys and proxies of the person who runs the tests."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


def _connect_here(self: socket.socket, address: Any) -> None:
    """Fail a test that connects anywhere but to this machine."""
    if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(str(address[0])):
        raise AssertionError(f"a test tried to reach {address[0]}")
    _connect(self, address)


socket.socket.connect = _connect_here  # type: ignore[method-assign]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
