"""Nights that follow at once: nothing that is not a memory may grow with their number."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed.years import FIRST, measure_nights, open_night
from effects.store import table_files
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline

WHOLE_READS = 17
"""Times that a quiet night may open all files of a daily table; each costs about 0.2 ms for each day of the lake."""


def test_small_files_do_not_grow_with_the_nights_and_a_quiet_one_opens_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, versions of the index were kept for a day by the clock: four more for each of these nights."""
    early, later = measure_nights(tmp_path, nights=10, every=5)
    assert later["versions"] <= early["versions"] + 2
    assert later["index_files"] <= early["index_files"] + 10
    assert later["days_files"] - early["days_files"] <= 5 * 7, "a day has one file per daily table"
    assert later["logs_files"] == early["logs_files"] <= 7, (
        "the notes of what needs no work, of facts that ended, and the list of files"
    )

    opened: Counter[str] = Counter()
    scan_files = table_files.scan_files

    def count(files: list[Path], table: Any, **more: Any) -> Any:
        opened[table.name] += table.is_daily and len(files) > 10
        return scan_files(files, table, **more)

    monkeypatch.setattr(table_files, "scan_files", count)
    run_pipeline(open_night(tmp_path, FIRST + timedelta(days=10)), nightly_pipeline(None))
    assert opened.total() <= WHOLE_READS, opened
