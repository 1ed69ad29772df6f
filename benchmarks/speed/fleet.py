"""A fleet of synthetic owners on threads, Dask or Ray: seconds per owner, and whether anybody's words reach another's memory.

Every owner says a word that nobody else says; afterwards each word is looked for in all files and tables of all homes. One owner
has settings that cannot be used, and another one asks a model (a server of this process) with a budget for one request.

Run: python -m benchmarks.speed.fleet --owners 50 --runner dask

Keys: owners, sessions, runner, parallel, first_s and quiet_s (wall seconds of the first and of a second night of everybody),
first_cpu_s_per_owner and quiet_cpu_s_per_owner (processor seconds), states, leaks (files of a home with another's word), peak_mb
(largest process), over_budget (of the owner with the model, after both nights: requests, budget_usd, spent_usd, waiting_windows).
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from tests.effects.engines.model_server import ModelServer, Said, answer, serving

SUBJECTS = ("cache", "parser", "billing page", "login form", "search index", "export job", "test suite", "build script")
SAYINGS = (
    "We always use {word} for the {subject}, never the old one.",
    "Why does the {subject} fail when {word} is off?",
    "Please move the {subject} to {word} and run the tests.",
    "The {subject} broke because {word} returned nothing; we now check for that.",
    "ok, commit it",
)
BROKEN, COSTLY = "owner000", "owner001"
BUDGET_USD = 0.02
"""The budget of a run of the owner with the model: the largest possible cost of one request, but not of two."""
FIRST_DAY = datetime(2026, 5, 1, 9, tzinfo=UTC)


def main() -> None:
    """Build the fleet, run two nights, and print the figures."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--owners", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=3, help="sessions of each owner")
    parser.add_argument("--runner", choices=("threads", "dask", "ray"), default="dask")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--prefect", action="store_true", help="through Prefect also with threads")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, serving(_say) as model:
        folder = Path(name)
        words = write_fleet(folder, arguments.owners, arguments.sessions, arguments.runner, arguments.parallel)
        _give_model(folder, model)
        is_direct = arguments.runner == "threads" and not arguments.prefect
        first, first_s, first_cpu = run_night(folder, "2026-05-20T04:00:00Z", is_direct)
        quiet, quiet_s, quiet_cpu = run_night(folder, "2026-05-20T05:00:00Z", is_direct)
        print(
            json.dumps(
                {
                    "owners": arguments.owners,
                    "sessions": arguments.sessions,
                    "runner": arguments.runner,
                    "parallel": arguments.parallel,
                    "first_s": round(first_s, 1),
                    "quiet_s": round(quiet_s, 1),
                    "first_cpu_s_per_owner": round(first_cpu / arguments.owners, 2),
                    "quiet_cpu_s_per_owner": round(quiet_cpu / arguments.owners, 2),
                    "states": first["states"],
                    "leaks": count_leaks(folder / "owners", words),
                    "peak_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
                    "over_budget": _describe_costly(quiet, model),
                }
            )
        )


def write_fleet(folder: Path, owners: int, sessions: int, runner: str, parallel: int) -> dict[str, str]:
    """Write homes and the file of the fleet; return the word of each owner."""
    words: dict[str, str] = {}
    for number in range(owners):
        name = f"owner{number:03d}"
        words[name] = "".join(random.Random(number).choices("bcdfgklmnprstvz", k=9))
        home = folder / "owners" / name
        (home / "sessions").mkdir(parents=True)
        for session in range(sessions):
            _write_session(home / "sessions" / f"{session}.jsonl", f"{name}-{session}", words[name], session)
    (folder / "owners" / BROKEN / "recollect.toml").write_text('timezone = "No/Where"\n', encoding="utf-8")
    file = f'owners = ["owners/*"]\nrunner = "{runner}"\nparallel = {parallel}\nenvironment = ["OPENAI_API_KEY"]\n'
    (folder / "fleet.toml").write_text(file, encoding="utf-8")
    return words


def _say(prompt: str, _number: int) -> Said:
    """Answer as a model whose answer uses up the budget."""
    return Said(answer(prompt), billed=(4_000, 4_000))


def _give_model(folder: Path, model: ModelServer) -> None:
    """Let one owner ask the server, within the budget of one request."""
    os.environ["OPENAI_API_KEY"] = "none"
    engine = f'observer = "instructor:openai/gpt-5-mini"\nbase_url = "{model.url}"\nbudget_run_usd = {BUDGET_USD}\n'
    (folder / "owners" / COSTLY / "recollect.toml").write_text(f"[engine]\n{engine}", encoding="utf-8")


def _describe_costly(night: dict[str, Any], model: ModelServer) -> dict[str, Any]:
    """Return what the owner with the model asked and spent, and what waits for the next budget."""
    figures = next(owner for owner in night["owners"] if owner["owner"] == COSTLY)
    return {
        "requests": len(model.requests),
        "budget_usd": BUDGET_USD,
        "spent_usd": figures["spent_today_usd"],
        "waiting_windows": figures["waiting_windows"],
    }


def run_night(folder: Path, as_of: str, is_direct: bool) -> tuple[dict[str, Any], float, float]:
    """Run a night of the fleet; return its summary, wall seconds and processor seconds of all processes."""
    environment = os.environ | {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "600"}  # for a busy machine
    command = [sys.executable, "-m", "recollect", "fleet", "run", str(folder / "fleet.toml"), "--as-of", as_of, "--json"]
    before, started = _cpu_seconds(), time.perf_counter()
    done = subprocess.run(command + ["--direct"] * is_direct, capture_output=True, text=True, check=False, env=environment)
    seconds = time.perf_counter() - started
    summary: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
    if "owners" not in summary:
        raise SystemExit(f"{summary}\n{done.stderr[-2000:]}")
    cpu_s = _cpu_seconds() - before
    print(f"{seconds:.0f} s, {cpu_s:.0f} processor seconds, {summary['states']}", file=sys.stderr, flush=True)
    return summary, seconds, cpu_s


def count_leaks(owners: Path, words: dict[str, str]) -> int:
    """Return how many files of a home hold the word of another owner, in their bytes or in the columns of a table."""
    leaks = 0
    for path in owners.rglob("*"):
        if not path.is_file():
            continue
        text = path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            text += str(pl.read_parquet(path).to_dicts())
        own = path.relative_to(owners).parts[0]
        leaks += sum(word in text for name, word in words.items() if name != own)
    return leaks


def _write_session(path: Path, session_id: str, word: str, day: int) -> None:
    choose = random.Random(session_id).choice
    begun = FIRST_DAY + timedelta(days=day)
    lines: list[dict[str, Any]] = [
        {
            "type": "session",
            "version": 3,
            "id": session_id,
            "timestamp": begun.isoformat().replace("+00:00", "Z"),
            "cwd": "/w/shop",
        }
    ]
    for number in range(16):
        at = begun + timedelta(minutes=number)
        text = choose(SAYINGS).format(word=word, subject=choose(SUBJECTS))
        message = {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": [{"type": "text", "text": text}],
            "timestamp": int(at.timestamp() * 1000),
        }
        lines.append(
            {
                "type": "message", "id": f"e{number}", "parentId": f"e{number - 1}" if number else None,
                "timestamp": at.isoformat().replace("+00:00", "Z"), "message": message,
            }
        )  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
