"""Measures a model as the observer on annotated sessions of owners: facts cited, useful rows, traps, and what the checks stopped.

    python -m benchmarks.model.observer ANSWERS [SHARED] [--only NAME …] [--stopped FILE] [--lost FILE]

SHARED has `bench/gold_owners` and `sessions/owners`. Each owner has a lake of their own, because who spoke is judged over the
lake. Requests wait in ANSWERS/requests until a reader, who knows no gold, has written their answers
(`benchmarks/model/waiting_server.py`). Later windows of a session show what the earlier ones yielded, and facts are read a
second time, as in a night. Answers stay: after a change of the checks the next call asks only what is new.

Keys: `model`, `offline` (the offline engine on the same sessions) and `typed` (a row per typed paragraph), each with the means of
cited_high, cited_all, retained_high and useful, the number of high facts cited, and traps kept of all; `sessions` per name;
`verdicts` and `reasons` of the model's facts, `requests` and `tokens`. `--stopped FILE` lists the facts that were not allowed,
each with whether it expresses an annotated fact; `--lost FILE` the high facts that no row cites. Both hold words of people.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import polars as pl

from benchmarks.arguments import add_shared, load_module, make_parser, report_missing, run_scorer, write_jsonl
from benchmarks.distil.gold import AS_OF, export_session
from benchmarks.memory.season_model import build_engine
from benchmarks.model.waiting_server import Waiting, serve_waiting
from effects.config.settings import EngineSettings, Settings
from effects.distil.attribute_step import attribute
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.memory.dedupe_step import dedupe
from effects.store.lake import Lake
from effects.store.run import Run

STEPS = (ingest, attribute, window, distil, dedupe)
MEANS = ("cited_high", "cited_all", "retained_high", "useful")
Gold = dict[str, Any]
Owners = dict[str, dict[str, Gold]]
"""Owner → name of a session → its annotation."""
Rows = dict[str, list[dict[str, Any]]]
"""Session → its rows for the scorer."""


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    bench, sessions = arguments.shared / "bench", arguments.shared / "sessions" / "owners"
    if report_missing([bench / "gold_owners", sessions]):
        return 1
    paths = {path.name.partition(".")[0]: path for path in sorted((bench / "gold_owners").glob("*.gold.json"))}
    paths = {name: path for name, path in paths.items() if not arguments.only or name in arguments.only}
    golds: dict[str, Gold] = {name: json.loads(path.read_bytes()) for name, path in paths.items()}
    scorer = load_module(bench / "score_gold.py")
    owners: defaultdict[str, dict[str, Gold]] = defaultdict(dict)
    for name, gold in golds.items():
        owners[name.partition("-")[0]][name] = gold
    with tempfile.TemporaryDirectory() as folder:
        with serve_waiting(arguments.answers) as waiting, ThreadPoolExecutor(len(owners)) as pool:
            engine = build_engine(waiting.url)
            runs = list(pool.map(lambda owner: _distil(Path(folder) / "model" / owner, sessions, owners[owner], engine), owners))
        offline = [_distil(Path(folder) / "offline" / owner, sessions, owners[owner], EngineSettings()) for owner in owners]
        kept = {"model": _export(runs, owners), "offline": _export(offline, owners), "typed": _list_typed(golds)}
        figures = {engine: _score(bench / "score_gold.py", paths, rows, Path(folder)) for engine, rows in kept.items()}
        result = {engine: _summarise(by_session) for engine, by_session in figures.items()}
        print(json.dumps({"benchmark": "model/observer", **result, "sessions": figures, **_count(runs, waiting)}))
        if arguments.stopped:
            write_jsonl(arguments.stopped, _list_stopped(runs, owners, scorer))
        if arguments.lost:
            write_jsonl(arguments.lost, _list_lost(golds, kept["model"], scorer))
    return 0


def _distil(folder: Path, sessions: Path, golds: dict[str, Gold], engine: EngineSettings) -> Run:
    sources = folder / "sessions"
    sources.mkdir(parents=True)
    for gold in golds.values():
        shutil.copy(sessions / gold["file"], sources)
    settings = Settings(
        sessions=(sources,), lake=folder / "lake", workspace=folder / "pages", timezone="UTC", owner="owner", engine=engine
    )  # fmt: skip
    run = Run(settings, Lake(settings.lake), AS_OF)
    with run.lake.writing("observer benchmark"):
        for step in STEPS:
            step(run)
    return run


def _export(runs: list[Run], owners: Owners) -> Rows:
    return {
        name: export_session(run.lake, _find_session(run, gold))
        for run, golds in zip(runs, owners.values(), strict=True)
        for name, gold in golds.items()
    }


def _find_session(run: Run, gold: Gold) -> str:
    is_source = pl.col("source_path").str.ends_with(gold["file"])
    return str(run.lake.scan("sessions").filter(is_source).select("session_id").collect().item())


def _list_typed(golds: dict[str, Gold]) -> Rows:
    """Return a row per paragraph that the owner typed."""
    return {
        name: [
            {"id": f"t-{turn['line']}-{at}", "source": "typed", "text": part, "lines": [turn["line"]]}
            for turn in gold["turns"]
            for at, part in enumerate((turn["owner_text"] or "").split("\n\n"))
            if part.strip()
        ]
        for name, gold in golds.items()
    }


def _score(script: Path, golds: dict[str, Path], rows: Rows, folder: Path) -> dict[str, Any]:
    scores = {}
    for name, own in rows.items():
        write_jsonl(folder / "rows.jsonl", own)
        scores[name] = run_scorer(script, golds[name], folder / "rows.jsonl")
    return scores


def _summarise(scores: dict[str, Any]) -> dict[str, Any]:
    junk = [tuple(map(int, one["junk"].split("/"))) for one in scores.values()]
    high = sum(one["facts_high"] for one in scores.values())
    cited = sum(round(one["cited_high"] * one["facts_high"]) for one in scores.values())
    with_high = [one for one in scores.values() if one["facts_high"]] or list(scores.values())
    return {
        **{key: round(mean(one[key] for one in (with_high if "high" in key else scores.values())), 4) for key in MEANS},
        "worst_cited_high": min(one["cited_high"] for one in with_high),
        "high": f"{cited}/{high}",
        "traps": f"{sum(kept for kept, _ in junk)}/{sum(all_ for _, all_ in junk)}",
        "rows": sum(one["rows"] for one in scores.values()),
        "tokens": sum(one["tokens"] for one in scores.values()),
    }


def _count(runs: list[Run], waiting: Waiting) -> dict[str, Any]:
    rows = pl.concat([run.lake.read("observations") for run in runs])
    stopped = rows.filter(pl.col("verdict") != "allow").select("verdict", "verdict_reason").iter_rows()
    return {
        "verdicts": dict(Counter(rows["verdict"].to_list())),
        "reasons": dict(Counter(f"{verdict}: {(reason or '').partition(':')[0]}" for verdict, reason in stopped).most_common()),
        "windows": dict(Counter(status for run in runs for status in run.lake.read("windows")["status"].to_list())),
        "requests": dict(sorted(waiting.requests.items())),
        "tokens": {"read": waiting.tokens_read, "written": waiting.tokens_written},
    }


def _list_stopped(runs: list[Run], owners: Owners, scorer: ModuleType) -> list[dict[str, Any]]:
    listed = []
    all_golds = [(run, name, gold) for run, golds in zip(runs, owners.values(), strict=True) for name, gold in golds.items()]
    for run, name, gold in all_golds:
        is_own = (pl.col("session_id") == _find_session(run, gold)) & (pl.col("verdict") != "allow")
        for row in run.lake.scan("observations").filter(is_own).sort("observation_id").collect().iter_rows(named=True):
            told = [fact["id"] for fact in gold["facts"] if scorer.holds(row["text"], fact["keys"])]
            keys = ("verdict", "verdict_reason", "kind", "priority", "text", "lines")
            listed.append({"session": name, **{key: row[key] for key in keys}, "facts": told})
    return listed


def _list_lost(golds: dict[str, Gold], rows: Rows, scorer: ModuleType) -> list[dict[str, Any]]:
    listed = []
    for name, gold in golds.items():
        for fact in (one for one in gold["facts"] if one["priority"] == "high"):
            holding = [row for row in rows[name] if scorer.holds(row["text"][: scorer.CHARS], fact["keys"])]
            if not any(scorer.near(row["lines"][: scorer.LINES], fact["evidence"]) for row in holding):
                keys = ("id", "kind", "fact", "keys", "evidence")
                listed.append(
                    {"session": name, **{key: fact[key] for key in keys}, "elsewhere": [row["text"] for row in holding]}
                )
    return listed


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("answers", type=Path, help="folder of requests and answers")
    add_shared(parser)
    parser.add_argument("--only", nargs="+", default=[], help="names of gold files")
    parser.add_argument("--stopped", type=Path, help="write the facts that were not allowed to this file")
    parser.add_argument("--lost", type=Path, help="write the high facts that no row cites to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
