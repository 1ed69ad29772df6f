"""Measures ingestion: MB/s beside orjson and DuckDB over the same files, peak memory, bytes in and out.

    python -m benchmarks.speed.ingest [--mb 200] [--one 200] [--unchanged 10000] [--seed 1]

`--mb` ingests a corpus of that size, made from `data/samples` and, when they are there, `sessions/real` and `sessions/made`;
`--one` one session of that size; `--unchanged` runs again over that many small unchanged files. Keys: ingest_mb_s, cpu_s,
peak_rss_mb, helper_peak_rss_mb, bytes_in, bytes_out, files, entries, redacted; one_session_* of `--one`; small_first_s and
unchanged_s of `--unchanged`. Baselines, with ratio_to_*: `duckdb` projects four columns (type, id, parentId, timestamp) to
Parquet, `duckdb_message` four with the content, `duckdb_same` writes the same content (those four and the raw JSON), `orjson`
parses every line. All run by turns; the fastest of three runs counts.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import orjson

from benchmarks.speed import corpus
from benchmarks.speed.peak_memory import read_peak_mb

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3
SMALL = "{type: 'VARCHAR', id: 'VARCHAR', parentId: 'VARCHAR', timestamp: 'VARCHAR'}"
WITH_MESSAGE = "{type: 'VARCHAR', id: 'VARCHAR', timestamp: 'VARCHAR', message: 'JSON'}"


def main() -> int:
    """Run the benchmark; return 1 when there is nothing to make a corpus from."""
    arguments = _parse_arguments()
    if arguments.child:
        print(json.dumps(_ingest(arguments.child, arguments.child.parent / "lake")))
        return 0
    if not corpus.sources():
        print(f"no session files in {corpus.SAMPLES}", file=sys.stderr)
        return 1
    result: dict[str, Any] = {"benchmark": "ingest"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if arguments.mb:
            result |= _measure_rates(root / "many", arguments.mb, arguments.seed)
        if arguments.one:
            (root / "one" / "sessions").mkdir(parents=True)
            corpus.build_one(root / "one" / "sessions", arguments.one, arguments.seed)
            result |= {f"one_session_{key}": value for key, value in _ingest_in_child(root / "one" / "sessions").items()}
        if arguments.unchanged:
            (root / "small" / "sessions").mkdir(parents=True)
            corpus.build_small(root / "small" / "sessions", arguments.unchanged, arguments.seed)
            first, again = (_ingest_in_child(root / "small" / "sessions") for _ in range(2))
            result |= {"small_files": first["files"], "small_first_s": first["seconds"], "unchanged_s": again["seconds"]}
    print(json.dumps(result))
    return 0


def _measure_rates(root: Path, megabytes: float, seed: int) -> dict[str, Any]:
    sessions = root / "sessions"
    sessions.mkdir(parents=True)
    files = corpus.build(sessions, megabytes, seed)
    bytes_in = sum(path.stat().st_size for path in files)
    others: dict[str, Callable[[], None]] = {
        "duckdb": partial(_project_with_duckdb, files, root, SMALL),
        "duckdb_message": partial(_project_with_duckdb, files, root, WITH_MESSAGE, ", ROW_GROUP_SIZE 20480"),  # its fastest size
        "duckdb_same": partial(_copy_with_duckdb, files, root),
        "orjson": partial(_parse_with_orjson, files),
    }
    runs: list[dict[str, Any]] = []
    seconds = dict.fromkeys(others, math.inf)
    cpu_s = math.inf
    for _ in range(ROUNDS):
        for name, work in others.items():
            wall, cpu = _time(work)
            seconds[name] = min(seconds[name], wall)
            cpu_s = min(cpu_s, cpu) if name == "duckdb_same" else cpu_s
        shutil.rmtree(root / "lake", ignore_errors=True)
        runs.append(_ingest_in_child(sessions))
    ours = min(runs, key=lambda run: run["seconds"])
    rate = {name: bytes_in / 1e6 / taken for name, taken in ({"ingest": ours["seconds"]} | seconds).items()}
    return {
        **{f"{name}_mb_s": round(value, 1) for name, value in rate.items()},
        **{f"ratio_to_{name}": round(rate["ingest"] / rate[name], 3) for name in others},
        "cpu_s": ours["cpu_s"], "duckdb_same_cpu_s": round(cpu_s, 3), "cpu_ratio_to_duckdb_same": round(cpu_s / ours["cpu_s"], 3),
        "peak_rss_mb": ours["peak_rss_mb"], "helper_peak_rss_mb": ours["helper_peak_rss_mb"],
        "bytes_in": bytes_in, "bytes_out": ours["bytes_out"],
        "files": ours["files"], "entries": ours["entries"], "redacted": ours["redacted"],
    }  # fmt: skip


def _ingest_in_child(sessions: Path) -> dict[str, Any]:
    """Ingest in a process of its own, so that its memory is only that of the ingestion; its start is not counted."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", str(sessions)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _ingest(sessions: Path, lake: Path) -> dict[str, Any]:
    from effects.config.settings import Settings
    from effects.ingest.ingest_step import ingest
    from effects.store.lake import Lake
    from effects.store.run import Run
    from effects.system.garbage import prepare_process

    settings = Settings(
        sessions=(sessions,), lake=lake, workspace=lake.parent / "workspace", timezone="Europe/Berlin", owner="Owner"
    )
    run = Run(settings, Lake(lake), datetime(2026, 11, 21, tzinfo=UTC))
    prepare_process()  # as the command line does
    started, cpu = time.perf_counter(), time.process_time()
    with run.lake.writing("benchmark"):
        counts = ingest(run)
    seconds = time.perf_counter() - started
    helpers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(seconds, 3),
        "cpu_s": round(time.process_time() - cpu + helpers.ru_utime + helpers.ru_stime, 3),
        "peak_rss_mb": read_peak_mb(), "helper_peak_rss_mb": helpers.ru_maxrss // 1024,
        "bytes_out": sum(path.stat().st_size for path in lake.rglob("*.parquet")),
        "files": counts["files"], "entries": counts["entries"], "redacted": counts["redacted"],
    }  # fmt: skip


def _time(work: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds that the work took, by the clock and of processors."""
    started, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - cpu


def _project_with_duckdb(files: list[Path], root: Path, columns: str, options: str = "") -> None:
    names = [str(path) for path in files]
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_json({names!r}, format = 'newline_delimited', columns = {columns}, ignore_errors = true,"
            f" maximum_object_size = 268435456)) TO '{root / 'projected.parquet'}' (FORMAT parquet, COMPRESSION zstd{options})"
        )


def _copy_with_duckdb(files: list[Path], root: Path) -> None:
    names = [str(path) for path in files]
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT json->>'$.type' AS type, json->>'$.id' AS id, json->>'$.timestamp' AS timestamp,"
            f" json->'$.message' AS message, json"
            f" FROM read_ndjson_objects({names!r}, ignore_errors = true, maximum_object_size = 268435456))"
            f" TO '{root / 'same.parquet'}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)"
        )


def _parse_with_orjson(files: list[Path]) -> None:
    for path in files:
        with path.open("rb") as handle:
            for line in handle:
                orjson.loads(line)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=200)
    parser.add_argument("--one", type=float, default=0)
    parser.add_argument("--unchanged", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
