"""Measures recall of evidence in chats: LoCoMo (Maharana et al. 2024) as pi sessions, in `bench/locomo_dev`.

    python -m benchmarks.recall.locomo [BENCH/locomo_dev]            sessions/, questions.jsonl; the scorer beside the folder
    python -m benchmarks.recall.locomo BENCH/locomo_dev --steps all    with windows, distilling and embedding of what was kept
    python -m benchmarks.recall.locomo BENCH/locomo_dev --ablate       a table without each ranking feature
    python -m benchmarks.recall.locomo BENCH/locomo_dev --worst 20     the questions with the worst ranks, each with a reason

Keys: `hybrid`, and its parts `words` (BM25 with neighbours) and `vectors` as baselines, each with r@5/10/25/50, ndcg@10 and
session_any@5/10 of `score_retrieval.py`; `ms_p50` per question; `texts_per_s` embedded. Tables go to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.arguments import SHARED, make_parser, read_jsonl, report_missing, run_scorer, write_jsonl
from benchmarks.recall.retrieval import (
    QuestionRow,
    SearchedQuestion,
    changed_weights,
    format_table,
    list_variants,
    make_lake,
    new_year,
    rank_by_weights,
    search_questions,
)
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall.ask import ask_batch, open_recall
from effects.store.run import Run
from transforms.recall.ranking_features import find_neighbours
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Filters

AS_OF = new_year(2026)
HITS = 50
TABLE_COLUMNS = ("r@5", "r@10", "r@25", "r@50", "ndcg@10", "session_any@5")
CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open", "4": "single", "5": "advers."}
NOT_FOUND, LAST_RANK = 1_000, 999
"""Rank of evidence that is not among the candidates, and of a candidate that was folded away."""


def main() -> int:
    """Run the benchmark; return 1 when the set is missing."""
    arguments = _parse_arguments()
    folder: Path = arguments.folder
    if report_missing([folder / "questions.jsonl", folder / "sessions"]):
        return 1
    questions = read_jsonl(folder / "questions.jsonl")
    with tempfile.TemporaryDirectory() as temporary:
        run = make_lake(folder / "sessions", Path(temporary), AS_OF, arguments.steps == "all")
        started = time.perf_counter()
        embedded = embed(run)["embedded"]
        rate = embedded / (time.perf_counter() - started)
        index(run)
        result: dict[str, Any] = {"benchmark": "locomo", "steps": arguments.steps, "embedded": embedded}
        result["texts_per_s"] = round(rate, 1)
        answers = arguments.keep or Path(temporary) / "hybrid.jsonl"
        result["ms_p50"] = write_answers(run, questions, answers)
        result["hybrid"] = score_file(folder, answers)
        searched = search_questions(run, questions)
        scores = {
            name: score_ranking(folder, searched, [changes] * len(searched), penalty)
            for name, (changes, penalty) in list_variants().items()
            if arguments.ablate or name.endswith("alone")
        }
        result |= {"words": scores["lexical alone"], "vectors": scores["semantic alone"]}
        if arguments.ablate:
            result["ablation"] = {name: _flatten(figures) for name, figures in scores.items()}
            print(format_table(result["ablation"]), file=sys.stderr)
        for line in list_worst(searched, arguments.worst):
            print(line, file=sys.stderr)
    print(json.dumps(result))
    return 0


def list_worst(searched: Sequence[SearchedQuestion], count: int) -> list[str]:
    """Return a line for each question with the worst rank of evidence, with the reason that its candidates show."""
    if not count:
        return []
    explained = [(*explain_rank(question), question) for question in searched if question.row["evidence"]]
    explained.sort(key=lambda entry: (-entry[0], str(entry[2].row["id"])))
    return [
        f"{question.row['id']} ({CATEGORIES.get(str(question.row['category']), question.row['category'])}) evidence at "
        f"{rank if rank < NOT_FOUND else 'none'}: {question.row['question']} — {reason}"
        for rank, reason, question in explained[:count]
    ]


def explain_rank(searched: SearchedQuestion) -> tuple[int, str]:
    """Return the rank of a question's best evidence (1,000 when it was not found), and why it is not the first."""
    wanted = {tuple(entry) for entry in searched.row["evidence"]}
    rows, words = searched.candidates.rows, set(searched.question.words)
    ranks = {id(row): rank for rank, row in enumerate(rank_by_weights(searched, AS_OF, NOT_FOUND), 1)}
    evidence = [number for number, row in enumerate(rows) if _cited_entries(row) & wanted]
    if not evidence:
        return NOT_FOUND, "not among the candidates: neither its words nor its vector are near the question's"
    best = min(evidence, key=lambda number: ranks.get(id(rows[number]), LAST_RANK))
    shared = set(rows[best]["terms"]) & words
    if shared:
        reason = f"shares only {', '.join(sorted(shared))}; others have more of the question's words"
    elif any(set(rows[other]["terms"]) & words for other, _ in find_neighbours(rows, [best])[best]):
        reason = "its words are only in the turns around it"
    else:
        reason = "no word of the question in it or around it: the answer has to be inferred"
    return ranks.get(id(rows[best]), LAST_RANK), f"{reason}. Evidence: {' '.join(rows[best]['text'].split())[:160]}"


def _cited_entries(row: RankingRecord) -> set[tuple[Any, ...]]:
    return {(row["session_id"], entry) for entry in row["entry_ids"] or ()}


def write_answers(run: Run, questions: Sequence[QuestionRow], path: Path) -> float:
    """Write the answers to the questions; return the median milliseconds per question."""
    answers = list(ask_batch(open_recall(run), questions, Filters(k=HITS)))
    write_jsonl(path, [answer.as_json() for answer in answers])
    return sorted(answer.took_ms for answer in answers)[len(answers) // 2]


def score_ranking(
    folder: Path,
    searched: Sequence[SearchedQuestion],
    weights: Sequence[Mapping[str, float]],
    session_penalty: float | None = None,
) -> dict[str, Any]:
    """Score the candidates of each question ranked by its own weights."""
    rows = []
    for question, changes in zip(searched, weights, strict=True):
        with changed_weights(changes, session_penalty):
            ranked = rank_by_weights(question, AS_OF, HITS)
        hits = [{"session_id": row["session_id"], "entry_ids": row["entry_ids"] or []} for row in ranked]
        rows.append({"id": question.row["id"], "hits": hits})
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "answers.jsonl"
        write_jsonl(path, rows)
        return score_file(folder, path)


def score_file(folder: Path, answers: Path) -> dict[str, Any]:
    """Score a file of answers with the scorer beside the set's folder."""
    return run_scorer(folder.resolve().parent / "score_retrieval.py", folder / "questions.jsonl", answers)


def _flatten(scores: dict[str, Any]) -> dict[str, float]:
    by_category = {CATEGORIES.get(number, number): share for number, share in scores["r@10_by_category"].items()}
    return {name: scores[name] for name in TABLE_COLUMNS} | by_category


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=SHARED / "bench" / "locomo_dev")
    parser.add_argument("--steps", choices=("turns", "all"), default="turns")
    parser.add_argument("--keep", type=Path, help="write the hybrid answers here")
    parser.add_argument("--ablate", action="store_true", help="also without each ranking feature")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N questions with the worst ranks")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
