"""A few schedules of kills and errors of the disk leave what the calm history leaves; the check itself can fail."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import polars as pl

from benchmarks.safety.chaos import START, Copy, find_violations, run_schedule


def test_kills_and_errors_of_the_disk_leave_the_lake_of_a_calm_history(tmp_path: Path) -> None:
    """The benchmark runs hundreds; these are enough to see that a change of the commits breaks one."""
    counts: Counter[str] = Counter()
    for number in range(1):
        assert run_schedule(tmp_path / str(number), random.Random(f"test/{number}"), counts) == []
    assert counts["kills"] + counts["errors"] >= 1


def test_what_a_kill_could_break_is_noticed(tmp_path: Path) -> None:
    calm, other = Copy(tmp_path / "calm"), Copy(tmp_path / "other")
    covered = pl.DataFrame({"session_id": ["s"], "ordinal": [0], "day": [START.date()]})
    for copy in (calm, other):
        with copy.open(START).lake.writing("test"), copy.open(START).lake.commit() as change:
            change.append("coverage", covered, START.date())
    assert find_violations(calm, other, {}) == []
    with other.open(START).lake.writing("test"), other.open(START).lake.commit() as change:
        change.append("coverage", covered.with_columns(window_id=pl.lit("w")), START.date())
    (other.root / "workspace" / "MEMORY.md").write_text("", encoding="utf-8")
    (other.root / "workspace" / ".REVIEW.md.1.tmp").write_text("", encoding="utf-8")
    assert len(find_violations(calm, other, {})) == 4
