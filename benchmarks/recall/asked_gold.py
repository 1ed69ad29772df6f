"""Asks for gold facts that stand in memory as a model's rows, beside the raw turns: is the answer among the first three?

    python -m benchmarks.recall.asked_gold [SHARED]

SHARED has `bench/` (`gold`, `gold_owners`) and `sessions/` (`real`, `owners`). The sessions are distilled offline; the rows of a
gold session are then replaced by its gold facts, which cite their evidence. Keys, per owner and over `all` questions with an
answer: right_in_three and right_in_ten of `ask` within the project (one hit names what the answer must name, by
`score_gold.py`), unanswered; `bm25` and `cosine`, right in three of the project's kept rows by words and by meaning; `refused`,
the share not answered of the questions without an answer. Yesterday's code: run this file in its checkout.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import polars as pl

from benchmarks.arguments import add_shared, load_module, make_parser, report_missing
from benchmarks.distil.gold import find_session
from benchmarks.recall.bm25 import BM25
from benchmarks.recall.retrieval import new_year
from effects.config.settings import Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed
from effects.embedding.embedder import open_embedder
from effects.index.index_step import index
from effects.ingest.ingest_step import ingest
from effects.recall.ask import ask, open_recall
from effects.store.run import Run, open_run
from transforms.recall.types import Filters
from transforms.tables.enums import KINDS
from transforms.tables.ids import hash_fields
from transforms.tables.schema import OBSERVATIONS, build_frame
from transforms.tables.tokens import count_tokens

FIRST, HITS = 3, 10
FOLDERS = {"gold": "real", "gold_owners": "owners"}
"""Folder of gold files, and that of its sessions."""

Row = dict[str, Any]
Holds = Callable[[str, Any], bool]


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    parser = make_parser(__doc__)
    add_shared(parser)
    arguments = parser.parse_args()
    bench, sessions = arguments.shared / "bench", [arguments.shared / "sessions" / name for name in FOLDERS.values()]
    if report_missing([*(bench / name for name in FOLDERS), *sessions]):
        return 1
    holds: Holds = load_module(bench / "score_gold.py").holds
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            sessions=tuple(sessions), lake=Path(folder) / "lake", workspace=Path(folder) / "workspace", timezone="UTC"
        )
        run = open_run(settings, new_year(2027))
        questions = make_memory(run, [path for name in FOLDERS for path in sorted((bench / name).glob("*.gold.json"))])
        scores = list(score_questions(run, questions, holds))
    owners = sorted({score["owner"] for score in scores})
    result = {owner: average([score for score in scores if score["owner"] == owner]) for owner in owners}
    print(json.dumps({"benchmark": "asked_gold", "all": average(scores), **result}))
    return 0


def make_memory(run: Run, golds: Sequence[Path]) -> list[Row]:
    """Fill the lake and keep the gold facts; return the questions, each with its project and its owner."""
    with run.lake.writing("benchmark"):
        ingest(run)
        window(run)
        distil(run)
        rows: list[Row] = []
        questions: list[Row] = []
        for path in golds:
            gold = json.loads(path.read_bytes())
            session, project = find_session(run, path)
            rows += _make_rows(run, gold, session, project)
            owner = path.name.partition(".")[0].partition("-")[0] if path.parent.name == "gold_owners" else "maintainer"
            questions += [question | {"project": project, "owner": owner} for question in gold["questions"]]
        kept = run.lake.read("observations").drop("schema_version")
        others = kept.filter(~pl.col("session_id").is_in(sorted({row["session_id"] for row in rows})))
        frame = pl.concat([others, build_frame(OBSERVATIONS, rows)], how="diagonal_relaxed")
        with run.lake.commit() as change:
            change.replace_days("observations", frame, sorted({*run.lake.list_days("observations"), *frame["day"]}))
        embed(run)
        index(run)
    return questions


def score_questions(run: Run, questions: Sequence[Row], holds: Holds) -> Iterator[Row]:
    """Yield the scores of each question."""
    recall, embedder, kept = open_recall(run), open_embedder(), run.lake.read("observations")
    texts = {project: kept.filter(pl.col("project") == project)["text"].to_list() for project in sorted(set(kept["project"]))}
    words = {project: BM25(own) for project, own in texts.items()}
    vectors = {project: embedder.embed_documents(own) for project, own in texts.items()}
    for row in questions:
        own, question, keys = texts[row["project"]], row["question"], row["answer_keys"]
        answer = ask(recall, question, Filters(project=row["project"], k=HITS))
        if not row["evidence"]:
            yield {"owner": row["owner"], "refused": float(answer.answer is None)}
            continue
        is_right = [holds(hit.text, keys) for hit in answer.hits]
        orders = {
            "bm25": words[row["project"]].rank(question),
            "cosine": np.argsort(-(vectors[row["project"]] @ embedder.embed_question(question))).tolist(),
        }
        baselines = {name: float(any(holds(own[number], keys) for number in order[:FIRST])) for name, order in orders.items()}
        found = {"right_in_three": float(any(is_right[:FIRST])), "right_in_ten": float(any(is_right))}
        yield {"owner": row["owner"], "questions": 1, **found, "unanswered": float(answer.answer is None), **baselines}


def average(scores: Sequence[Row]) -> dict[str, float]:
    """Return the mean of each figure over the questions that have it, and the number of questions with an answer."""
    names = list(dict.fromkeys(name for score in scores for name in score if name not in ("owner", "questions")))
    means = {name: round(mean(score[name] for score in scores if name in score), 3) for name in names}
    return {"questions": sum(score.get("questions", 0) for score in scores), **means}


def _make_rows(run: Run, gold: Row, session: str, project: str) -> Iterator[Row]:
    entries = run.lake.scan("entries").filter(pl.col("session_id") == session)
    columns = entries.select("entry_id", "line_no", "ordinal", "said_at", "day").collect()
    by_line = {entry["line_no"]: entry for entry in columns.iter_rows(named=True)}
    for fact in gold["facts"]:
        cited = [by_line[line] for line in fact["evidence"] if line in by_line]
        kind = fact["kind"] if fact["kind"] in KINDS else "fact"
        if cited:
            yield {
                "observation_id": "o-" + hash_fields(session, fact["id"]), "segment_id": "", "window_id": "",
                "session_id": session, "project": project, "day": cited[0]["day"], "said_at": cited[0]["said_at"], "kind": kind,
                "priority": fact["priority"], "category": "operations", "origin": "owner", "text": fact["fact"],
                "ordinals": [entry["ordinal"] for entry in cited], "entry_ids": [entry["entry_id"] for entry in cited],
                "lines": [entry["line_no"] for entry in cited], "files": [], "line_numbers": [], "verdict": "allow",
                "verdict_reason": "", "confidence": 0.9, "tokens": count_tokens(fact["fact"]), "engine": "benchmark",
                "template_hash": "", "superseded_by": None, "merged_count": 1, "also": [], "compared_with": None,
                "rests_on": [], "compared_keys": [],
            }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
