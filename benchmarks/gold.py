"""Memory quality on real sessions: what tier 0 keeps of each gold session at a budget, scored by the gold set's own scorer.

    python benchmarks/gold.py [--bench FOLDER] [--sessions FOLDER] [--budget 0.05] [--exports FOLDER]

Reads, windows, distils and dedupes the sessions in a temporary lake and writes export rows per session. Prints one JSON line:
per session the scorer's numbers and the compression, and their means. Without the sets it says so and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import polars as pl

from effects.config.settings import DistilSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.memory.dedupe_step import dedupe
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.conversation.entries import entries_of
from transforms.distil.window_budget import count_serialized_tokens

SHARED = Path(__file__).resolve().parents[2] / "shared"
MEANS = ("cited_high", "cited_all", "retained_high", "useful", "compression")


def main() -> int:
    """Runs the benchmark; 1 when a set is missing."""
    arguments = _arguments()
    golds = sorted((arguments.bench / "gold").glob("*.gold.json"))
    if not golds or not arguments.sessions.is_dir():
        print(f"no gold set in {arguments.bench / 'gold'} or no sessions in {arguments.sessions}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        run = _run(Path(folder), arguments.sessions, arguments.budget)
        counts = distil_all(run)
        exports = arguments.exports or Path(folder)
        exports.mkdir(parents=True, exist_ok=True)
        found = {
            name: _score(run, arguments.bench, gold, name, exports) for gold in golds if (name := gold.name[: -len(".gold.json")])
        }
    means = {key: round(mean(one[key] for one in found.values()), 4) for key in MEANS}
    print(json.dumps({"benchmark": "gold", "budget": arguments.budget, **means, "sessions": found, "counts": counts}))
    return 0


def distil_all(run: Run) -> dict[str, Any]:
    """The night's steps up to what a user sees of a session: what a later fact replaced is marked. The counts of `distil`."""
    with run.lake.writing("gold benchmark"):
        ingest(run)
        window(run)
        counts = distil(run)
        dedupe(run)
        return counts


def export_rows(lake: Lake, session_id: str) -> list[dict[str, Any]]:
    """What tier 0 keeps of a session, as `recollect export` prints it."""
    mine = pl.col("session_id") == session_id
    facts = lake.scan("observations").filter(mine & (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()).collect()
    rows: list[dict[str, Any]] = [
        {"id": row["observation_id"], "source": "observation", "kind": row["kind"], "text": row["text"], "lines": row["lines"]}
        for row in facts.sort("observation_id").iter_rows(named=True)
    ]
    for row in lake.scan("segments").filter(mine).sort("first_line").collect().iter_rows(named=True):
        text = f"{row['title']}\n{row['narrative']}"
        place = {"lines": row["lines"], "first_line": row["first_line"], "last_line": row["last_line"]}
        rows.append({"id": row["segment_id"], "source": "segment", "text": text, **place})
    return rows


def _score(run: Run, bench: Path, gold: Path, name: str, exports: Path) -> dict[str, Any]:
    sources = run.lake.scan("sessions").filter(pl.col("source_path").str.contains(name, literal=True)).collect()
    if sources.height != 1:
        raise SystemExit(f"{name}: {sources.height} sessions were read, one was expected; see `sources` and `quarantine`")
    session_id = sources["session_id"].item()
    rows = export_rows(run.lake, session_id)
    path = exports / f"{name}.{run.settings.distil.budget:g}.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    told = subprocess.run([sys.executable, bench / "score_gold.py", gold, path], capture_output=True, text=True, check=True)
    entries = entries_of(run.lake.scan("entries").filter(pl.col("session_id") == session_id).collect())
    scores: dict[str, Any] = json.loads(told.stdout)
    return scores | {"compression": round(count_serialized_tokens(entries) / scores["tokens"], 1)}


def _run(folder: Path, sessions: Path, budget: float) -> Run:
    settings = Settings(
        sessions=(sessions,),
        lake=folder / "lake",
        workspace=folder / "workspace",
        timezone="UTC",
        distil=DistilSettings(budget=budget),
    )
    return Run(settings, Lake(settings.lake), datetime(2026, 12, 1, tzinfo=UTC))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Memory quality on real sessions.")
    parser.add_argument("--bench", type=Path, default=SHARED / "bench")
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions" / "real")
    parser.add_argument("--budget", type=float, default=0.05)
    parser.add_argument("--exports", type=Path, default=None, help="where export rows are left for reading")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
