"""A run prepares its process, whoever started that: a worker of Prefect does not pass the command line."""

from __future__ import annotations

import gc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from effects.config.settings import Settings
from effects.store.run import Counts, Run, open_run
from effects.system import garbage
from flows.pipeline import Pipeline
from flows.runner import run_pipeline


def test_a_step_runs_in_a_process_with_one_heap_that_searches_for_cycles_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heaps, thresholds = list[str](), list[int]()
    monkeypatch.setattr(garbage, "use_one_heap", lambda: heaps.append("one"))

    def look(run: Run) -> Counts:
        """Note how often cycles are searched for."""
        thresholds.append(gc.get_threshold()[0])
        return {}

    settings = Settings(sessions=(), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC", owner="Owner")
    before = gc.get_threshold()
    gc.set_threshold(700)
    try:
        run_pipeline(open_run(settings, datetime(2026, 5, 18, tzinfo=UTC)), Pipeline("nightly", (look,)))
    finally:
        gc.set_threshold(*before)
    assert (heaps, thresholds) == (["one"], [garbage.NEW_OBJECTS])
