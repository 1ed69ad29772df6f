"""Measures memory and recall on the sessions of four owners (`sessions/owners`, `bench/gold_owners`) with the gold scorer.

    python -m benchmarks.distil.owners [SHARED] [--budget 0.05] [--exports FOLDER]

SHARED has `bench/` (with `score_gold.py`) and `sessions/`. Runs the nightly steps up to the index in a temporary lake, exports
tier 0 of each gold session and asks its questions. Keys, as means over the gold files, and per file in `sessions`:

    important, all     share of the important facts (null in a session without any) and of all facts that a row cites
    useful             share of rows that express a gold fact
    traps_kept         traps (text that must not be remembered) that a row expresses, "kept/all"; a sum
    answerable@10      share of questions whose ten first hits contain what the answer must name
    wrongly_refused    share of answerable questions without an answer
    refused            unanswerable questions without an answer, "refused/all"; a sum
    tokens             tokens of the export; a sum

`baselines` has the same keys for all typed text of a session, and for all user and assistant text, cut into rows of the length
that the scorer reads; their hits come from plain BM25, which refuses only when no row shares a word. FOLDER gets what was scored,
that of the baselines in `typed` and `spoken`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import polars as pl

from benchmarks.arguments import add_budget, add_shared, load_module, make_parser, report_missing, write_jsonl
from benchmarks.distil.gold import find_session
from benchmarks.recall.bm25 import BM25
from effects.config.settings import DistilSettings, Settings
from effects.recall import export_rows
from effects.recall.ask import ask_batch, open_recall
from effects.store.run import Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from transforms.recall.documents import split_pieces
from transforms.recall.types import Filters

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
HITS = 10
SHARES = {
    "important": "cited_high",
    "all": "cited_all",
    "useful": "useful",
    "answerable@10": "answerable@10",
    "wrongly_refused": "refused_wrongly",
}
"""Keys of this benchmark that are means, with the scorer's keys."""
SUMS = {"traps_kept": "junk", "refused": "negatives_refused"}
"""Keys that are sums of "part/all"."""

Scores = dict[str, Any]


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    bench, sessions = arguments.shared / "bench", arguments.shared / "sessions" / "owners"
    if report_missing([bench / "score_gold.py", bench / "gold_owners", sessions]):
        return 1
    scorer = load_module(bench / "score_gold.py")
    golds = sorted((bench / "gold_owners").glob("*.gold.json"))
    with tempfile.TemporaryDirectory() as temporary:
        run = _run_nightly(Path(temporary), sessions, arguments.budget)
        folder = arguments.exports or Path(temporary) / "exports"
        scores = {gold.name.removesuffix(".gold.json"): _score_session(run, scorer, gold, folder) for gold in golds}
        typed = [_score_baseline(run, scorer, gold, folder / "typed", is_typed) for gold in golds]
        spoken = [_score_baseline(run, scorer, gold, folder / "spoken", is_spoken) for gold in golds]
    result = {"benchmark": "owners", "budget": arguments.budget, **average(list(scores.values())), "sessions": scores}
    result["baselines"] = {"all_typed_text": average(typed), "all_user_and_assistant_text": average(spoken)}
    print(json.dumps(result))
    return 0


def is_typed(entry: dict[str, Any]) -> bool:
    """Whether the owner typed an entry."""
    return entry["role"] == "user" and entry["turn_kind"] == "typed"


def is_spoken(entry: dict[str, Any]) -> bool:
    """Whether an entry is a message of the user or the assistant."""
    return entry["role"] in ("user", "assistant")


def average(scores: list[Scores]) -> Scores:
    """Return the means and sums over sessions; a session without important facts has no share of them."""
    known = {key: [figures[key] for figures in scores if figures[key] is not None] for key in SHARES}
    result: Scores = {key: round(mean(shares), 4) if shares else None for key, shares in known.items()}
    for key in SUMS:
        parts = [tuple(map(int, figures[key].split("/"))) for figures in scores]
        result[key] = f"{sum(part for part, _ in parts)}/{sum(total for _, total in parts)}"
    return result | {"tokens": sum(figures["tokens"] for figures in scores)}


def _run_nightly(folder: Path, sessions: Path, budget: float) -> Run:
    settings = Settings(
        sessions=(sessions,),
        lake=folder / "lake",
        workspace=folder / "workspace",
        timezone="UTC",
        distil=DistilSettings(budget=budget),
    )
    run = open_run(settings, AS_OF)
    with run.lake.writing("owners benchmark"):
        for step in NIGHTLY_STEPS:
            step(run)
    return run


def _score_session(run: Run, scorer: ModuleType, gold: Path, folder: Path) -> Scores:
    content = json.loads(gold.read_bytes())
    session_id, _ = find_session(run, gold)
    answers = ask_batch(open_recall(run), content["questions"], Filters(k=HITS))
    rows = export_rows.select_export_rows(run.lake, session=session_id)
    return _score(scorer, gold, folder, rows, (answer.as_json() for answer in answers), session_id)


def _score_baseline(run: Run, scorer: ModuleType, gold: Path, folder: Path, is_kept: Callable[[dict[str, Any]], bool]) -> Scores:
    """Score the texts of the entries that `is_kept` accepts: as rows, and as hits of BM25."""
    content = json.loads(gold.read_bytes())
    session_id, _ = find_session(run, gold)
    entries = run.lake.scan("entries").filter(pl.col("session_id") == session_id).sort("ordinal").collect()
    rows = [
        {"id": f"{entry['entry_id']}-{number}", "source": "entry", "text": piece, "lines": [entry["line_no"]]}
        for entry in entries.iter_rows(named=True)
        if is_kept(entry)
        for number, piece in enumerate(split_pieces(entry["text"] or "", scorer.CHARS))
    ]
    bm25 = BM25([str(row["text"]) for row in rows])
    answers = []
    for question in content["questions"]:
        hits = [rows[number] for number in bm25.rank(question["question"])[:HITS]]
        answers.append({"id": question["id"], "hits": hits, "answer": hits[0]["text"] if hits else None})
    return _score(scorer, gold, folder, rows, answers, session_id)


def _score(scorer: ModuleType, gold: Path, folder: Path, rows: Iterable[Any], answers: Iterable[Any], session_id: str) -> Scores:
    name = gold.name.removesuffix(".gold.json")
    folder.mkdir(parents=True, exist_ok=True)
    export, written = folder / f"{name}.export.jsonl", folder / f"{name}.answers.jsonl"
    write_jsonl(export, list(rows))
    write_jsonl(written, list(answers))
    with contextlib.redirect_stdout(io.StringIO()) as output:
        scorer.main(str(gold), str(export), str(written), session_id)
    scores = json.loads(output.getvalue())
    if not scores["facts_high"]:  # the scorer counts 0 of 0 as 0
        scores[SHARES["important"]] = None
    return {key: scores[theirs] for key, theirs in (SHARES | SUMS | {"tokens": "tokens"}).items()}


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    add_budget(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
