"""Measures whether the facts about a first request are needed: does the session state them again later?

    python -m benchmarks.recall.opening_facts LAKE

For every session with an earlier one in its project, the request is its first typed entry, and the facts are those of the project
from before it. A fact is needed when one later entry of the owner or the agent has at least half of the words of the fact that
the request does not have (three at least). Keys of `opening` (what the opening shows), of the baselines `bm25` (plain BM25 over
the same facts, two words in common), `bm25_any` (without that minimum), `newest` (the latest facts) and `spread` (facts at
equal distances, as good as any), six facts at most:

    shown       mean number of facts
    needed      share of the shown facts that are needed
    any         share of the sessions in which a needed fact was shown
    foreign     mean number of facts for the same requests from other owners' projects: what a request without matter gets

`needed` tells little while `spread` is as good as the others: what a long session says, it says about everything.
`request_facts.py` asks for facts that hold an answer.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from benchmarks.arguments import make_parser
from benchmarks.recall.bm25 import BM25
from effects.config.settings import Settings
from effects.store.run import open_run
from transforms.language.sentences import find_content_words
from transforms.opening.fact_sheet import FACTS, build_fact_sheet, find_request_lines
from transforms.opening.request_facts import LEFT_OUT_KINDS

MIN_FRESH_WORDS, NEEDED_SHARE, MIN_SHARED_WORDS = 3, 0.5, 2
MIN_FOREIGN_FACTS = 30
"""Projects with fewer facts say nothing about requests of others."""

Row = Mapping[str, Any]


def main() -> int:
    """Run the benchmark; return 1 when there is no lake."""
    arguments = _parse_arguments()
    if not arguments.lake.is_dir():
        print(f"{arguments.lake} is no lake", file=sys.stderr)
        return 1
    run = open_run(Settings(lake=arguments.lake, workspace=arguments.lake.parent / "unused", timezone="UTC"))
    known, results, foreign = read_known(run.lake.read("observations")), [], []
    for session, entries in _list_sessions(run.lake.read("sessions"), run.lake.read("entries")):
        request, later = entries[0], [find_content_words(text) for text in entries[1:]]
        before = known.filter((pl.col("project") == session["project"]) & (pl.col("said_at") < session["started_at"]))
        for project, rows in known.group_by("project", maintain_order=True):
            if rows.height >= MIN_FOREIGN_FACTS and _name_owner(str(project[0])) != _name_owner(session["project"]):
                foreign.append({name: len(texts) for name, texts in choose_facts(rows["text"].to_list(), request).items()})
        if not before.is_empty():
            shown = choose_facts(before["text"].to_list(), request)
            results.append({name: [is_needed(text, request, later) for text in facts] for name, facts in shown.items()})
    summary = summarise(results)
    for name, figures in summary.items():
        figures["foreign"] = round(mean(counts[name] for counts in foreign), 2) if foreign else 0.0
    print(json.dumps({"benchmark": "opening_facts", "sessions": len(results), **summary}))
    return 0


def read_known(observations: pl.DataFrame) -> pl.DataFrame:
    """Return the facts that hold and state something, newest first."""
    is_known = ~pl.col("kind").is_in(LEFT_OUT_KINDS) & (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    return observations.filter(is_known).sort("said_at", "observation_id", descending=True)


def choose_facts(texts: Sequence[str], request: str) -> dict[str, list[str]]:
    """Return the facts that each way chooses for a request; the texts are newest first."""
    ranked = [texts[number] for number in BM25(texts).rank(request)]
    names = [str(number) for number in range(len(texts))]
    step = max(1, len(texts) // FACTS)
    return {
        "opening": find_request_lines(build_fact_sheet("", names, names, dict(zip(names, texts, strict=True)), texts), request),
        "bm25": _share_words(ranked, request)[:FACTS],
        "bm25_any": ranked[:FACTS],
        "newest": list(texts[:FACTS]),
        "spread": list(texts[::step][:FACTS]),
    }


def is_needed(fact: str, request: str, later: Sequence[frozenset[str]]) -> bool:
    """Whether one of the later entries (their content words) has half of the words of a fact that its request lacks."""
    fresh = find_content_words(fact) - find_content_words(request)
    return len(fresh) >= MIN_FRESH_WORDS and any(len(fresh & words) >= NEEDED_SHARE * len(fresh) for words in later)


def summarise(results: Sequence[Mapping[str, Sequence[bool]]]) -> dict[str, dict[str, float]]:
    """Return the figures of each way to choose facts."""
    summary = {}
    for name in results[0] if results else ():
        shown = [needed for result in results for needed in result[name]]
        summary[name] = {
            "shown": round(mean(len(result[name]) for result in results), 2),
            "needed": round(mean(shown), 3) if shown else 0.0,
            "any": round(mean(any(result[name]) for result in results), 3),
        }
    return summary


def _share_words(ranked: Sequence[str], request: str) -> list[str]:
    words = find_content_words(request)
    return [text for text in ranked if len(find_content_words(text) & words) >= MIN_SHARED_WORDS]


def _name_owner(project: str) -> str:
    """Return the part of a path that names its owner: `/Users/NAME` or `/home/NAME`."""
    return "/".join(project.split("/")[:3])


def _list_sessions(sessions: pl.DataFrame, entries: pl.DataFrame) -> Iterator[tuple[Row, list[str]]]:
    """Yield each session of an owner with what was said in it, from the first typed entry on."""
    own = sessions.filter(pl.col("is_subagent").not_().fill_null(value=True)).sort("started_at", "session_id")
    kept_entries = entries.filter(pl.col("role").is_in(["user", "assistant"]) & ~pl.col("flags").list.contains("copied")).sort(
        "ordinal"
    )
    for session in own.iter_rows(named=True):
        rows = list(kept_entries.filter(pl.col("session_id") == session["session_id"]).iter_rows(named=True))
        first = next((at for at, row in enumerate(rows) if row["role"] == "user" and row["turn_kind"] == "typed"), None)
        if first is not None:
            yield session, [row["text"] for row in rows[first:] if row["role"] == "assistant" or row["speaker"] == "owner"]


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("lake", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
