"""Recall on coding sessions: distil the gold sessions, ask the gold questions, print one JSON line.

    python benchmarks/gold_recall.py [--bench FOLDER] [--sessions FOLDER] [--ablate] [--worst 20]

Keys per session and as means: evidence@1/5/10 (a hit cites a line within 3 of the gold evidence) and answerable@5/10 (the hits
hold what the answer must name), as the scorer beside the gold sets counts them; answered, refused_wrongly, negatives_refused.
Tables go to stderr. Without the sets it says so and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import polars as pl

from benchmarks.retrieval import Asked, Row, ask_all, at, best_of, lake_of, table, variants, weighing
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall.ask import ask_batch, open_recall
from effects.store.run import Run
from transforms.recall.types import Filters

SHARED = Path(__file__).resolve().parents[2] / "shared"
AS_OF = at(2027)
HITS = 10
KEYS = ("evidence@1", "evidence@5", "evidence@10", "answerable@5", "answerable@10")


def main() -> int:
    """Runs the benchmark; 1 when a set is missing."""
    given = _given()
    golds = {path: json.loads(path.read_bytes()) for path in sorted((given.bench / "gold").glob("*.gold.json"))}
    if not golds or not given.sessions.is_dir():
        print(f"no gold set in {given.bench / 'gold'} or no sessions in {given.sessions}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        run = lake_of(given.sessions, Path(temporary), AS_OF, is_distilled=True)
        embed(run)
        index(run)
        found = {path.name.partition(".")[0]: _asked(run, given.bench, path, gold) for path, gold in golds.items()}
        kept = {path: ask_all(run, gold["questions"]) for path, gold in golds.items()}
        result: dict[str, Any] = {"benchmark": "gold_recall", **_means(list(found.values())), "sessions": found}
        if given.ablate:
            result["ablation"] = {name: _ablated(run, given.bench, kept, *changed) for name, changed in variants().items()}
            print(table(result["ablation"]), file=sys.stderr)
        for line in worst(kept, given.worst):
            print(line, file=sys.stderr)
    print(json.dumps(result))
    return 0


def worst(kept: dict[Path, list[Asked]], count: int) -> list[str]:
    """The questions whose evidence comes last; what leads instead, and what the evidence has of the question's words."""
    if not count:
        return []
    found = []
    for path, all_asked in kept.items():
        for asked in (one for one in all_asked if one.row["evidence"]):
            rows = best_of(asked, AS_OF, 1_000)
            near = [place for place, row in enumerate(rows, 1) if _is_near(row, asked.row["evidence"])]
            found.append((near[0] if near else 1_000, f"{path.name.partition('.')[0]} {asked.row['id']}", asked, rows))
    lines = []
    for place, name, asked, rows in sorted(found, key=lambda one: (-one[0], one[1]))[:count]:
        leads = f"{rows[0]['source']}: {' '.join(rows[0]['text'].split())[:120]}" if rows else "nothing"
        shared = set(rows[place - 1]["found"]) & set(asked.question.words) if place <= len(rows) else set()
        why = f"the evidence shares {', '.join(sorted(shared)) or 'no word'}" if place < 1_000 else "not among the candidates"
        lines.append(f"{name} evidence at {place if place < 1_000 else 'none'}: {asked.row['question']} — {why}; leads {leads}")
    return lines


def _is_near(row: Row, evidence: Sequence[int]) -> bool:
    return any(abs(line - other) <= 3 for line in (row["lines"] or ())[:8] for other in evidence)


def _asked(run: Run, bench: Path, gold: Path, content: dict[str, Any]) -> dict[str, Any]:
    """What the product answers, scored."""
    answers = [answer.row() for answer in ask_batch(open_recall(run), content["questions"], Filters(k=HITS))]
    return _scored(run, bench, gold, answers)


def _ablated(
    run: Run, bench: Path, kept: dict[Path, list[Asked]], changes: dict[str, float], spread: float | None
) -> dict[str, float]:
    with weighing(changes, spread):
        return _means([_scored(run, bench, path, [_row(asked) for asked in all_asked]) for path, all_asked in kept.items()])


def _row(asked: Asked) -> dict[str, Any]:
    names = ("text", "lines", "session_id")
    hits = [{name: row[name] for name in names} | {"lines": row["lines"] or []} for row in best_of(asked, AS_OF, HITS)]
    return {"id": asked.row["id"], "hits": hits, "answer": None}


def _scored(run: Run, bench: Path, gold: Path, answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    name = gold.name.removesuffix(".gold.json")
    session = run.lake.scan("sessions").filter(pl.col("source_path").str.contains(name, literal=True)).collect()
    with tempfile.TemporaryDirectory() as folder:
        (export := Path(folder) / "export.jsonl").write_bytes(b"")
        (given := Path(folder) / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers), encoding="utf-8")
        command = [sys.executable, bench / "score_gold.py", gold, export, given, session["session_id"].item()]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    scores = json.loads(told.stdout)
    return {key: scores[key] for key in (*KEYS, "answered", "refused_wrongly", "negatives_refused")}


def _means(found: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {key: round(mean(one[key] for one in found), 4) for key in KEYS}


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=SHARED / "bench")
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions" / "real")
    parser.add_argument("--ablate", action="store_true", help="also without each sign")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N questions that fare worst")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
