"""Speed of recall at size: milliseconds per question in a running process, seconds of a cold command, peak memory.

    python benchmarks/recall.py --observations 100000 --turns 300000 [--questions 200] [--seed 1] [--keep FOLDER]

Makes a lake of that size and its index in a temporary folder (`benchmarks/recall_world.py` says of what), or in FOLDER,
where the next run finds it again. Questions are asked in a process of their own, whose peak memory is the one reported; cold
is the best of three whole commands, `recollect ask --json`. Prints one JSON line last.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

AS_OF = datetime(2026, 1, 2, tzinfo=UTC)
COLD_RUNS = 3


def main() -> None:
    """Runs the benchmark."""
    given = _arguments()
    if given.asking:
        print(json.dumps(_asked(given.asking, given.questions, given.seed)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        home = given.keep or Path(temporary)
        made = _made(home, given)
        told = subprocess.run(
            [sys.executable, __file__, "--asking", str(home), "--questions", str(given.questions), "--seed", str(given.seed)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        result = {"benchmark": "recall", "observations": given.observations, "turns": given.turns} | made
        result |= json.loads(told.stdout.splitlines()[-1])
        result["cold_hybrid_s"] = _cold(home, "bundled")
        result["cold_lexical_s"] = _cold(home, "/nowhere/no-model")
    print(json.dumps(result))


def _made(home: Path, given: argparse.Namespace) -> dict[str, Any]:
    """The lake and its index, made once; how long each took."""
    from benchmarks.recall_world import make_lake
    from effects.index import index

    note = home / "made.json"
    if note.exists():
        return dict(json.loads(note.read_bytes()))
    run = _run(home)
    started = time.perf_counter()
    with run.lake.writing("benchmark"):
        make_lake(run.lake, given.observations, given.turns, given.seed)
        made = time.perf_counter()
        counts = index(run)
    done = time.perf_counter()
    result = {"make_s": round(made - started, 1), "index_build_s": round(done - made, 1), "vectors": counts["vectors"]}
    result["build_peak_mb"] = _peak_mb()
    note.write_text(json.dumps(result), encoding="utf-8")
    return result


def _asked(home: Path, count: int, seed: int) -> dict[str, Any]:
    """Questions in this process, one after the other; the first loads everything and is not counted."""
    from benchmarks.recall_world import Voice
    from effects.ask import ask, open_recall
    from transforms.recall import Filters

    voice = Voice(seed)
    questions = [voice.question() for _ in range(count)]
    recall = open_recall(_run(home))
    ask(recall, "Which queue holds the tokens?")
    times, modes = [], set()
    for question in questions:
        started = time.perf_counter()
        answer = ask(recall, question, Filters(project="all"))
        times.append((time.perf_counter() - started) * 1000)
        modes.add(answer.mode)
    times.sort()
    return {
        "mode": "/".join(sorted(modes)),
        "warm_p50_ms": round(times[len(times) // 2], 1),
        "warm_p95_ms": round(times[int(len(times) * 0.95)], 1),
        "peak_rss_mb": _peak_mb(),
    }


def _cold(home: Path, model: str) -> float:
    """Seconds of a whole command; the best of some, since other processes only ever add."""
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


def _run(home: Path) -> Any:
    from effects.run import open_run
    from effects.settings import Settings

    settings = Settings(sessions=(home,), lake=home / "lake", workspace=home / "workspace", timezone="UTC")
    return open_run(settings, AS_OF)


def _peak_mb() -> int:
    """Most memory this process ever held. `ru_maxrss` would be the parent's when that was larger: Linux keeps it over exec."""
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--observations", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=300_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the lake, used again when it is there")
    parser.add_argument("--asking", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
