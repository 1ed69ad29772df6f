"""Measures whether the facts about a first request are needed: does the session state them again later?

    python -m benchmarks.recall.opening_facts LAKE

For every session with an earlier one in its project, the request is its first typed entry, and the facts are those of the project
from before it. A fact is needed when one later entry of the owner or the agent has at least half of the words of the fact that
the request does not have (three at least). Keys of `recall` (what the opening shows), of the baselines `bm25` (plain BM25 over
the same facts, as many words in common), `bm25_any` (without that minimum) and `newest` (the latest facts), six facts at most:

    shown       mean number of facts
    needed      share of the shown facts that are needed
    any         share of the sessions in which a needed fact was shown
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
from effects.opening import request_recall
from effects.store.run import open_run
from transforms.language.sentences import find_content_words

SHOWN = request_recall.FACTS
MIN_FRESH_WORDS, NEEDED_SHARE = 3, 0.5
CANDIDATES = 400

Row = Mapping[str, Any]


def main() -> int:
    """Run the benchmark; return 1 when there is no lake."""
    arguments = _parse_arguments()
    if not arguments.lake.is_dir():
        print(f"{arguments.lake} is no lake", file=sys.stderr)
        return 1
    request_recall.CANDIDATES = CANDIDATES  # facts of later sessions are ranked, too, and left out here
    run = open_run(Settings(lake=arguments.lake, workspace=arguments.lake.parent / "unused", timezone="UTC"))
    observations, results = run.lake.read("observations"), []
    for session, entries in _list_sessions(run.lake.read("sessions"), run.lake.read("entries")):
        request, later = entries[0], [find_content_words(text) for text in entries[1:]]
        before = observations.filter((pl.col("project") == session["project"]) & (pl.col("said_at") < session["started_at"]))
        known = before.filter(pl.col("kind").is_in(request_recall.KNOWLEDGE_KINDS) & (pl.col("verdict") == "allow"))
        known = known.filter(pl.col("superseded_by").is_null()).sort("said_at", "observation_id", descending=True)
        if known.is_empty():
            continue
        texts = known["text"].to_list()
        recalled = [fact.text for fact in request_recall.recall_for_request(run, session["project"], request, before)]
        ranked = [texts[number] for number in BM25(texts).rank(request)]
        shown = {
            "recall": recalled,
            "bm25": _share_words(ranked, request)[:SHOWN],
            "bm25_any": ranked[:SHOWN],
            "newest": texts[:SHOWN],
        }
        results.append({name: [is_needed(text, request, later) for text in facts] for name, facts in shown.items()})
    print(json.dumps({"benchmark": "opening_facts", "sessions": len(results), **summarise(results)}))
    return 0


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
    return [text for text in ranked if len(find_content_words(text) & words) >= request_recall.MIN_SHARED_WORDS]


def _list_sessions(sessions: pl.DataFrame, entries: pl.DataFrame) -> Iterator[tuple[Row, list[str]]]:
    """Yield each session of an owner with what was said in it, from the first typed entry on."""
    own = sessions.filter(pl.col("is_subagent").not_().fill_null(value=True)).sort("started_at", "session_id")
    said = entries.filter(pl.col("role").is_in(["user", "assistant"]) & ~pl.col("flags").list.contains("copied")).sort("ordinal")
    for session in own.iter_rows(named=True):
        rows = list(said.filter(pl.col("session_id") == session["session_id"]).iter_rows(named=True))
        first = next((at for at, row in enumerate(rows) if row["role"] == "user" and row["turn_kind"] == "typed"), None)
        if first is not None:
            yield session, [row["text"] for row in rows[first:] if row["role"] == "assistant" or row["speaker"] == "owner"]


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("lake", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
