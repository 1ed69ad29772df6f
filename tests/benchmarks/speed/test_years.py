"""Nights that follow at once: nothing that is not a memory may grow with their number."""

from __future__ import annotations

from pathlib import Path

from benchmarks.speed.years import measure_nights


def test_versions_and_small_files_do_not_grow_with_the_nights(tmp_path: Path) -> None:
    """Before, versions of the index were kept for a day by the clock: four more for each of these nights."""
    early, later = measure_nights(tmp_path, nights=10, every=5)
    assert later["versions"] <= early["versions"] + 2
    assert later["index_files"] <= early["index_files"] + 10
    assert later["days_files"] - early["days_files"] <= 5 * 7, "a day has one file per daily table"
    assert later["logs_files"] == 0
