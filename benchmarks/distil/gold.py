"""Measures memory on the gold sessions: what tier 0 keeps of each at a budget, scored by the gold set's own scorer.

    python -m benchmarks.distil.gold [--bench FOLDER] [--sessions FOLDER] [--budget 0.05] [--exports FOLDER]

Ingests, windows, distils and deduplicates `sessions/real` in a temporary lake and scores the export of each session that has a
gold file in `bench/gold`. Keys: cited_high, cited_all, retained_high, useful and compression as means; per session in
`sessions` all figures of `score_gold.py` and the compression (tokens of the session by tokens of the export); `counts` of
distilling. The README of the bench has the baselines: typed user text, a cue-word heuristic, all text.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from benchmarks.arguments import add_bench, add_budget, add_sessions, make_parser, report_missing, run_scorer, write_jsonl
from effects.config.settings import DistilSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.memory.dedupe_step import dedupe
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.conversation.entries import build_entries
from transforms.distil.window_budget import count_serialized_tokens

MEANS = ("cited_high", "cited_all", "retained_high", "useful", "compression")
AS_OF = datetime(2026, 12, 1, tzinfo=UTC)


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    if report_missing([arguments.bench / "gold", arguments.sessions]):
        return 1
    with tempfile.TemporaryDirectory() as folder:
        run = _open_run(Path(folder), arguments.sessions, arguments.budget)
        counts = distil_sessions(run)
        exports = arguments.exports or Path(folder)
        exports.mkdir(parents=True, exist_ok=True)
        golds = sorted((arguments.bench / "gold").glob("*.gold.json"))
        scores = {gold.name.removesuffix(".gold.json"): score_session(run, arguments.bench, gold, exports) for gold in golds}
    means = {key: round(mean(figures[key] for figures in scores.values()), 4) for key in MEANS}
    print(json.dumps({"benchmark": "gold", "budget": arguments.budget, **means, "sessions": scores, "counts": counts}))
    return 0


def distil_sessions(run: Run) -> dict[str, Any]:
    """Run the nightly steps up to the marks of superseded facts; return the counts of `distil`."""
    with run.lake.writing("gold benchmark"):
        ingest(run)
        window(run)
        counts = distil(run)
        dedupe(run)
        return dict(counts)


def export_session(lake: Lake, session_id: str) -> list[dict[str, Any]]:
    """Return the facts and narratives kept of a session, as rows of the scorer."""
    is_own = pl.col("session_id") == session_id
    is_current = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    facts = lake.scan("observations").filter(is_own & is_current).collect()
    rows: list[dict[str, Any]] = [
        {"id": row["observation_id"], "source": "observation", "kind": row["kind"], "text": row["text"], "lines": row["lines"]}
        for row in facts.sort("observation_id").iter_rows(named=True)
    ]
    rows += [
        {
            "id": row["segment_id"],
            "source": "segment",
            "text": f"{row['title']}\n{row['narrative']}",
            "lines": row["lines"],
            "first_line": row["first_line"],
            "last_line": row["last_line"],
        }
        for row in lake.scan("segments").filter(is_own).sort("first_line").collect().iter_rows(named=True)
    ]
    return rows


def find_session(run: Run, gold: Path) -> tuple[str, str]:
    """Return the session of a gold file and its project, by the gold's name or the file that it names; end where none is."""
    name, file = gold.name.removesuffix(".gold.json"), json.loads(gold.read_bytes()).get("file")
    is_own = pl.col("source_path").str.contains(name, literal=True)
    if file:
        is_own |= pl.col("source_path").str.ends_with(file)
    sources = run.lake.scan("sessions").filter(is_own).select("session_id", "project").collect()
    if sources.height != 1:
        raise SystemExit(f"{name}: {sources.height} sessions were read, one was expected; see `sources` and `quarantine`")
    session, project = sources.row(0)
    return session, project


def score_session(run: Run, bench: Path, gold: Path, exports: Path) -> dict[str, Any]:
    """Return the scorer's figures for what a run kept of the session of a gold file, with its compression."""
    name, (session_id, _) = gold.name.removesuffix(".gold.json"), find_session(run, gold)
    path = exports / f"{name}.{run.settings.distil.budget:g}.jsonl"
    write_jsonl(path, export_session(run.lake, session_id))
    scores = run_scorer(bench / "score_gold.py", gold, path)
    entries = build_entries(run.lake.scan("entries").filter(pl.col("session_id") == session_id).collect())
    return scores | {"compression": round(count_serialized_tokens(entries) / max(scores["tokens"], 1), 1)}


def _open_run(folder: Path, sessions: Path, budget: float) -> Run:
    settings = Settings(
        sessions=(sessions,),
        lake=folder / "lake",
        workspace=folder / "workspace",
        timezone="UTC",
        distil=DistilSettings(budget=budget),
    )
    return Run(settings, Lake(settings.lake), AS_OF)


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_bench(parser)
    add_sessions(parser)
    add_budget(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
