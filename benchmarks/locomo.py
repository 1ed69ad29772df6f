"""Recall of evidence: ingest a folder of sessions into a temporary lake, ask every question, print one JSON line.

    python benchmarks/locomo.py BENCH/locomo_dev            sessions/, questions.jsonl; the scorer beside the folder
    python benchmarks/locomo.py BENCH/locomo_dev --steps all  with windows, distilling and embedding of what was kept
    python benchmarks/locomo.py BENCH/locomo_dev --ablate     a table without each sign of the ranking
    python benchmarks/locomo.py BENCH/locomo_dev --worst 20   the questions that fare worst, with the reason

Keys: recall@5/10/25/50 and NDCG@10 of `hybrid`, of `words` and of `vectors` alone, milliseconds per question, texts
embedded per second. Tables go to stderr. `benchmarks/gold_recall.py` has the same for coding sessions.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.retrieval import Asked, Row, ask_all, at, best_of, lake_of, table, variants, weighing
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall.ask import ask_batch, open_recall
from effects.store.run import Run
from transforms.recall.ranking_features import neighbours
from transforms.recall.types import Filters

AS_OF = at(2026)
HITS = 50
SHOWN = ("r@5", "r@10", "r@25", "r@50", "ndcg@10", "session_any@5")
CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open", "4": "single", "5": "advers."}


def main() -> None:
    """Runs the benchmark on the folder given as argument."""
    given = _given()
    questions = [json.loads(line) for line in (given.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as temporary:
        run = lake_of(given.folder / "sessions", Path(temporary), AS_OF, given.steps == "all")
        started = time.perf_counter()
        embedded = embed(run)["embedded"]
        rate = embedded / (time.perf_counter() - started)
        index(run)
        result: dict[str, Any] = {"benchmark": "locomo", "steps": given.steps, "embedded": embedded}
        result |= {"texts_per_s": round(rate, 1)}
        answers = given.keep or Path(temporary) / "hybrid.jsonl"
        result["ms_p50"] = _answer(run, questions, answers)
        result["hybrid"] = _scored(given.folder, answers)
        kept = ask_all(run, questions)
        found = {
            name: score(given.folder, kept, [changes] * len(kept), spread)
            for name, (changes, spread) in variants().items()
            if given.ablate or name.endswith("alone")
        }
        result |= {"words": found["words alone"], "vectors": found["meaning alone"]}
        if given.ablate:
            print(table({name: _flat(scores) for name, scores in found.items()}), file=sys.stderr)
            result["ablation"] = {name: _flat(scores) for name, scores in found.items()}
        for line in worst(kept, given.worst):
            print(line, file=sys.stderr)
    print(json.dumps(result))


def worst(kept: Sequence[Asked], count: int) -> list[str]:
    """The questions whose evidence comes last, each with the reason that its candidates tell."""
    if not count:
        return []
    found = [(*placed(asked), asked) for asked in kept if asked.row["evidence"]]
    found.sort(key=lambda one: (-one[0], str(one[2].row["id"])))
    return [
        f"{asked.row['id']} ({CATEGORIES.get(str(asked.row['category']), asked.row['category'])}) evidence at "
        f"{place if place < 1_000 else 'none'}: {asked.row['question']} — {reason}"
        for place, reason, asked in found[:count]
    ]


def placed(asked: Asked) -> tuple[int, str]:
    """The rank of the best evidence of a question (1,000 when it was not found), and why it is not the first."""
    wanted = {tuple(entry) for entry in asked.row["evidence"]}
    rows = best_of(asked, AS_OF, 1_000)
    places = {id(row): place for place, row in enumerate(rows, 1)}
    evidence = [row for row in asked.found.rows if _entries(row) & wanted]
    if not evidence:
        return 1_000, "not among the candidates: neither its words nor its vector are near the question's"
    best = min(evidence, key=lambda row: places.get(id(row), 999))
    place = places.get(id(best), 999)
    shared = set(best["found"]) & set(asked.question.words)
    place_of = next(number for number, row in enumerate(asked.found.rows) if row is best)
    around = neighbours(asked.found.rows, [place_of])[place_of]
    if shared:
        reason = f"shares only {', '.join(sorted(shared))}; others have more of the question's words"
    elif any(set(asked.found.rows[other]["found"]) & set(asked.question.words) for other, _ in around):
        reason = "its words are only in the turns around it"
    else:
        reason = "no word of the question in it or around it: the answer has to be inferred"
    return place, f"{reason}. Evidence: {' '.join(str(best['text']).split())[:160]}"


def _entries(row: Row) -> set[tuple[Any, ...]]:
    return {(row["session_id"], entry) for entry in row["entry_ids"] or ()}


def _answer(run: Run, questions: Sequence[Row], path: Path) -> float:
    """Writes the answers; the median milliseconds per question."""
    answers = list(ask_batch(open_recall(run), questions, Filters(k=HITS)))
    path.write_text("".join(json.dumps(answer.row()) + "\n" for answer in answers), encoding="utf-8")
    return sorted(answer.took_ms for answer in answers)[len(answers) // 2]


def score(
    folder: Path, kept: Sequence[Asked], weights: Sequence[Mapping[str, float]], spread: float | None = None
) -> dict[str, Any]:
    """The scores of the candidates in the order by other weights: those that each question comes with."""
    lines = []
    for asked, changes in zip(kept, weights, strict=True):
        with weighing(changes, spread):
            hits = [{"session_id": row["session_id"], "entry_ids": row["entry_ids"] or []} for row in best_of(asked, AS_OF, HITS)]
        lines.append(json.dumps({"id": asked.row["id"], "hits": hits}) + "\n")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(lines)
        file.flush()
        return _scored(folder, Path(file.name))


def _flat(scores: dict[str, Any]) -> dict[str, float]:
    named = {CATEGORIES.get(number, number): share for number, share in scores["r@10_by_category"].items()}
    return {name: scores[name] for name in SHOWN} | named


def _scored(folder: Path, answers: Path) -> dict[str, Any]:
    scorer = folder.resolve().parent / "score_retrieval.py"
    told = subprocess.run(
        [sys.executable, str(scorer), str(folder / "questions.jsonl"), str(answers)], capture_output=True, text=True, check=True
    )
    scores: dict[str, Any] = json.loads(told.stdout)
    return scores


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", choices=("turns", "all"), default="turns")
    parser.add_argument("--keep", type=Path, help="write the hybrid answers here")
    parser.add_argument("--ablate", action="store_true", help="also without each sign")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N questions that fare worst")
    return parser.parse_args()


if __name__ == "__main__":
    main()
