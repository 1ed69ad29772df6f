"""The record of a run: counts, seconds and versions of its steps, its memory and its error."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeGuard

from effects.store.error_log import describe_error, rotate_logs
from effects.store.run import Counts, Run
from effects.system.version import read_product_version
from transforms.tables.enums import PipelineName
from transforms.tables.ids import hash_fields
from transforms.tables.rows import RunRow
from transforms.tables.schema import RUNS, SCHEMA_VERSION, build_frame

Step = Callable[[Run], Counts]

WORDS_OF_LINES = ("text", "replaces")
"""Counts with the words of a line: they are printed, and no row keeps them. `runs` has numbers and reasons only."""
GROWING = ("runs", "proposal_events", "task_events", "quarantine")
"""Tables to which runs only add rows, a part file each."""
RUNS_COMPACTED_AT = 32
"""Part files of such a table before they become one: a year of nights is read in a dozen files instead of 365."""
STANDING_COUNTS = frozenset(("documents", "folders", "pages", "pending", "projects", "sessions"))
"""Counts of what stands after a step, not of its work: of a step that ran for each slice of a history the last one holds."""


@dataclass(slots=True)
class RunRecord:
    """A run while it goes on. `versions` are those of the steps; `step` is the step that runs, empty between steps."""

    flow: PipelineName
    parameters: Mapping[str, object]
    started_at: datetime
    counts: dict[str, Counts] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    step: str = ""
    timer_start: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return round(time.perf_counter() - self.timer_start, 3)

    @property
    def run_id(self) -> str:
        """A unique id: it holds the moment and the process. `runs` is outside byte identity."""
        return "r-" + hash_fields(self.flow, self.started_at.isoformat(), str(os.getpid()))

    def add(self, name: str, step: Step, run: Run, version: int | None = None) -> Counts:
        """Run a step and return its counts; counts and seconds are summed when a step runs more than once."""
        self.step = name
        if version is not None:
            self.versions[name] = version
        step_start = time.perf_counter()
        counts = step(run)
        timed = {**counts, "seconds": round(time.perf_counter() - step_start, 3)}
        self.counts[self.step] = add_counts(self.counts.get(self.step, {}), timed)
        self.step = ""
        return counts


@contextmanager
def record_run(run: Run, flow: PipelineName, parameters: Mapping[str, object]) -> Iterator[RunRecord]:
    """Write one row of `runs` when the block ends, also when it fails. The caller holds the lake's lock."""
    record = RunRecord(flow, parameters, datetime.now(UTC))
    error = ""
    try:
        yield record
    except BaseException as problem:
        error = f"{record.step}: {describe_error(problem)}" if record.step else describe_error(problem)
        raise
    finally:
        with run.lake.commit() as change:
            change.append("runs", build_frame(RUNS, [_run_row(run, record, error)]))
        for table in GROWING:
            if len(run.lake.list_files(table)) >= RUNS_COMPACTED_AT:
                run.lake.compact(table)
        rotate_logs(run.lake.root)


def add_counts(old: Counts, new: Counts) -> Counts:
    """Return the sums of two counts, nested ones too; a value that is not a number, or counts what stands, is overwritten."""
    result = dict(old)
    for key, value in new.items():
        before = result.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            result[key] = add_counts(before, value)
        elif _is_number(value) and _is_number(before) and key not in STANDING_COUNTS:
            result[key] = round(before + value, 3)
        else:
            result[key] = value
    return result


def leave_out_lines(counts: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts of steps without the words of lines."""
    return {step: {name: value for name, value in of.items() if name not in WORDS_OF_LINES} for step, of in counts.items()}


def measure_peak_memory() -> float:
    """Return the peak memory of this process in MiB; `ru_maxrss` is bytes on macOS and KiB elsewhere."""
    units_per_mib = 1024 * 1024 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / units_per_mib, 1)


def _run_row(run: Run, record: RunRecord, error: str) -> RunRow:
    versions = {"recollect": read_product_version(), "schema": SCHEMA_VERSION, "steps": record.versions}
    return {
        "run_id": record.run_id,
        "flow": record.flow,
        "parameters": json.dumps(dict(record.parameters), sort_keys=True),
        "versions": json.dumps(versions, sort_keys=True),
        "started_at": record.started_at,
        "as_of": run.as_of,
        "duration_s": record.seconds,
        "counts": json.dumps(leave_out_lines(record.counts), sort_keys=True, default=str),
        "spend_usd": float(sum(cost for counts in record.counts.values() if _is_number(cost := counts.get("cost_usd")))),
        "peak_rss_mb": measure_peak_memory(),
        "error": error,
    }


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
