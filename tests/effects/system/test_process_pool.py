"""Several processes give the results of one, also when a worker dies."""

from __future__ import annotations

import multiprocessing.popen_spawn_posix
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from effects.ingest import batches, ingest_step
from effects.ingest.part_files import PartTask, SessionPart, write_part
from effects.system import process_pool
from effects.system.process_pool import end_idle_workers, has_idle_workers, keeping_workers, map_in_processes
from tests.effects.session_home import LINES, Home, header, write
from tests.effects.system.pool_work import (
    doubled,
    doubled_with_a_mark,
    dying_in_workers,
    failing,
    failing_in_workers,
    process_id_after,
)

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "data" / "samples" / "sessions"


def is_running(process_id: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(workers: set[int]) -> None:
    """Wait until these processes have ended, half a minute at most."""
    for _ in range(300):
        if not any(map(is_running, workers)):
            return
        time.sleep(0.1)
    pytest.fail("a worker outlived its parent")


def part_but_not_in_workers(task: PartTask) -> SessionPart:
    """Raise an error in a worker; outside of it wait for that error."""
    mark = Path(os.environ["MARK"])
    if os.environ["HERE"] != str(os.getpid()):
        mark.touch()
        raise OSError("disk gone")
    wait_for(mark)
    return write_part(task)


def wait_for(mark: Path) -> None:
    """Wait for a file that a worker makes, at most two minutes."""
    for _ in range(1200):
        if mark.exists():
            return
        time.sleep(0.1)


def use_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers read even a few sessions, in small parts."""
    monkeypatch.setattr(ingest_step, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(ingest_step, "count_workers", lambda: 2)
    monkeypatch.setattr(batches, "FILL_BYTES", 20_000)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_piece_is_done_once(workers: int) -> None:
    warnings: list[str] = []
    assert sorted(map_in_processes(doubled, range(40), workers, warnings.append)) == list(range(0, 80, 2))
    assert warnings == []


def test_this_process_is_one_of_the_workers() -> None:
    """It takes pieces from the end while the others start, and a worker gets the first."""
    owners = list(map_in_processes(process_id_after, [0.1] * 12, 2, pytest.fail))
    assert len(set(owners)) == 2
    assert os.getpid() in owners


def test_pieces_that_this_process_takes_are_not_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Python 3.11 a pool with a cancelled piece never ends when a worker dies."""
    cancel, threads = Future.cancel, list[threading.Thread]()

    def note_and_cancel(future: Future[int]) -> bool:
        threads.append(threading.current_thread())
        return cancel(future)

    monkeypatch.setattr(Future, "cancel", note_and_cancel)
    owners = list(map_in_processes(process_id_after, [0.1] * 12, 2, pytest.fail))
    assert os.getpid() in owners
    assert threading.main_thread() not in threads


def test_a_caller_may_shorten_its_list_between_two_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no worker starts."""
    monkeypatch.setattr(process_pool, "_start", lambda *_: None)
    numbers = [*range(6)]
    assert [(result, numbers.pop(0))[0] for result in map_in_processes(doubled, numbers, 2, pytest.fail)] == [*range(0, 12, 2)]


@pytest.mark.parametrize(
    ("module", "name", "starting", "error"),
    [
        (process_pool, "ProcessPoolExecutor", 0, FileNotFoundError("no semaphores")),
        (multiprocessing.popen_spawn_posix.Popen, "__init__", 0, BlockingIOError("Resource temporarily unavailable")),
        (multiprocessing.popen_spawn_posix.Popen, "__init__", 1, BlockingIOError("Resource temporarily unavailable")),
        (threading.Thread, "start", 0, RuntimeError("can't start new thread")),
    ],
)
def test_where_workers_cannot_start_all_is_done_here_with_a_warning(
    module: Any, name: str, starting: int, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What did start ends."""
    warnings, good, started = list[str](), getattr(module, name), list[int]()

    def start_so_many(*how: Any) -> Any:
        started.append(1)
        if len(started) > starting:
            raise error
        return good(*how)

    running = multiprocessing.active_children()
    monkeypatch.setattr(module, name, start_so_many)
    with keeping_workers():
        assert sorted(map_in_processes(doubled, range(6), 3, warnings.append)) == list(range(0, 12, 2))
        monkeypatch.undo()
    (warning,) = warnings
    assert warning == f"worker processes cannot start; this process does all of the work: {type(error).__name__}: {error}"
    assert multiprocessing.active_children() == running


def test_nothing_to_do_starts_nothing() -> None:
    assert list(map_in_processes(doubled, [], 2, pytest.fail)) == []


@pytest.mark.parametrize("work", [dying_in_workers, failing_in_workers])
def test_pieces_that_a_worker_fails_at_are_done_here_with_a_warning(
    work: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE", str(os.getpid()))
    warnings: list[str] = []
    assert sorted(map_in_processes(work, range(20), 2, warnings.append)) == sorted(-number for number in range(20))
    assert warnings
    assert all("takes over its part" in warning for warning in warnings)
    assert len(set(warnings)) == len(warnings)


def test_the_workers_of_a_step_do_those_behind_it_and_end_with_the_run() -> None:
    with keeping_workers():
        owners = [set(map_in_processes(process_id_after, [0.1] * 12, 2, pytest.fail)) - {os.getpid()} for _ in range(3)]
        assert has_idle_workers()
        assert len(set.union(*owners)) == 1
        assert sorted(map_in_processes(doubled, range(2000), 2, pytest.fail)) == list(range(0, 4000, 2)), "more than the memory"
    assert not has_idle_workers()
    (worker,) = owners[0]
    wait_until_gone({worker})


def test_a_step_ends_workers_behind_which_no_work_is_for_them() -> None:
    with keeping_workers():
        (worker,) = set(map_in_processes(process_id_after, [0.1] * 12, 2, pytest.fail)) - {os.getpid()}
        end_idle_workers()
        assert not has_idle_workers()
        wait_until_gone({worker})
        assert sorted(map_in_processes(doubled, range(40), 2, pytest.fail)) == list(range(0, 80, 2)), "new ones start"


@pytest.mark.parametrize("begun", [0, 1])
def test_each_piece_has_one_result_whatever_two_processes_hear_of_each_other(
    begun: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deaf to each other both do a piece; when each hears that the other has it, both leave it."""
    start, numbers = process_pool._start, range(8)

    def start_deaf(*how: Any) -> tuple[Any, Sequence[Future[int]]]:
        helpers, submitted = start(*how) or pytest.fail("no memory")
        return replace(helpers, begun=[begun] * 8, taken=helpers.taken if begun else [0] * 8), submitted

    monkeypatch.setattr(process_pool, "_start", start_deaf)
    monkeypatch.setenv("MARK", str(tmp_path))
    with keeping_workers():
        assert sorted(map_in_processes(doubled_with_a_mark, numbers, 2, pytest.fail)) == list(range(0, 16, 2))
        assert has_idle_workers(), "nothing failed"
    times = Counter(path.name.partition("-")[0] for path in tmp_path.iterdir())
    assert sorted(times) == [str(number) for number in numbers]
    assert max(times.values()) == 2 - begun


def test_a_worker_that_died_while_it_waited_is_replaced() -> None:
    with keeping_workers():
        (worker,) = set(map_in_processes(process_id_after, [0.1] * 12, 2, pytest.fail)) - {os.getpid()}
        os.kill(worker, signal.SIGKILL)
        wait_until_gone({worker})
        warnings: list[str] = []
        assert sorted(map_in_processes(doubled, range(40), 2, warnings.append)) == list(range(0, 80, 2))
        assert all("takes over its part" in warning for warning in warnings)


def test_workers_that_failed_at_a_piece_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", str(os.getpid()))
    with keeping_workers():
        list(map_in_processes(failing_in_workers, range(20), 2, lambda _: None))
        assert not has_idle_workers()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_workers_end_with_their_parent() -> None:
    """This holds when it is killed and cannot end them."""
    code = """
import os, sys
from tests.effects.system.pool_work import process_id_after
from effects.system.process_pool import map_in_processes
for number in map_in_processes(process_id_after, [0, 0, 600, 600, 5], 3, print):
    print(number, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()) for _ in range(3)} - {parent.pid}
        assert workers
        parent.kill()
    wait_until_gone(workers)


def test_an_error_of_the_work_itself_is_raised() -> None:
    with pytest.raises(ValueError, match="never"):
        list(map_in_processes(failing, range(3), 2, print))


def test_ingesting_with_workers_gives_the_lake_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path, "alone")
    shutil.copytree(SAMPLES, home.sessions, dirs_exist_ok=True)
    write(home.sessions / "fork.jsonl", header("fork", parentSession="/gone/2026_parent.jsonl"), *LINES)
    write(home.sessions / "damaged.jsonl", header("damaged"), *LINES, '{"type":"message"', end="\n")
    counts = home.night()
    helped = Home(tmp_path, "helped")
    use_workers(monkeypatch)
    assert helped.night() == counts
    assert counts["read"] > 10
    assert helped.files() == home.files()
    assert not list((helped.lake.root / "_tx").glob("*"))


def test_workers_that_fail_at_reading_are_named_in_the_counts_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, "alone")
    shutil.copytree(SAMPLES, home.sessions, dirs_exist_ok=True)
    counts = home.night()
    assert "worker_failures" not in counts
    helped = Home(tmp_path, "helped")
    monkeypatch.setenv("HERE", str(os.getpid()))
    use_workers(monkeypatch)
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setattr(ingest_step, "write_part", part_but_not_in_workers)
    night_counts = helped.night()
    failures = night_counts.pop("worker_failures")
    assert 1 <= len(failures) <= 2
    assert all("OSError: disk gone" in failure for failure in failures)
    assert night_counts == counts
    assert helped.files() == home.files()


