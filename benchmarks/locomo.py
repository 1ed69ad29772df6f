"""Recall of evidence: ingest a folder of sessions into a temporary lake, ask every question, print one JSON line.

    python benchmarks/locomo.py BENCH/locomo_dev            sessions/, questions.jsonl; the scorer beside the folder
    python benchmarks/locomo.py BENCH/locomo_dev --steps all  with windows, distilling and embedding of what was kept

Keys: recall@5/10/25/50 and NDCG@10 of `hybrid`, of `words` and of `vectors` alone, milliseconds per question, texts
embedded per second.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from effects.ask import ask_batch, open_recall
from effects.embed import embed
from effects.index import index
from effects.ingest import ingest
from effects.run import Run, open_run
from effects.settings import Settings
from transforms import rank as ranking
from transforms.recall import Filters


def main() -> None:
    """Runs the benchmark on the folder given as argument."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", choices=("turns", "all"), default="turns")
    parser.add_argument("--keep", type=Path, help="write the hybrid answers here")
    given = parser.parse_args()
    questions = [json.loads(line) for line in (given.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        run = _lake(given.folder / "sessions", Path(folder), given.steps)
        started = time.perf_counter()
        embedded = embed(run)["embedded"]
        rate = embedded / (time.perf_counter() - started)
        index(run)
        result: dict[str, Any] = {
            "benchmark": "locomo",
            "steps": given.steps,
            "embedded": embedded,
            "texts_per_s": round(rate, 1),
        }
        for name, weights in (("hybrid", None), ("words", ("words",)), ("vectors", ("meaning",))):
            answers = Path(folder) / f"{name}.jsonl"
            result |= {"ms_p50" if name == "hybrid" else f"ms_{name}": _answer(run, questions, answers, weights)}
            result[name] = _score(given.folder, answers)
            if name == "hybrid" and given.keep:
                given.keep.write_bytes(answers.read_bytes())
    print(json.dumps(result))


def _lake(sessions: Path, folder: Path, steps: str) -> Run:
    settings = Settings(sessions=(sessions,), lake=folder / "lake", workspace=folder / "workspace", timezone="UTC")
    run = open_run(settings, datetime(2026, 1, 1, tzinfo=UTC))
    with run.lake.writing("benchmark"):
        ingest(run)
        if steps == "all":
            from effects.distil import distil
            from effects.window import window

            window(run)
            distil(run)
    return run


def _answer(run: Run, questions: list[dict[str, Any]], path: Path, only: tuple[str, ...] | None) -> float:
    """Writes the answers; the median milliseconds per question. `only` keeps just these rankings."""
    before = dict(ranking.WEIGHTS)
    if only:
        ranking.WEIGHTS.update({name: 0.0 for name in before if name not in only})
    try:
        answers = list(ask_batch(open_recall(run), questions, Filters(k=50)))
    finally:
        ranking.WEIGHTS.update(before)
    path.write_text("".join(json.dumps(answer.row()) + "\n" for answer in answers), encoding="utf-8")
    return sorted(answer.took_ms for answer in answers)[len(answers) // 2]


def _score(folder: Path, answers: Path) -> dict[str, Any]:
    scorer = folder.resolve().parent / "score_retrieval.py"
    told = subprocess.run(
        [sys.executable, str(scorer), str(folder / "questions.jsonl"), str(answers)], capture_output=True, text=True, check=True
    )
    scores: dict[str, Any] = json.loads(told.stdout)
    return scores


if __name__ == "__main__":
    main()
