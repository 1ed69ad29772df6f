"""Measures how a lake grows over many small nights: files, bytes, seconds of a quiet night, versions of the index.

    python -m benchmarks.speed.years [--nights 400] [--every 50]

Each day has one session of a few turns; its night follows at once, so that nothing may rely on the clock to be cleaned up. Every
fortieth night a quiet one follows, which finds nothing new. Keys: `growth`, one row per `--every` nights: nights, seconds and
quiet_seconds (processor seconds of the last night and of a quiet one), files and bytes of the tables by day, of the other tables
(`events`, with runs), of the index, of logs and of pages, and versions (of the LanceDB tables of the index). The baseline is the
first row: a curve is flat when a later row is not above it, beyond what the days themselves add.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from effects.config.settings import EmbeddingSettings, Settings
from effects.index.manifest import find_index_folder, read_manifest
from effects.store.run import Run, open_run
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from transforms.tables.schema import TABLES

FIRST = datetime(2025, 1, 1, 10, tzinfo=UTC)
TOPICS = ("the importer", "the cache", "the login page", "the nightly export", "the search index", "the billing job")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nights", type=int, default=400)
    parser.add_argument("--every", type=int, default=50)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in measure_nights(Path(folder), arguments.nights, arguments.every):
            print(json.dumps(row), file=sys.stderr, flush=True)
            rows.append(row)
    print(json.dumps({"benchmark": "years", "nights": arguments.nights, "growth": rows}))


def measure_nights(root: Path, nights: int, every: int) -> Iterator[dict[str, float]]:
    """Run the nights of as many days; yield the figures after every few of them."""
    (root / "sessions").mkdir()
    for night in range(1, nights + 1):
        moment = FIRST + timedelta(days=night)
        write_session(root / "sessions", night)
        run = open_night(root, moment)
        started = time.process_time()
        run_pipeline(run, nightly_pipeline(None))
        seconds = time.process_time() - started
        if night % every == 0:
            started = time.process_time()
            run_pipeline(open_night(root, moment), nightly_pipeline(None))
            quiet = time.process_time() - started
            yield {"nights": night, "seconds": round(seconds, 2), "quiet_seconds": round(quiet, 2)} | measure_size(run)


def open_night(root: Path, moment: datetime) -> Run:
    """Return the run of a night, without an embedding model."""
    places = {name: root / name for name in ("lake", "workspace")}
    embedding = EmbeddingSettings(model=str(root / "no-model"))
    settings = Settings(**places, sessions=(root / "sessions",), timezone="UTC", owner="Owner", embedding=embedding)
    return open_run(settings, moment)


def write_session(folder: Path, number: int) -> None:
    """Write the session of a day: six turns about one of a few topics."""
    began = FIRST + timedelta(days=number - 1)
    header = {"type": "session", "version": 3, "id": f"s{number}", "timestamp": began.isoformat(), "cwd": "/w/app"}
    lines: list[dict[str, object]] = [header]
    for turn in range(12):
        topic = TOPICS[(number + turn // 4) % len(TOPICS)]
        asked = f"we decided on day {number} that {topic} uses port {1024 + number * 7 + turn} from now on"
        text = f"{topic.capitalize()} uses it now, and all tests of part {number} pass." if turn % 2 else asked
        message = {"role": "assistant" if turn % 2 else "user", "content": [{"type": "text", "text": text}]}
        time_of = (began + timedelta(minutes=turn)).isoformat()
        parent = f"e{turn - 1}" if turn else None
        lines.append({"type": "message", "id": f"e{turn}", "parentId": parent, "timestamp": time_of, "message": message})
    (folder / f"{number:04d}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def measure_size(run: Run) -> dict[str, float]:
    """Return files and bytes of each part of the lake, and the versions of the tables of the index."""
    root, figures = run.lake.root, dict[str, float]()
    daily = [root / table.name for table in TABLES.values() if table.is_daily]
    others = [root / table.name for table in TABLES.values() if not table.is_daily]
    places = {"days": daily, "events": others, "index": [root / "_index"], "logs": [root / "_logs", root / "_tx"]}
    for name, folders in (places | {"pages": [run.settings.workspace]}).items():
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        figures[f"{name}_files"], figures[f"{name}_bytes"] = len(files), sum(path.stat().st_size for path in files)
    generation = find_index_folder(run.lake) / read_manifest(run.lake).generation
    figures["versions"] = sum(1 for _ in generation.glob("*.lance/_versions/*"))
    return figures


if __name__ == "__main__":
    main()
