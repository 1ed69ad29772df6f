"""Measures the facts of a first request by questions with known answers: the gold questions, asked as a session's first request.

    python -m benchmarks.recall.request_facts LAKE [SHARED] [--set gold|beam]

LAKE holds a night over the sessions of the set (`sessions/real` and `sessions/owners` of SHARED, or `bench/beam_dev/sessions`). A
question chooses among the facts of its project. Keys of `opening` (what the opening shows) and of its baselines (see
`opening_facts.py`), six facts at most:

    shown       mean number of facts
    answered    share of the questions whose facts hold what the answer must name (gold), or cite its evidence (beam)
    evidence    share of the shown facts that cite the evidence of their question
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from benchmarks.arguments import add_shared, load_module, make_parser, read_jsonl, report_missing
from benchmarks.recall.opening_facts import choose_facts, read_known
from effects.config.settings import Settings
from effects.store.lake import Lake
from effects.store.run import open_run

NEAR_LINES = 3
"""Distance at which a cited line counts as evidence, as in the scorer."""

Citations = Set[tuple[str, str]]
"""Session and id of entries."""


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """A question with an answer: its project, what the answer must name (empty for beam), and the entries of its evidence."""

    project: str
    text: str
    keys: list[list[str]]
    evidence: Citations


def main() -> int:
    """Run the benchmark; return 1 when there is no lake or no set."""
    arguments = _parse_arguments()
    bench: Path = arguments.shared / "bench"
    if report_missing([arguments.lake, bench / "score_gold.py", bench / "gold", bench / "gold_owners", bench / "beam_dev"]):
        return 1
    run = open_run(Settings(lake=arguments.lake, workspace=arguments.lake.parent / "unused", timezone="UTC"))
    holds = load_module(bench / "score_gold.py").holds
    known = read_known(run.lake.read("observations"))
    results: dict[str, list[tuple[int, bool, int]]] = defaultdict(list)
    requests = list(read_gold(run.lake, bench) if arguments.set == "gold" else read_beam(bench))
    for request in requests:
        rows = known.filter(pl.col("project") == request.project).unique("text", keep="first", maintain_order=True)
        if rows.is_empty():
            continue
        cited = {row["text"]: {(row["session_id"], entry) for entry in row["entry_ids"]} for row in rows.iter_rows(named=True)}
        for name, texts in choose_facts(rows["text"].to_list(), request.text).items():
            hits = sum(not request.evidence.isdisjoint(cited[text]) for text in texts)
            is_answered = holds("\n".join(texts), request.keys) if request.keys else hits > 0
            results[name].append((len(texts), is_answered, hits))
    figures = {name: _summarise(rows) for name, rows in results.items()}
    print(json.dumps({"benchmark": "request_facts", "set": arguments.set, "questions": len(requests), **figures}))
    return 0


def read_gold(lake: Lake, bench: Path) -> Iterator[AskedRequest]:
    """Yield the gold questions that have an answer."""
    sessions = list(lake.read("sessions").iter_rows(named=True))
    entries = lake.read("entries").select("session_id", "entry_id", "line_no")
    for path in sorted([*(bench / "gold").glob("*.gold.json"), *(bench / "gold_owners").glob("*.gold.json")]):
        gold: dict[str, Any] = json.loads(path.read_bytes())
        name = str(gold.get("file") or gold["session"])
        session: Mapping[str, Any] = next(row for row in sessions if name in row["source_path"])
        lines = list(entries.filter(pl.col("session_id") == session["session_id"]).iter_rows())
        for question in gold["questions"]:
            near = {(s, entry) for s, entry, line in lines if any(abs(line - at) <= NEAR_LINES for at in question["evidence"])}
            if question["evidence"]:
                yield AskedRequest(session["project"], question["question"], question["answer_keys"], near)


def read_beam(bench: Path) -> Iterator[AskedRequest]:
    """Yield the questions about long chats that have an answer."""
    for row in read_jsonl(bench / "beam_dev" / "questions.jsonl"):
        if not row["negative"]:
            yield AskedRequest(row["project"], row["question"], [], {(session, entry) for session, entry in row["evidence"]})


def _summarise(rows: list[tuple[int, bool, int]]) -> dict[str, float]:
    shown = sum(count for count, _, _ in rows)
    answered = mean(is_answered for _, is_answered, _ in rows)
    evidence = sum(hits for _, _, hits in rows) / max(shown, 1)
    return {"shown": round(shown / len(rows), 2), "answered": round(answered, 3), "evidence": round(evidence, 3)}


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("lake", type=Path)
    add_shared(parser)
    parser.add_argument("--set", choices=("gold", "beam"), default="gold", help="whose questions (default: gold)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
