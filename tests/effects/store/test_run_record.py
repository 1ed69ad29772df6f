"""The record of a run."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effects.config.settings import Settings
from effects.store.error_log import ERROR_LOG_BYTES, describe_error, log_traceback
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.store.run_record import RUNS_COMPACTED_AT, add_counts, record_run

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


def run_in(folder: Path) -> Run:
    return Run(Settings(lake=folder / "lake", workspace=folder / "workspace"), Lake(folder / "lake"), NOON)


def test_a_run_leaves_one_row_with_its_counts_and_versions(tmp_path: Path) -> None:
    """Counts per step with their seconds, parameters as JSON, memory and time."""
    run = run_in(tmp_path)
    with run.lake.writing("test"), record_run(run, "nightly", {"as_of": None}) as record:
        record.add("ingest", lambda run: {"read": 3, "dropped": {"gone": 1}}, run)
        record.add("ingest", lambda run: {"read": 4, "dropped": {"gone": 1, "odd": 2}}, run)
    row = run.lake.read("runs").row(0, named=True)
    counts = json.loads(row["counts"])["ingest"]
    assert (row["flow"], row["parameters"], row["error"], row["as_of"]) == ("nightly", '{"as_of": null}', "", NOON)
    assert (counts["read"], counts["dropped"]) == (7, {"gone": 2, "odd": 2})
    assert json.loads(row["versions"])["schema"] == 1
    assert row["duration_s"] >= 0
    assert row["peak_rss_mb"] > 10


def test_a_failed_run_leaves_a_row_that_names_the_step(tmp_path: Path) -> None:
    """The row has the counts before the failure, and the caller gets the error."""
    run = run_in(tmp_path)

    def break_down(run: Run) -> Counts:
        raise OSError("the disk is full\nand more")

    def work() -> None:
        with run.lake.writing("test"), record_run(run, "nightly", {}) as record:
            record.add("ingest", lambda run: {"read": 3}, run)
            record.add("window", break_down, run)

    with pytest.raises(OSError, match="full"):
        work()
    row = run.lake.read("runs").row(0, named=True)
    assert row["error"] == "window: OSError: the disk is full"
    assert json.loads(row["counts"])["ingest"]["read"] == 3


def test_many_runs_become_few_files_and_no_row_is_lost(tmp_path: Path) -> None:
    """Without this a year would leave 365 part files."""
    run = run_in(tmp_path)
    with run.lake.writing("test"):
        for _ in range(RUNS_COMPACTED_AT + 3):
            with record_run(run, "nightly", {}):
                pass
    assert run.lake.read("runs").height == RUNS_COMPACTED_AT + 3
    assert len(run.lake.list_files("runs")) < 6


def test_a_traceback_is_kept_also_when_the_lake_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log goes to the temporary folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    problem = ValueError("odd")
    assert "ValueError: odd" in log_traceback(tmp_path, problem).read_text(encoding="utf-8")
    assert "ValueError: odd" in log_traceback(blocked, problem).read_text(encoding="utf-8")
    assert describe_error(problem) == "ValueError: odd"
    assert describe_error(ValueError()) == "ValueError"


NUMBERS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 9) | st.dictionaries(st.sampled_from("xy"), st.integers(0, 9)))


@given(NUMBERS, NUMBERS)
def test_merging_counts_adds_what_is_in_both(old: Counts, new: Counts) -> None:
    """Rows of a single file are kept."""
    result = add_counts(old, new)
    assert set(result) == set(old) | set(new)
    for key in set(old) & set(new):
        if isinstance(old[key], int) and isinstance(new[key], int):
            assert result[key] == old[key] + new[key]


def test_a_night_in_slices_counts_its_work_together_and_what_stands_once() -> None:
    """20,000 sessions in 21 slices: the index has 95,101 documents at the end, not a million."""
    slices = [{"documents": 900, "written": 900}, {"documents": 1000, "written": 100}]
    assert add_counts(add_counts({}, slices[0]), slices[1]) == {"documents": 1000, "written": 1000}


def test_events_become_few_files_too(tmp_path: Path) -> None:
    """Each night with a decision adds a file of events."""
    run = run_in(tmp_path)
    with run.lake.writing("test"):
        for number in range(RUNS_COMPACTED_AT):
            with run.lake.commit() as change:
                change.append(
                    "proposal_events", pl.DataFrame({"proposal_id": [f"p-{number}"], "event": ["proposed"], "at": [NOON]})
                )
        with record_run(run, "nightly", {}):
            pass
    assert len(run.lake.list_files("proposal_events")) == 1
    assert run.lake.read("proposal_events").height == RUNS_COMPACTED_AT


def test_a_long_log_is_put_aside_by_the_next_run(tmp_path: Path) -> None:
    """There is one former part of each log, whoever wrote it."""
    run = run_in(tmp_path)
    logs = run.lake.root / "_logs"
    logs.mkdir(parents=True)
    (logs / "schedule.log").write_bytes(b"x" * (ERROR_LOG_BYTES + 1))
    (logs / "errors.log").write_bytes(b"short")
    with run.lake.writing("test"), record_run(run, "nightly", {}):
        pass
    assert sorted(path.name for path in logs.iterdir()) == ["errors.log", "schedule.log.1"]
