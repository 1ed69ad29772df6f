"""Measures recall on coding sessions: the gold sessions are distilled and the gold questions of `bench/gold` are asked.

    python -m benchmarks.recall.gold_recall [--bench FOLDER] [--sessions FOLDER] [--ablate] [--worst 20]

Keys, as means and per session in `sessions`: evidence@1/5/10 (a hit cites a line within 3 of the gold evidence) and
answerable@5/10 (the hits contain what the answer must name), counted by `score_gold.py`; per session also answered,
refused_wrongly and negatives_refused. `--ablate` adds the same without each ranking feature, and words and vectors alone as
baselines. Tables go to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.arguments import add_bench, add_sessions, make_parser, report_missing, run_scorer, write_jsonl
from benchmarks.distil.gold import find_session
from benchmarks.recall.retrieval import (
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
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Filters

AS_OF = new_year(2027)
HITS = 10
NOT_FOUND = 1_000
NEAR_LINES, CITED_LINES = 3, 8
"""Distance at which a cited line counts as evidence, and cited lines that count, as in the scorer."""
MEANS = ("evidence@1", "evidence@5", "evidence@10", "answerable@5", "answerable@10")

Searched = dict[Path, list[SearchedQuestion]]
"""The searched questions of each gold file."""


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    if report_missing([arguments.bench / "gold", arguments.sessions]):
        return 1
    golds = {path: json.loads(path.read_bytes()) for path in sorted((arguments.bench / "gold").glob("*.gold.json"))}
    with tempfile.TemporaryDirectory() as temporary:
        run = make_lake(arguments.sessions, Path(temporary), AS_OF, is_distilled=True)
        embed(run)
        index(run)
        scores = {
            path.name.partition(".")[0]: score_answers(run, arguments.bench, path, ask_questions(run, gold["questions"]))
            for path, gold in golds.items()
        }
        searched = {path: search_questions(run, gold["questions"]) for path, gold in golds.items()}
        result: dict[str, Any] = {"benchmark": "gold_recall", **_average(list(scores.values())), "sessions": scores}
        if arguments.ablate:
            result["ablation"] = {
                name: _score_variant(run, arguments.bench, searched, *variant) for name, variant in list_variants().items()
            }
            print(format_table(result["ablation"]), file=sys.stderr)
        for line in list_worst(searched, arguments.worst):
            print(line, file=sys.stderr)
    print(json.dumps(result))
    return 0


def list_worst(searched: Searched, count: int) -> list[str]:
    """Return a line for each question with the worst rank of evidence: its leading hit, and the words that evidence shares."""
    if not count:
        return []
    ranked = []
    for path, questions in searched.items():
        for question in (question for question in questions if question.row["evidence"]):
            rows = rank_by_weights(question, AS_OF, NOT_FOUND)
            ranks = [rank for rank, row in enumerate(rows, 1) if _is_evidence(row, question.row["evidence"])]
            name = f"{path.name.partition('.')[0]} {question.row['id']}"
            ranked.append((ranks[0] if ranks else NOT_FOUND, name, question, rows))
    ranked.sort(key=lambda entry: (-entry[0], entry[1]))
    return [_describe_rank(*entry) for entry in ranked[:count]]


def _describe_rank(rank: int, name: str, question: SearchedQuestion, rows: Sequence[RankingRecord]) -> str:
    first = f"{rows[0]['source']}: {' '.join(rows[0]['text'].split())[:120]}" if rows else "nothing"
    shared = set(rows[rank - 1]["terms"]) & set(question.question.words) if rank <= len(rows) else set()
    reason = f"the evidence shares {', '.join(sorted(shared)) or 'no word'}" if rank < NOT_FOUND else "not among the candidates"
    place = rank if rank < NOT_FOUND else "none"
    return f"{name} evidence at {place}: {question.row['question']} — {reason}; first {first}"


def _is_evidence(row: RankingRecord, evidence: Sequence[int]) -> bool:
    return any(abs(line - other) <= NEAR_LINES for line in (row["lines"] or ())[:CITED_LINES] for other in evidence)


def ask_questions(run: Run, questions: Sequence[dict[str, Any]]) -> list[Any]:
    """Return the answers of `recollect ask --batch` as JSON rows."""
    return [answer.as_json() for answer in ask_batch(open_recall(run), questions, Filters(k=HITS))]


def _score_variant(
    run: Run, bench: Path, searched: Searched, changes: dict[str, float], session_penalty: float | None
) -> dict[str, float]:
    with changed_weights(changes, session_penalty):
        return _average(
            [
                score_answers(run, bench, path, [_rank_as_answer(question) for question in questions])
                for path, questions in searched.items()
            ]
        )


def _rank_as_answer(question: SearchedQuestion) -> dict[str, Any]:
    hits = [
        {"text": row["text"], "lines": row["lines"] or [], "session_id": row["session_id"]}
        for row in rank_by_weights(question, AS_OF, HITS)
    ]
    return {"id": question.row["id"], "hits": hits, "answer": None}


def score_answers(run: Run, bench: Path, gold: Path, answers: list[Any]) -> dict[str, Any]:
    """Score answers to a gold file's questions; only hits of its own session count."""
    with tempfile.TemporaryDirectory() as folder:
        export, written = Path(folder) / "export.jsonl", Path(folder) / "answers.jsonl"
        write_jsonl(export, [])
        write_jsonl(written, answers)
        scores = run_scorer(bench / "score_gold.py", gold, export, written, find_session(run, gold)[0])
    return {key: scores[key] for key in (*MEANS, "answered", "refused_wrongly", "negatives_refused")}


def _average(scores: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {key: round(mean(figures[key] for figures in scores), 4) for key in MEANS}


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_bench(parser)
    add_sessions(parser)
    parser.add_argument("--ablate", action="store_true", help="also without each ranking feature")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N questions with the worst ranks")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
