"""A year of nights for the search index: what each adds, whether it stays fast, and what a question takes at its end.

    python benchmarks/upkeep.py [--documents 30000] [--nights 365] [--turns 80] [--facts 20] [--seed 1]

Makes a lake with a history, indexes it, then adds a small day and brings the index up to date, night after night. Compares the
first and the last 30 nights, and questions to the index as it has grown with questions to the same one built anew. Versions of
tables are kept for a moment instead of a day, as if a night came every night. Prints one JSON line last.
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

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main() -> None:
    """Runs the benchmark."""
    given = _arguments()
    from benchmarks.recall_world import DAYS, FIRST, Space, Voice, add_day, make_lake
    from effects.config.settings import Settings
    from effects.embedding.embed_step import compact_vectors
    from effects.index import index_step, lance_tables
    from effects.store.run import open_run

    lance_tables.KEPT = timedelta(milliseconds=1)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(sessions=(folder,), lake=Path(folder, "lake"), workspace=Path(folder, "workspace"), timezone="UTC")
        run = open_run(settings, datetime(2027, 1, 2, tzinfo=UTC))
        times: list[tuple[float, float]] = []
        with run.lake.writing("benchmark"):
            make_lake(run.lake, given.documents // 4, given.documents - given.documents // 4, given.seed)
            index_step.index(run)
            voice = Voice(given.seed)
            space = Space(voice, given.seed + 1)
            for night in range(given.nights):
                add_day(run.lake, voice, space, FIRST + timedelta(days=DAYS + night), (given.turns, given.facts))
                started, cpu = time.perf_counter(), time.process_time()
                compact_vectors(run.lake)
                index_step.index(run)
                times.append((time.perf_counter() - started, time.process_time() - cpu))
                if night % 30 == 29:
                    print(f"{night + 1} nights: {_compared(times)}", file=sys.stderr, flush=True)
            result = {
                "benchmark": "upkeep",
                "nights": given.nights,
                "documents": given.documents,
                "a_night": given.turns + given.facts,
            }
            upkept, found = _questions(run, given.seed)
            result |= _compared(times) | {"after_the_year": upkept}
            started = time.perf_counter()
            index_step.rebuild(run)
            result["rebuild_s"] = round(time.perf_counter() - started, 1)
            anew, again = _questions(run, given.seed)
            shared = sum(len({*one} & {*other}) for one, other in zip(found, again, strict=True))
            result |= {"built_anew": anew, "same_hits": round(shared / sum(map(len, again)), 4)}
            result["same_first"] = round(sum(a[:1] == b[:1] for a, b in zip(found, again, strict=True)) / len(again), 4)
    print(json.dumps(result))


def _compared(times: list[tuple[float, float]]) -> dict[str, float]:
    """The first and the last 30 nights, wall and processor: medians, and means, in which the rare large ones show."""
    found = {}
    for name, some in (("first", times[:30]), ("last", times[-30:])):
        for unit, place in (("s", 0), ("cpu_s", 1)):
            taken = sorted(one[place] for one in some)
            found[f"{name}_nights_{unit}"] = round(taken[len(taken) // 2], 3)
            found[f"{name}_nights_mean_{unit}"] = round(sum(taken) / len(taken), 3)
    return found | {"mean_night_cpu_s": round(sum(cpu for _, cpu in times) / len(times), 3)}


def _questions(run: Any, seed: int) -> tuple[dict[str, Any], list[list[str]]]:
    """Milliseconds per question, wall and processor, and of how many files and bytes the index consists; the ids of the hits."""
    from benchmarks.recall_world import Voice
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
    wall, cpu = (sorted(one[place] for one in times)[len(times) // 2] for place in (0, 1))
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    return {"p50_ms": round(wall, 1), "cpu_p50_ms": round(cpu, 1), "files": len(files), "mb": round(megabytes)}, hits


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=30_000, help="in the history before the first of the nights")
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--turns", type=int, default=80)
    parser.add_argument("--facts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
