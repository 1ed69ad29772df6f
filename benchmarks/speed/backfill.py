"""A first night over years of sessions: when memory is useful, when it is complete, what it needs, and the night after.

    python -m benchmarks.speed.backfill [--sessions 5000] [--gb 2] [--kind copies] [--no-kill] [--no-turns] [--folder FOLDER]

Makes as many sessions of together that size from those at hand, under new ids, with other words and dates (`corpus.py`), or
with `--kind` as many tiny ones, or that much chat in German, Spanish and Japanese (`made_histories.py`). Sessions of any
length keep facts, as after `recollect init`. A night over them is killed when everything is read and half of the rest is
distilled, and the next one goes on. Then `backfill --all` embeds every turn, and a night follows after one more day. Each
run is a process of its own, without Prefect. Keys: kind, sessions, gb, days; wall_s, cpu_s (of all processes) and mb_s of
the nights up to all pages; killed_at_s; useful_s and useful_cpu_s (until the first `index` ended, so that the newest
sessions stand on pages), answer_s (a cold `recollect ask` then) and hits; pages_s; vectors_s (from the start) and
vectors_cpu_s (of that run alone), turns; peak_rss_mb and helper_peak_rss_mb; steps (processor seconds of each step, without
one that was killed); quiet_cpu_s; night_after_s and night_after_cpu_s with, as a baseline, own_day_cpu_s: a night over that
day alone, in an empty lake. Processor seconds of a run include its start (some 2 s), but not the question.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.arguments import ROOT, make_parser
from benchmarks.speed import corpus, made_histories
from benchmarks.speed.clocks import measure_clocks, read_clocks
from benchmarks.speed.peak_memory import read_peak_mb

QUESTION = "which tests failed and how were they fixed?"


def main() -> int:
    """Run the benchmark, or with `--child` one of its runs."""
    parser = make_parser(__doc__)
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--gb", type=float, default=2.0)
    parser.add_argument("--kind", choices=("copies", "tiny", "chat"), default="copies")
    parser.add_argument("--no-kill", action="store_true", help="one night, not killed")
    parser.add_argument("--no-turns", action="store_true", help="leave the vectors of raw turns out")
    parser.add_argument("--folder", type=Path, help="where to work; left out, a temporary folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", choices=("nightly", "all"), help="for the benchmark itself")
    parser.add_argument("--kill-at", type=float, default=2.0, help="for the benchmark itself")
    parser.add_argument("--day", type=int, default=0, help="for the benchmark itself")
    arguments = parser.parse_args()
    if arguments.child:
        run_child(arguments.folder, arguments.child, arguments.kill_at, arguments.day)
        return 0
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        history = History(arguments.kind, arguments.sessions, arguments.gb * 1000, arguments.seed)
        result = measure(Path(name), history, (arguments.no_kill, arguments.no_turns))
    print(json.dumps(result))
    return 0


class History(NamedTuple):
    """The sessions to make: their kind, how many of copies or tiny ones, and the megabytes of copies or chat."""

    kind: str
    count: int
    megabytes: float
    seed: int

    def build(self, folder: Path) -> int:
        """Write the sessions and return the number of their days."""
        if self.kind == "tiny":
            return made_histories.build_tiny(folder, self.count, self.seed)
        if self.kind == "chat":
            return made_histories.build_chat(folder, self.megabytes, self.seed)
        return corpus.build_many(folder, self.count, self.megabytes, self.seed)[1]

    def build_day(self, folder: Path, day: int) -> None:
        """Write the sessions of one more day, of other words."""
        if self.kind == "tiny":
            made_histories.build_tiny(folder, made_histories.TINY_A_DAY, self.seed + 1, day)
        elif self.kind == "chat":
            made_histories.build_chat(folder, made_histories.CHAT_BYTES_A_DAY / 1e6, self.seed + 1, day)
        else:
            corpus.build(folder, corpus.BYTES_A_DAY / 1e6, self.seed + 1, first_day=day)


def measure(root: Path, history: History, left_out: tuple[bool, bool]) -> dict[str, Any]:
    """Run the nights in `root` and return the figures."""
    (root / "sessions").mkdir()
    (root / "recollect.toml").touch()
    days = history.build(root / "sessions")
    files = [*(root / "sessions").rglob("*.jsonl")]
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} sessions, {size / 1e6:.0f} MB, {days} days", file=sys.stderr, flush=True)
    result: dict[str, Any] = {
        "benchmark": "backfill",
        "kind": history.kind,
        "sessions": history.count,
        "files": len(files),
        "gb": size / 1e9,
        "days": days,
    }
    nights = []
    if not left_out[0]:
        nights.append(run_apart(root, "nightly", days, kill_at=0.5))
        result["killed_at_s"] = nights[0]["wall_s"]
    nights.append(run_apart(root, "nightly", days, kill_at=1.0 if left_out[0] else 2.0))
    useful = nights[0]["useful"]
    pages_s = sum(night["wall_s"] for night in nights)
    result |= useful | {
        "pages_s": pages_s, "wall_s": pages_s, "cpu_s": sum(night["cpu_s"] for night in nights),
        "mb_s": size / 1e6 / pages_s, "steps": dict(sum((Counter(night["steps"]) for night in nights), Counter())),
    }  # fmt: skip
    if not left_out[1]:
        vectors = run_apart(root, "all", days)
        nights.append(vectors)
        result |= {"vectors_s": pages_s + vectors["wall_s"], "vectors_cpu_s": vectors["cpu_s"], "turns": vectors["turns"]}
    result |= {key: max(night[key] for night in nights) for key in ("peak_rss_mb", "helper_peak_rss_mb")}
    result["quiet_cpu_s"] = run_apart(root, "nightly", days)["cpu_s"]
    own = root / "own"
    own.mkdir()
    history.build_day(own / "sessions", days + 1)
    for path in [*(own / "sessions").rglob("*.jsonl")]:
        target = root / "sessions" / path.relative_to(own / "sessions")
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
    after, alone = run_apart(root, "nightly", days + 1), run_apart(own, "nightly", days + 1)
    result |= {"night_after_s": after["wall_s"], "night_after_cpu_s": after["cpu_s"], "own_day_cpu_s": alone["cpu_s"]}
    return {key: round(value, 2) if isinstance(value, float) else value for key, value in result.items()}


def run_apart(root: Path, what: str, day: int, kill_at: float = 2.0) -> dict[str, Any]:
    """Run a night or the backfill in a process of its own, which kills itself at a share of the run; return its figures."""
    (root / "figures.jsonl").unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.speed.backfill", "--folder", str(root), "--child", what, "--day", str(day)]
    started = read_clocks()
    done = subprocess.run([*command, "--kill-at", str(kill_at)], cwd=ROOT, check=False)
    wall_s, cpu_s = measure_clocks(started)
    if done.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(f"the run ended with {done.returncode}")
    rows = [json.loads(line) for line in (root / "figures.jsonl").read_text(encoding="utf-8").splitlines()]
    steps: Counter[str] = Counter()
    for row in rows:
        steps[row["step"]] += row["cpu_s"]
    figures = {
        "wall_s": wall_s, "cpu_s": cpu_s, "steps": {name: round(seconds, 2) for name, seconds in steps.items()},
        "turns": sum(row["turns"] for row in rows), "useful": next((row["useful"] for row in rows if row["useful"]), {}),
        "peak_rss_mb": max(row["peak_rss_mb"] for row in rows), "helper_peak_rss_mb": max(row["helper_mb"] for row in rows),
    }  # fmt: skip
    print(json.dumps(figures), file=sys.stderr, flush=True)
    return figures


def run_child(root: Path, what: str, kill_at: float, day: int) -> None:
    """Run the pipeline in this process and note every step in `figures.jsonl`; kill this process at a share of the run."""
    import resource

    from effects.config.settings import Settings, WindowSettings
    from effects.distil.distil_step import list_due_sessions
    from effects.store.run import Counts, open_run
    from effects.system.garbage import prepare_process
    from flows.pipelines import nightly_pipeline, whole_history_pipeline
    from flows.runner import run_pipeline
    from transforms.pages.run_progress import Progress, format_progress

    prepare_process()  # as the command line does
    places = {name: root / name for name in ("lake", "workspace")}
    settings = Settings(
        **places, sessions=(root / "sessions",), timezone="UTC", owner="Owner", window=WindowSettings(min_user_messages=1)
    )
    started, is_useful, last = read_clocks(), False, (0, 0)
    due, done = 0, Counter[int]()  # windows in all, and those distilled in each step, after everything was read
    is_read = False

    def watch(progress: Progress) -> None:
        nonlocal last, due
        if progress.position != last[0] or progress.done > last[1] + 200:
            last = progress.position, progress.done
            print(format_progress(progress), file=sys.stderr, flush=True)
        if kill_at < 1 and is_read and progress.step == "distil" and progress.unit:
            due = due or sum(count for _, _, count in list_due_sessions(run))
            done[progress.position] = progress.done
            if done.total() >= kill_at * due:
                os.kill(os.getpid(), signal.SIGKILL)

    def call_step(name: str, call: Callable[[], Counts]) -> Counts:
        nonlocal is_useful, is_read
        before = read_clocks()
        counts = call()
        wall_s, cpu_s = measure_clocks(before)
        is_read = is_read or name == "ingest"
        useful = {}
        if name == "index" and not is_useful:
            is_useful = True
            useful = dict(zip(("useful_s", "useful_cpu_s"), measure_clocks(started), strict=True))
            useful |= ask(root) if kill_at <= 1 else {}
        row = {
            "step": name, "wall_s": wall_s, "cpu_s": cpu_s, "turns": counts.get("turns", 0), "useful": useful,
            "peak_rss_mb": read_peak_mb(), "helper_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        }  # fmt: skip
        with (root / "figures.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return counts

    moment = corpus.FIRST_DAY + timedelta(days=day + 1)
    run = open_run(settings, moment, watch)
    run_pipeline(run, whole_history_pipeline() if what == "all" else nightly_pipeline(None), call_step)


def ask(root: Path) -> dict[str, Any]:
    """Ask a question as a user would and return the seconds of the answer and the number of its hits."""
    environment = os.environ | {
        "RECOLLECT_CONFIG": str(root / "recollect.toml"), "RECOLLECT_TIMEZONE": "UTC", "RECOLLECT_OWNER": "Owner",
        **{f"RECOLLECT_{name.upper()}": str(root / name) for name in ("lake", "workspace", "sessions")},
    }  # fmt: skip
    started = time.perf_counter()
    command = [sys.executable, "-m", "recollect", "ask", QUESTION, "--project", "all", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    hits = len(json.loads(done.stdout)["hits"]) if done.returncode == 0 else 0
    return {"answer_s": time.perf_counter() - started, "hits": hits}


if __name__ == "__main__":
    sys.exit(main())
