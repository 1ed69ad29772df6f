"""Measures the speed of recall at size: milliseconds per question in a running process, seconds of a cold command, memory.

    python -m benchmarks.speed.recall --observations 100000 --turns 300000 [--questions 200] [--seed 1] [--keep FOLDER]

Makes a synthetic lake of that size and its index (`recall_world.py`) in a temporary folder, or in FOLDER, where the
next run finds it again. Questions are asked in a process of their own. Keys: warm_p50_ms, warm_p95_ms; warm_cpu_ms, processor
time, which a busy machine moves less; peak_rss_mb; cold_hybrid_s and cold_lexical_s, the best of three whole commands
`recollect ask --json`; ann_recall, the share of the truly nearest 10 and 50 vectors (exact search is the baseline) that the
approximate index returns; make_s, index_build_s and build_peak_mb.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.speed.peak_memory import read_peak_mb

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from effects.index.record_store import RecordStore

ROOT = Path(__file__).resolve().parents[2]

AS_OF = datetime(2026, 1, 2, tzinfo=UTC)
COLD_RUNS = 3


def main() -> None:
    """Run the benchmark."""
    arguments = _parse_arguments()
    if arguments.asking:
        measured = _compare_nearest if arguments.nearest else _ask_questions
        print(json.dumps(measured(arguments.asking, arguments.questions, arguments.seed)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        home = arguments.keep or Path(temporary)
        made = _make_lake(home, arguments)
        result = {"benchmark": "recall", "observations": arguments.observations, "turns": arguments.turns} | made
        for more in ([], ["--nearest"]):
            command = [sys.executable, __file__, "--asking", str(home), "--questions", str(arguments.questions), *more]
            done = subprocess.run([*command, "--seed", str(arguments.seed)], capture_output=True, text=True, check=True)
            result |= json.loads(done.stdout.splitlines()[-1])
        result["cold_hybrid_s"] = _time_cold_command(home, "bundled")
        result["cold_lexical_s"] = _time_cold_command(home, "/nowhere/no-model")
    print(json.dumps(result))


def _make_lake(home: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Make the lake and its index, once; return the time of each."""
    from benchmarks.speed.recall_world import make_lake
    from effects.index.index_step import index

    note = home / "made.json"
    if note.exists():
        return dict(json.loads(note.read_bytes()))
    run = _open_run(home)
    started = time.perf_counter()
    with run.lake.writing("benchmark"):
        make_lake(run.lake, arguments.observations, arguments.turns, arguments.seed)
        made = time.perf_counter()
        counts = index(run)
    done = time.perf_counter()
    result = {"make_s": round(made - started, 1), "index_build_s": round(done - made, 1), "vectors": counts["vectors"]}
    result["build_peak_mb"] = read_peak_mb()
    note.write_text(json.dumps(result), encoding="utf-8")
    return result


