"""A step hears what all of its processes have done so far, while they work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from effects.system import process_pool
from effects.system.process_pool import map_in_processes
from effects.system.work_tally import add_done, watching_work
from tests.effects.system.pool_work import counting_before_a_worker, counting_twice


def test_nobody_needs_to_watch() -> None:
    add_done(3)


def test_a_watcher_hears_the_sum_of_what_was_counted_since_it_watches() -> None:
    seen: list[int] = []
    with watching_work(seen.append):
        add_done(3)
        add_done(4)
    add_done(5)
    assert seen == [3, 7]


def test_what_workers_did_is_told_while_they_go_on_and_all_of_it_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece may take minutes: its first half is told before it is done, also when this process has nothing left to do."""
    monkeypatch.setattr(process_pool, "WATCH_SECONDS", 0.05)
    seen: list[int] = []
    with watching_work(seen.append):
        assert sorted(map_in_processes(counting_twice, [0.5, 0.5, 0.01], 3, pytest.fail)) == [0.01, 0.5, 0.5]
    assert seen == sorted(seen)
    assert seen[-1] == 60
    assert {10, 30, 50} & {*seen}, f"only whole pieces were told: {seen}"


def test_what_a_worker_did_after_this_process_counted_last_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its piece was taken as done without a word: a night ended with 712 of 855 kB."""
    monkeypatch.setenv("MARK", str(tmp_path / "counted"))
    monkeypatch.setenv("HERE", str(os.getpid()))
    seen: list[int] = []
    with watching_work(seen.append):
        assert sorted(map_in_processes(counting_before_a_worker, [0, 1], 2, pytest.fail)) == [0, 1]
    assert seen[-1] == 20


def test_workers_work_where_there_is_no_memory_to_count_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared memory lies in a file: on a full disk the work is done in this process, and a warning says so."""
    warnings: list[str] = []

    def refuse(self: object, kind: str, size: int) -> None:
        """Stand for a full disk."""
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("multiprocessing.context.SpawnContext.RawArray", refuse)
    with watching_work(lambda done: None):
        assert sorted(map_in_processes(counting_twice, [0.0] * 3, 2, warnings.append)) == [0.0] * 3
    assert len(warnings) == 1
    assert "No space left on device" in warnings[0]
