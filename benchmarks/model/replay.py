"""Measures a model on the gold sessions with answers that a reader wrote: facts kept, verdicts of the checks, tokens and cost.

    python -m benchmarks.model.replay RECORDINGS [--bench FOLDER] [--sessions FOLDER]

The first call records the requests of the gold sessions in RECORDINGS/requests and finds no answer. A strong reader (a model
or a person who has not seen the gold) then answers each request in RECORDINGS/answers, as RECORDINGS/README.md says. The second
call replays the answers through the whole pipeline and scores what is kept with the gold set's own scorer. Keys: answered,
missing, sessions (cited_high, cited_all, retained_high, useful), offline (the same of the offline engine, the baseline),
verdicts, reasons, tokens and usd (per price list, for three models) per window, and tokens of the second readings, whose requests
and answers lie in RECORDINGS/readings. Requests and answers hold words of people and
are not committed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.arguments import add_bench, add_sessions, make_parser, report_missing
from benchmarks.distil.gold import AS_OF, distil_sessions, score_session
from benchmarks.model.recordings import Recordings, serve_recordings
from effects.config.settings import EngineSettings, Settings
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.pricing.prices import compute_cost

PRICED = ("anthropic/claude-haiku-4-5", "openai/gpt-5-mini", "google/gemini-3-flash-preview")
KEYS = ("cited_high", "cited_all", "retained_high", "useful", "tokens", "compression")


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    if report_missing([arguments.bench / "gold", arguments.sessions]):
        return 1
    os.environ["OPENAI_API_KEY"] = "none"
    golds = sorted((arguments.bench / "gold").glob("*.gold.json"))
    with tempfile.TemporaryDirectory() as name, serve_recordings(arguments.recordings) as recordings:
        folder = Path(name)
        sources = _copy_sessions(folder / "sessions", arguments.sessions, golds)
        engine = EngineSettings(
            observer="instructor:openai/recorded", base_url=recordings.url, budget_run_usd=99, budget_day_usd=99, concurrency=1
        )
        run = _open_run(folder / "model", sources, engine)
        counts = distil_sessions(run)
        print(counts, file=sys.stderr)
        by_model = {gold.name.partition(".")[0]: score_session(run, arguments.bench, gold, folder) for gold in golds}
        offline = _open_run(folder / "offline", sources, EngineSettings())
        distil_sessions(offline)
        by_rules = {gold.name.partition(".")[0]: score_session(offline, arguments.bench, gold, folder) for gold in golds}
        print(json.dumps({"benchmark": "model/replay", **_summarise(run, recordings, by_model, by_rules)}))
    return 0


def _copy_sessions(folder: Path, sessions: Path, golds: list[Path]) -> Path:
    """Copy the session files of the gold sets alone: other sessions would be recorded too."""
    folder.mkdir()
    for gold in golds:
        for path in sessions.rglob(f"*{gold.name.partition('.')[0]}*.jsonl"):
            shutil.copy(path, folder / path.name)
    return folder


def _open_run(folder: Path, sessions: Path, engine: EngineSettings) -> Run:
    settings = Settings(
        sessions=(sessions,), lake=folder / "lake", workspace=folder / "pages", timezone="UTC", owner="owner", engine=engine
    )  # fmt: skip
    return Run(replace(settings), Lake(settings.lake), AS_OF)


def _summarise(run: Run, recordings: Recordings, by_model: dict[str, Any], by_rules: dict[str, Any]) -> dict[str, Any]:
    answered = {name: sizes for name, sizes in recordings.seen.items() if sizes[1] is not None}
    count = max(len(answered), 1)
    read, written = sum(size for size, _ in answered.values()), sum(size or 0 for _, size in answered.values())
    rows = run.lake.read("observations")
    held = rows.filter(pl.col("verdict") != "allow")["verdict_reason"].to_list()
    return {
        "answered": len(answered),
        "missing": len(recordings.seen) - len(answered),
        "sessions": {name: {key: scores[key] for key in KEYS} for name, scores in by_model.items()},
        "offline": {name: {key: scores[key] for key in KEYS} for name, scores in by_rules.items()},
        "verdicts": dict(sorted(Counter(rows["verdict"].to_list()).items())),
        "kinds": dict(Counter(rows["kind"].to_list()).most_common()),
        "reasons": dict(Counter(reason.partition(":")[0] for reason in held).most_common()),
        "tokens": {"read": round(read / count), "written": round(written / count)},
        "second_reading": {
            "requests": len(recordings.readings),
            "answered": sum(size is not None for _, size in recordings.readings.values()),
            "read": round(sum(size for size, _ in recordings.readings.values()) / max(len(recordings.readings), 1)),
            "written": round(sum(size or 0 for _, size in recordings.readings.values()) / max(len(recordings.readings), 1)),
        },
        "usd": {model: round(compute_cost(model, read, written) / count, 5) for model in PRICED},
    }


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("recordings", type=Path, help="folder of requests and answers")
    add_bench(parser)
    add_sessions(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
