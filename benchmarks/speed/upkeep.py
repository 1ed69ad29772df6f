"""Measures a year of nightly index updates: their time, and the time of questions afterwards.

    python -m benchmarks.speed.upkeep [--documents 30000] [--nights 365] [--turns 80] [--facts 20] [--seed 1]

Makes a synthetic lake with a history, indexes it, then adds a small day and updates the index, night after night. Keys: seconds
and processor seconds of the first and the last 30 nights (medians and means); `after_the_year`, questions to the updated index;
`built_anew`, the baseline: questions to the same index built anew; rebuild_s; same_hits and same_first, shares of equal hits.
Versions of tables are kept for a moment instead of a day, so that every update cleans up as it would after a day.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the benchmark."""
    arguments = _parse_arguments()
    from benchmarks.speed.recall_world import DAYS, FIRST, Space, Voice, add_day, make_lake
    from effects.config.settings import Settings
    from effects.embedding.embed_step import compact_vectors
    from effects.index import index_step, lance_writer
    from effects.store.run import open_run

    lance_writer.VERSION_AGE = timedelta(milliseconds=1)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(sessions=(folder,), lake=Path(folder, "lake"), workspace=Path(folder, "workspace"), timezone="UTC")
        run = open_run(settings, datetime(2027, 1, 2, tzinfo=UTC))
        times: list[tuple[float, float]] = []
        with run.lake.writing("benchmark"):
            make_lake(run.lake, arguments.documents // 4, arguments.documents - arguments.documents // 4, arguments.seed)
            index_step.index(run)
            voice = Voice(arguments.seed)
            space = Space(voice, arguments.seed + 1)
            for night in range(arguments.nights):
                add_day(run.lake, voice, space, FIRST + timedelta(days=DAYS + night), (arguments.turns, arguments.facts))
                started, cpu = time.perf_counter(), time.process_time()
                compact_vectors(run.lake)
                index_step.index(run)
                times.append((time.perf_counter() - started, time.process_time() - cpu))
                if night % 30 == 29:
                    print(f"{night + 1} nights: {_compare_nights(times)}", file=sys.stderr, flush=True)
            result = {
                "benchmark": "upkeep",
                "nights": arguments.nights,
                "documents": arguments.documents,
                "a_night": arguments.turns + arguments.facts,
            }
            upkept, results = _ask_questions(run, arguments.seed)
            result |= _compare_nights(times) | {"after_the_year": upkept}
            started = time.perf_counter()
            index_step.rebuild(run)
            result["rebuild_s"] = round(time.perf_counter() - started, 1)
            anew, again = _ask_questions(run, arguments.seed)
            shared = sum(len({*before} & {*after}) for before, after in zip(results, again, strict=True))
            result |= {"built_anew": anew, "same_hits": round(shared / sum(map(len, again)), 4)}
            result["same_first"] = round(sum(a[:1] == b[:1] for a, b in zip(results, again, strict=True)) / len(again), 4)
    print(json.dumps(result))


def _compare_nights(times: list[tuple[float, float]]) -> dict[str, float]:
    """Return medians and means of the first and the last 30 nights, wall and processor; rare long nights show in the means."""
    medians = {}
    for name, some in (("first", times[:30]), ("last", times[-30:])):
        for unit, place in (("s", 0), ("cpu_s", 1)):
            taken = sorted(night_times[place] for night_times in some)
            medians[f"{name}_nights_{unit}"] = round(taken[len(taken) // 2], 3)
            medians[f"{name}_nights_mean_{unit}"] = round(sum(taken) / len(taken), 3)
    return medians | {"mean_night_cpu_s": round(sum(cpu for _, cpu in times) / len(times), 3)}


def _ask_questions(run: Any, seed: int) -> tuple[dict[str, Any], list[list[str]]]:
    """Return milliseconds per question, wall and processor, files and size of the index, and the ids of the hits."""
    from benchmarks.speed.recall_world import Voice
    from effects.recall.ask import ask, open_recall
    from transforms.recall.types import Filters

    voice, recall = Voice(seed), open_recall(run)
    questions = [voice.question() for _ in range(60)]
    times, hits = [], []
    ask(recall, questions[0], Filters(project="all"))
    for question in questions:
        started, cpu = time.perf_counter(), time.process_time()
        answer = ask(recall, question, Filters(project="all"))
        hits.append([hit.id for hit in answer.hits])
        times.append(((time.perf_counter() - started) * 1000, (time.process_time() - cpu) * 1000))
    files = [path for path in (run.lake.root / "_index").rglob("*") if path.is_file()]
    wall, cpu = (sorted(pair[place] for pair in times)[len(times) // 2] for place in (0, 1))
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    return {"p50_ms": round(wall, 1), "cpu_p50_ms": round(cpu, 1), "files": len(files), "mb": round(megabytes)}, hits


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=30_000, help="in the history before the first of the nights")
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--turns", type=int, default=80)
    parser.add_argument("--facts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
