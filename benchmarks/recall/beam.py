"""Measures recall of evidence in long chats: BEAM (Tavakoli et al. 2025), ten chats of 100K tokens in `bench/beam_dev`.

    python -m benchmarks.recall.beam [SHARED] [--steps all] [--keep FILE]

SHARED has `bench/` with `beam_dev/sessions`, `beam_dev/questions.jsonl` and `score_retrieval.py`. Each question is asked within
its own chat (its project). Keys of `recollect` and of the baseline `bm25` (plain BM25 over turns within the chat):
r@5/10/25/50, ndcg@10, session_any@5/10 and r@10_by_category, of `score_retrieval.py`; `refused`, unanswerable questions without
an answer; `wrongly_refused`, share of the others without an answer (BM25 always answers when it finds a turn). `ms_p50` is the
median time of a question. With `--steps all` sessions are distilled first; hits on facts then compete with turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.arguments import add_shared, make_parser, read_jsonl, report_missing, run_scorer, write_jsonl
from benchmarks.recall.bm25 import BM25
from benchmarks.recall.retrieval import make_lake, new_year
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall.ask import ask_batch, open_recall
from effects.store.run import Run
from transforms.recall.types import Filters

AS_OF = new_year(2026)
HITS = 50


def main() -> int:
    """Run the benchmark; return 1 when the set is missing."""
    arguments = _parse_arguments()
    bench: Path = arguments.shared / "bench"
    folder = bench / "beam_dev"
    if report_missing([bench / "score_retrieval.py", folder / "questions.jsonl", folder / "sessions"]):
        return 1
    questions = read_jsonl(folder / "questions.jsonl")
    with tempfile.TemporaryDirectory() as temporary:
        run = make_lake(folder / "sessions", Path(temporary), AS_OF, arguments.steps == "all")
        embed(run)
        index(run)
        answers = list(ask_batch(open_recall(run), questions, Filters(k=HITS)))
        path = arguments.keep or Path(temporary) / "answers.jsonl"
        rows: list[Any] = [answer.as_json() for answer in answers]
        result: dict[str, Any] = {"benchmark": "beam", "steps": arguments.steps, "questions": len(questions)}
        result["ms_p50"] = sorted(answer.took_ms for answer in answers)[len(answers) // 2]
        result["recollect"] = score(bench, folder, questions, rows, path)
        result["bm25"] = score(bench, folder, questions, answer_by_bm25(run, questions), Path(temporary) / "bm25.jsonl")
    print(json.dumps(result))
    return 0


def answer_by_bm25(run: Run, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rank the turns of each question's chat by plain BM25."""
    projects = run.lake.scan("sessions").select("session_id", "project")
    entries = run.lake.scan("entries").filter(pl.col("role").is_in(["user", "assistant"]) & (pl.col("text") != ""))
    turns = entries.join(projects, on="session_id").sort("session_id", "ordinal").collect()
    chats = {str(key): frame.to_dicts() for (key,), frame in turns.partition_by("project", as_dict=True).items()}
    indexes = {project: BM25([turn["text"] for turn in chat]) for project, chat in chats.items()}
    rows = []
    for question in questions:
        chat = chats[question["project"]]
        ranked = [chat[number] for number in indexes[question["project"]].rank(question["question"])[:HITS]]
        hits = [{"session_id": turn["session_id"], "entry_ids": [turn["entry_id"]]} for turn in ranked]
        rows.append({"id": question["id"], "hits": hits, "answer": ranked[0]["text"] if ranked else None})
    return rows


def score(
    bench: Path, folder: Path, questions: Sequence[dict[str, Any]], answers: list[dict[str, Any]], path: Path
) -> dict[str, Any]:
    """Score the hits with the set's scorer, and count refusals."""
    write_jsonl(path, answers)
    text = {row["id"]: row["answer"] for row in answers}
    absent = [not text[question["id"]] for question in questions if question["negative"]]
    present = [not text[question["id"]] for question in questions if not question["negative"]]
    scores = run_scorer(bench / "score_retrieval.py", folder / "questions.jsonl", path)
    return scores | {
        "refused": f"{sum(absent)}/{len(absent)}",
        "wrongly_refused": round(sum(present) / max(len(present), 1), 4),
    }


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--steps", choices=("turns", "all"), default="turns")
    parser.add_argument("--keep", type=Path, help="write the answers here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
