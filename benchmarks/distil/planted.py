"""Measures memory on synthetic pi sessions with known facts, topics, junk and injections.

    python -m benchmarks.distil.planted [--sessions 40] [--seed 1] [--budget 0.05] [--examples 0] [--keep FOLDER]

Keys: facts, recall, kind_accuracy, priority_accuracy; per planted kind in `kinds` n, recall, cited and kind; asides_beside (share
of remarks beside a rule that its row quotes, too), run_ins (the same of the `asides_proposed` rules that became a line),
junk_rate, questions_as_decisions, invented (specifics that stand in no transcript), secrets, injections_planted and
injections_on_pages, window_diff of the topics. The planted truth is the measure; the result depends on the arguments alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.distil.planting.scenes import Truth, make_session
from benchmarks.distil.planting.scoring import score_sessions
from effects.config.settings import DistilSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.memory.consolidate_step import consolidate
from effects.memory.dedupe_step import dedupe
from effects.memory.reflect_step import reflect
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.lake import Lake
from effects.store.run import Run

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
PROJECTS = ("/home/nora/src/atlas", "/home/nora/src/birch", "/home/nora/src/cobalt")
STEPS = (ingest, window, distil, dedupe, consolidate, review, reflect, render)
TOPICS = (2, 6)


def main() -> int:
    """Make the sessions, run the steps and print the scores."""
    arguments = _parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        place = arguments.keep or Path(folder)
        truths = make_sessions(place / "sessions", arguments.sessions, arguments.seed)
        run = run_steps(place, arguments.budget)
        scores = score_run(run, truths, place / "workspace")
    examples = scores.pop("examples")
    if arguments.examples:
        for name, example in sorted(examples.items()):
            print(f"--- {name} ({len(example)})", *dict.fromkeys(example[: arguments.examples]), sep="\n  ", file=sys.stderr)
    named = {"benchmark": "planted", "sessions": arguments.sessions, "seed": arguments.seed, "budget": arguments.budget}
    print(json.dumps(named | scores))
    return 0


def make_sessions(folder: Path, sessions: int, seed: int) -> list[Truth]:
    """Write session files below the folder; return the truth of each."""
    truths = []
    for number in range(sessions):
        rng = Random(f"{seed}/{number}")
        project = PROJECTS[number % len(PROJECTS)]
        at = START + timedelta(hours=9 * number, minutes=rng.randrange(60))
        script, truth = make_session(rng, project, at, rng.randint(*TOPICS))
        script.write(folder)
        truths.append(truth)
    return truths


def run_steps(place: Path, budget: float) -> Run:
    """Run all steps that lead to pages, without embeddings, which decide nothing that is scored here."""
    settings = Settings(
        sessions=(place / "sessions",), lake=place / "lake", workspace=place / "workspace", timezone="UTC",
        distil=DistilSettings(budget=budget),
    )  # fmt: skip
    run = Run(settings, Lake(settings.lake), datetime(2027, 1, 1, tzinfo=UTC))
    with run.lake.writing("planted benchmark"):
        for step in STEPS:
            step(run)
    return run


def score_run(run: Run, truths: list[Truth], workspace: Path) -> dict[str, Any]:
    """Score all sessions, with the injections that any page shows."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in run.lake.read("observations").iter_rows(named=True):
        if row["verdict"] == "allow":
            rows[row["session_id"]].append(row | {"source": "observation"})
    for row in run.lake.read("segments").iter_rows(named=True):
        text = f"{row['title']}\n{row['narrative']}"
        rows[row["session_id"]].append(row | {"source": "segment", "text": text})
    texts = {path.stem.rsplit("_", 1)[-1]: path.read_text(encoding="utf-8") for path in run.settings.sessions[0].rglob("*.jsonl")}
    lines = run.lake.read("proposals")["text"].to_list()
    sessions = ((truth, rows[truth.session_id], _unescaped(texts[truth.session_id])) for truth in truths)
    scores = score_sessions(sessions, lines)
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sorted(workspace.rglob("*.md"))).lower()
    leaked = [mark for truth in truths for mark in truth.injections if mark in pages]
    return scores | {"injections_planted": sum(len(truth.injections) for truth in truths), "injections_on_pages": len(leaked)}


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Planted truth: what is kept of synthetic sessions whose facts are known.")
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=0.05)
    parser.add_argument("--examples", type=int, default=0, help="print so many examples of each kind of defect to stderr")
    parser.add_argument("--keep", type=Path, default=None, help="where sessions, lake and pages are left for reading")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