def test_whoever_goes_waits_for_no_piece_that_lies_ready_for_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARK", str(tmp_path))
    results = map_in_processes(doubled_with_a_mark, range(12), 2, pytest.fail)
    next(results)
    del results  # closes it, as Ctrl-C does
    assert len([*tmp_path.iterdir()]) <= 2, "one of this process, and one that the worker had begun"


def test_a_piece_that_only_lies_ready_for_a_worker_is_done_here() -> None:
    """Executors hand out one piece more than there are workers; behind a long one it would wait for a process that is free."""
    owners = list(map_in_processes(process_id_after, [4.0, 0.1, 0.1, 0.1], 2, pytest.fail))
    assert owners.count(os.getpid()) == 3


INTERRUPTED = """
import os, sys
from effects.system.process_pool import map_in_processes
from tests.effects.system.pool_work import process_id_after
if __name__ == "__main__":
    try:
        list(map_in_processes(process_id_after, [0.1] * 400, 2, print))
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.15])
def test_interrupting_while_workers_start_prints_no_traceback(tmp_path: Path, delay: float) -> None:
    """Ctrl-C reaches the whole group of a terminal: a worker that still imports must not print a traceback of its own. The
    pieces take a while, as real ones do: whoever is interrupted in the middle of taking a result's lock keeps it (CPython)."""
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, script], cwd=ROOT, env=environment, start_new_session=True, stderr=subprocess.PIPE, text=True
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for _ in range(3000):
            names = [Path(f"/proc/{child}/cmdline").read_bytes() for child in children.read_text().split()]
            if any(b"spawn_main" in name for name in names):
                break
            time.sleep(0.005)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        begun = time.monotonic()
        _, errors = process.communicate(timeout=60)
    assert time.monotonic() - begun < 20, "it waited until workers had done all pieces"
    assert process.returncode == 130
    assert "Traceback" not in errors
