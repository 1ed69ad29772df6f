"""The record of a run: what each step counted, how long it took and how much memory, also when it failed."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from effects.store.run import Counts, Run
from effects.system.errors import RecollectError
from effects.system.version import product_version
from transforms.redaction.redact import redact
from transforms.tables.ids import digest
from transforms.tables.schema import RUNS, SCHEMA_VERSION, build_frame

Step = Callable[[Run], Counts]

RUNS_COMPACTED_AT = 32
"""Part files of `runs` before they become one: a year of nights is read in a dozen files instead of 365."""


@dataclass(slots=True)
class Record:
    """What is known about a run while it goes on."""

    flow: str
    parameters: dict[str, Any]
    started_at: datetime
    counts: dict[str, Counts] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)
    step: str = ""
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Wall time since it began."""
        return round(time.perf_counter() - self.began, 3)

    @property
    def run_id(self) -> str:
        """Unique: it holds the moment and the process. `runs` is outside byte identity."""
        return "r-" + digest(self.flow, self.started_at.isoformat(), str(os.getpid()))

    def add(self, name: str, step: Step, run: Run) -> Counts:
        """Runs a step; its counts and seconds are kept, summed when a step runs more than once."""
        self.step = name
        if (number := getattr(sys.modules.get(getattr(step, "__module__", "")), "VERSION", None)) is not None:
            self.versions[self.step] = number
        began = time.perf_counter()
        counts = step(run)
        timed = {**counts, "seconds": round(time.perf_counter() - began, 3)}
        self.counts[self.step] = merged(self.counts.get(self.step, {}), timed)
        self.step = ""
        return counts


@contextmanager
def recorded(run: Run, flow: str, parameters: dict[str, Any]) -> Iterator[Record]:
    """Writes one row of `runs` when the block ends, however it ends. The caller holds the lake's lock."""
    record = Record(flow, parameters, datetime.now(UTC))
    error = ""
    try:
        yield record
    except BaseException as problem:
        error = f"{record.step}: {one_line(problem)}" if record.step else one_line(problem)
        raise
    finally:
        row = _row(run, record, error)
        with run.lake.commit() as change:
            change.append("runs", build_frame(RUNS, [row]))
        if len(run.lake.files("runs")) >= RUNS_COMPACTED_AT:
            run.lake.compact("runs")


def one_line(problem: BaseException) -> str:
    """An exception in one line, without its traceback and without secrets that its text may hold."""
    told = redact(next(iter(str(problem).splitlines()), "")[:300])
    if isinstance(problem, RecollectError):
        return told
    return f"{type(problem).__name__}: {told}" if told else type(problem).__name__


def log_traceback(lake: Path, problem: BaseException) -> Path:
    """Appends the whole traceback to `LAKE/_logs/errors.log`, or to the temporary folder when the lake cannot be written."""
    text = f"--- {datetime.now(UTC).isoformat(timespec='seconds')} {' '.join(sys.argv)}\n"
    text += redact("".join(traceback.format_exception(problem)))
    try:
        path = lake / "_logs" / "errors.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as handle:
            handle.write(text)
    except OSError:  # an unwritable lake may be the very problem: the traceback must not be lost with it
        import tempfile

        path = Path(tempfile.gettempdir()) / f"recollect-errors-{os.getuid()}.log"
        with path.open("a", encoding="utf-8") as handle:
            handle.write(text)
    return path


def merged(old: Counts, new: Counts) -> Counts:
    """Counts added up, nested ones too; what is no number is replaced."""
    result = dict(old)
    for key, value in new.items():
        before = result.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            result[key] = merged(before, value)
        elif _is_number(value) and _is_number(before):
            result[key] = round(before + value, 3)
        else:
            result[key] = value
    return result


def _row(run: Run, record: Record, error: str) -> dict[str, Any]:
    versions = {"recollect": product_version(), "schema": SCHEMA_VERSION, "steps": record.versions}
    return {
        "run_id": record.run_id,
        "flow": record.flow,
        "parameters": json.dumps(record.parameters, sort_keys=True),
        "versions": json.dumps(versions, sort_keys=True),
        "started_at": record.started_at,
        "as_of": run.as_of,
        "duration_s": record.seconds,
        "counts": json.dumps(record.counts, sort_keys=True, default=str),
        "spend_usd": float(sum(counts.get("cost_usd", 0.0) for counts in record.counts.values())),
        "peak_rss_mb": peak_rss_mb(),
        "error": error,
    }


def peak_rss_mb() -> float:
    """Peak memory of this process; `ru_maxrss` is bytes on macOS and KiB elsewhere."""
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