def _ask_questions(home: Path, count: int, seed: int) -> dict[str, Any]:
    """Ask questions in this process, one after the other; the first loads everything and is not counted."""
    from benchmarks.speed.recall_world import Voice
    from effects.recall.ask import ask, open_recall
    from transforms.recall.types import Filters

    voice = Voice(seed)
    questions = [voice.question() for _ in range(count)]
    recall = open_recall(_open_run(home))
    ask(recall, "Which queue holds the tokens?")
    times, modes = [], set()
    before = time.process_time()
    for question in questions:
        started = time.perf_counter()
        answer = ask(recall, question, Filters(project="all"))
        times.append((time.perf_counter() - started) * 1000)
        modes.add(answer.mode)
    cpu = (time.process_time() - before) * 1000 / len(questions)
    times.sort()
    return {
        "mode": "/".join(sorted(modes)),
        "warm_p50_ms": round(times[len(times) // 2], 1),
        "warm_p95_ms": round(times[int(len(times) * 0.95)], 1),
        "warm_cpu_ms": round(cpu, 1),
        "peak_rss_mb": read_peak_mb(),
    }


def _iterate_vectors(rows: RecordStore, batch_size: int) -> Iterator[tuple[list[int], npt.NDArray[np.float16]]]:
    """Yield all vectors (rows, dimensions) with the numbers of their documents, in batches."""
    import numpy as np

    cursor = rows.database.execute("SELECT number, vector FROM vectors ORDER BY number")
    while batch := cursor.fetchmany(batch_size):
        flat = np.frombuffer(b"".join(vector for _, vector in batch), dtype=np.float16)
        yield [number for number, _ in batch], flat.reshape(len(batch), -1)


def _compare_nearest(home: Path, count: int, seed: int) -> dict[str, Any]:
    """Return the shares of the nearest vectors, found by comparing all, that the approximate index finds."""
    import numpy as np

    from benchmarks.speed.recall_world import Voice
    from effects.embedding.embedder import open_embedder
    from effects.index.manifest import read_manifest
    from effects.index.record_store import find_nearest
    from effects.recall.index_search import APPROXIMATE_CANDIDATES, VECTOR_CANDIDATES, open_index

    voice, embedder = Voice(seed), open_embedder()
    asked = embedder.embed_documents([voice.question() for _ in range(count)])
    index = open_index(_open_run(home).lake, read_manifest(_open_run(home).lake))
    assert index.vectors is not None
    best = np.full((count, 50), -2.0, dtype=np.float32)
    numbers = np.zeros((count, 50), dtype=np.int64)
    for some, vectors in _iterate_vectors(index.rows, 16_384):
        cosines = np.hstack([best, asked @ vectors.astype(np.float32).T])
        known = np.hstack([numbers, np.broadcast_to(np.array(some), (count, len(some)))])
        order = np.argsort(-cosines, axis=1)[:, :50]
        best, numbers = np.take_along_axis(cosines, order, axis=1), np.take_along_axis(known, order, axis=1)
    results = []
    for vector in asked:
        rough = index.vectors.search_vector(vector, "", APPROXIMATE_CANDIDATES)
        results.append(find_nearest(index.rows.read_vectors(rough), rough, vector, VECTOR_CANDIDATES))

    def share(wanted: int, among: int) -> float:
        hits = (len({*true[:wanted].tolist()} & {*near[:among]}) for true, near in zip(numbers, results, strict=True))
        return round(sum(hits) / (count * wanted), 3)

    shares = {
        f"{wanted} in {among}": share(wanted, among)
        for wanted, among in ((10, 10), (50, 50), (10, VECTOR_CANDIDATES), (50, VECTOR_CANDIDATES))
    }
    return {"ann_recall": shares}


def _time_cold_command(home: Path, model: str) -> float:
    """Return the seconds of a whole command; the best of some, since other processes only add."""
    (home / "none.toml").touch()
    environment = os.environ | {
        "RECOLLECT_LAKE": str(home / "lake"), "RECOLLECT_WORKSPACE": str(home / "workspace"), "RECOLLECT_TIMEZONE": "UTC",
        "RECOLLECT_CONFIG": str(home / "none.toml"), "RECOLLECT_EMBEDDING__MODEL": model,
    }  # fmt: skip
    command = [sys.executable, "-m", "recollect", "ask", "--json", "--project", "all", "Which queue holds the tokens, and why?"]
    times = []
    for _ in range(COLD_RUNS):
        started = time.perf_counter()
        subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True)
        times.append(time.perf_counter() - started)
    return round(min(times), 3)


def _open_run(home: Path) -> Any:
    from effects.config.settings import Settings
    from effects.store.run import open_run

    settings = Settings(sessions=(home,), lake=home / "lake", workspace=home / "workspace", timezone="UTC")
    return open_run(settings, AS_OF)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--observations", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=300_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the lake, used again when it is there")
    parser.add_argument("--nearest", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--asking", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
