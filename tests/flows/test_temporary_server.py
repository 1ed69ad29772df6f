"""Prefect's temporary server: where none is named, beside the imports, and Ctrl-C, which a terminal sends to it, too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from effects.store.lake import Lake
from flows import temporary_server
from tests.flows.conftest import copy_kept_database
from tests.flows.test_runner_closing_together import session_file

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60
"""A busy machine needs some; Prefect alone waited for three minutes."""


def _has_server(_: Path, group: int) -> bool:
    """Whether the group has a second process: the server, which starts."""
    listed = subprocess.run(["ps", "-eo", "pgid="], capture_output=True, text=True, check=True).stdout.split()
    return listed.count(str(group)) > 1


@pytest.fixture(autouse=True)
def _heard_interrupt() -> Iterator[None]:
    """Let this process and those that it starts hear SIGINT: a job in the background inherits that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _has_entries(folder: Path, _: int) -> bool:
    """Whether a step is at work."""
    return bool(list((folder / "lake" / "entries").glob("day=2026*")))


@pytest.mark.flow
@pytest.mark.parametrize("has_come", [_has_server, _has_entries])
def test_ctrl_c_ends_a_night_soon_and_leaves_no_server(
    has_come: Callable[[Path, int], bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Prefect starts and while a step is at work: exit 1 and one line, as with `--direct`; the lake is free."""
    for number in range(12):
        session_file(tmp_path / "sessions", f"s-{number}")
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    copy_kept_database(tmp_path / "prefect")
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    command = [sys.executable, "-m", "recollect", "nightly"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 4 * SECONDS
            while not has_come(tmp_path, process.pid) and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            _, text = process.communicate(timeout=SECONDS)
            with pytest.raises(ProcessLookupError):
                os.killpg(process.pid, 0)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 1
    assert [line for line in text.splitlines() if "stopped; finished work is kept" in line]
    assert "Prefect could not start" not in text
    assert "Traceback" not in text
    Lake(tmp_path / "lake").check_writer()


def test_a_server_that_starts_while_ctrl_c_comes_is_stopped_with_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread takes the signal that is blocked in the main one; the server was running by then, and nobody's."""
    start, stops = subprocess.Popen, list[Callable[[], None]]()

    def interrupt() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    def start_interrupted(*_: object, **__: object) -> subprocess.Popen[bytes]:
        process = start([sys.executable, "-c", "import time; time.sleep(60)"])
        (thread := threading.Thread(target=interrupt)).start()
        thread.join()
        return process

    monkeypatch.setattr(temporary_server.subprocess, "Popen", start_interrupted)
    monkeypatch.setattr(temporary_server.atexit, "register", stops.append)
    monkeypatch.setattr(temporary_server.atexit, "unregister", lambda _: None)
    try:
        with pytest.raises(KeyboardInterrupt), temporary_server._raising_at_once():
            temporary_server._Server()
    finally:
        for stop in stops:
            stop()
    assert len(stops) == 1


PROGRAM = """
import sys
from effects.config.prefect_settings import prepared_for_prefect
with prepared_for_prefect():
    from flows.temporary_server import running_server
    with running_server() as wait:
        wait()
        from prefect.settings import PREFECT_API_URL
        print(PREFECT_API_URL.value(), "prefect.server.api.server" in sys.modules)
"""


@pytest.mark.flow
@pytest.mark.parametrize("place", ["nowhere", "environment", "profile"])
def test_a_server_is_started_only_where_no_setting_names_one_and_never_loaded_here(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it load an integration: Prefect's search for kinds of blocks would import each one that is installed, and no flow
    of recollect uses a block."""
    home, named, mark = tmp_path / "prefect", "http://127.0.0.1:9/api", tmp_path / "loaded"
    copy_kept_database(home)
    install_integration(tmp_path, mark)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PREFECT_HOME", str(home))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    if place == "environment":
        monkeypatch.setenv("PREFECT_API_URL", named)
    elif place == "profile":
        (home / "profiles.toml").write_text(f'active = "own"\n[profiles.own]\nPREFECT_API_URL = "{named}"\n')
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=4 * SECONDS, check=True
    )
    address, is_loaded = done.stdout.split()
    assert (address == named) == (place != "nowhere")
    assert is_loaded == "False"
    assert not mark.exists()


def install_integration(folder: Path, mark: Path) -> None:
    """Install an integration of Prefect in a folder; it leaves a mark when it is imported."""
    described = folder / "integration-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: integration\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[prefect.collections]\nintegration = integration_of_a_test\n")
    (folder / "integration_of_a_test.py").write_text(f"from pathlib import Path\nPath({str(mark)!r}).touch()\n")


@pytest.mark.flow
def test_a_server_that_does_not_start_is_an_error_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    (tmp_path / "prefect.db").write_bytes(b"no database" * 100)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=2 * SECONDS, check=False
    )
    assert "its temporary server ended with code" in done.stderr


def test_a_server_that_takes_its_time_to_end_has_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine closed its socket long before its process was gone, and its end was told as a missing answer."""
    monkeypatch.setattr(temporary_server, "STOP_SECONDS", 0.0)
    monkeypatch.setattr(
        temporary_server, "_SERVE", "import os, sys, time; os.close(int(sys.argv[1])); time.sleep(0.5); sys.exit(3)"
    )
    with pytest.raises(RuntimeError, match="its temporary server ended with code 3"):
        temporary_server._Server().wait()
