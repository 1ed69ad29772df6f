"""Measures the proposals for MEMORY.md on the sessions of four owners: would the owner tick them?

    python -m benchmarks.memory.proposals [SHARED] [--budget 0.05] [--list FILE] [--recordings FOLDER]

SHARED has `bench/gold_owners` and `sessions/owners`. Each owner's annotated sessions arrive on the days on which they ended;
after each such day the steps of a night run up to reflection, and nothing is approved. A proposal counts as ticked when it holds
the keys of a line that the annotators of the owner's sessions would sign (`memory` in the gold files).
Keys, per owner in `owners` and as sums:

    proposed, ticked, wanted   proposals; those that hold a signed line; signed lines
    precision, recall          ticked / proposed (null without proposals); signed lines that a proposal holds / wanted
    dropped                    candidates that were not proposed, by reason

`baseline` has the same figures for one proposal per typed paragraph of the owner. The keys are loose: read the list. An owner may
tick a good line that no annotator wrote down. `--list FILE` writes every proposal with its judgement.

With `--recordings FOLDER` a model words the proposals: the requests of the nights are written to FOLDER/proposals/requests, a
reader answers them in FOLDER/proposals/answers, and the next call replays the answers (`benchmarks/model/recordings.py`).
Observations are the offline engine's in both cases. `requests` then counts the nights' requests and how many were answered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from benchmarks.arguments import add_shared, load_module, make_parser, report_missing, write_jsonl
from benchmarks.model.recordings import serve_recordings
from effects.config.settings import DistilSettings, EngineSettings, Settings
from effects.distil.attribute_step import attribute
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed_kept
from effects.ingest.ingest_step import ingest
from effects.memory.dedupe_step import dedupe
from effects.memory.reflect_step import reflect
from effects.memory.review_step import review
from effects.store.run import Run, open_run

STEPS = (ingest, attribute, window, distil, embed_kept, dedupe, review, reflect)
_TIME = re.compile(r'"timestamp":\s*"([\d-]{10}T[\d:.]+Z)"')
Figures = dict[str, Any]


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    golds, sessions = arguments.shared / "bench" / "gold_owners", arguments.shared / "sessions" / "owners"
    if report_missing([golds, sessions, arguments.shared / "bench" / "score_gold.py"]):
        return 1
    scorer = load_module(arguments.shared / "bench" / "score_gold.py")
    owners: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(golds.glob("*.gold.json")):
        owners[path.name.split(".")[0].split("-")[0]].append(json.loads(path.read_bytes()))
    listed: list[dict[str, Any]] = []
    figures: dict[str, Figures] = {}
    typed: dict[str, Figures] = {}
    with _open_engine(arguments.recordings) as (engine, requests):
        simulated = {owner: _simulate(sessions, contents, arguments.budget, engine) for owner, contents in owners.items()}
    for owner, contents in owners.items():
        wanted = [line for content in contents for line in content["memory"]]
        proposals, dropped = simulated[owner]
        figures[owner] = _judge(scorer, [row["text"] for row in proposals], wanted) | {"dropped": dropped}
        listed += [
            {
                "owner": owner,
                "section": row["section"],
                "text": row["text"],
                "ticked": bool(_find_lines(scorer, row["text"], wanted)),
            }
            for row in proposals
        ]
        words = [turn["owner_text"] for content in contents for turn in content["turns"] if turn["owner_text"]]
        typed[owner] = _judge(scorer, [part for text in words for part in text.split("\n\n") if part.strip()], wanted)
    if arguments.list:
        write_jsonl(arguments.list, listed)
    result = {"benchmark": "proposals"} | _add_up(figures) | {"owners": figures, "baseline": _add_up(typed)}
    if arguments.recordings:
        answered = sum(size is not None for _, size in requests.values())
        result["requests"] = {"asked": len(requests), "answered": answered, "read": sum(size for size, _ in requests.values())}
    print(json.dumps(result))
    return 0


@contextlib.contextmanager
def _open_engine(folder: Path | None) -> Iterator[tuple[EngineSettings, dict[str, tuple[int, int | None]]]]:
    """Yield the engine of the nights, and the requests of the recorded one as they are seen."""
    if folder is None:
        yield EngineSettings(), {}
        return
    os.environ["OPENAI_API_KEY"] = "none"
    with serve_recordings(folder) as recordings:
        model = "instructor:openai/recorded"
        yield (
            EngineSettings(reflector=model, base_url=recordings.url, budget_run_usd=99, budget_day_usd=99, concurrency=1),
            recordings.proposals,
        )


def _simulate(
    sessions: Path, contents: list[dict[str, Any]], budget: float, engine: EngineSettings
) -> tuple[list[Any], dict[str, int]]:
    """Run a night after each day on which sessions ended; return the rows of `proposals` and the reasons of what was dropped."""
    with tempfile.TemporaryDirectory() as folder:
        return _run_nights(Path(folder), sessions, contents, budget, engine)


def _run_nights(
    folder: Path, sessions: Path, contents: list[dict[str, Any]], budget: float, engine: EngineSettings
) -> tuple[list[Any], dict[str, int]]:
    arrived, dropped = folder / "sessions", Counter[str]()
    arrived.mkdir()
    settings = Settings(
        sessions=(arrived,), lake=folder / "lake", workspace=folder / "workspace", timezone="UTC", owner="Owner",
        distil=DistilSettings(budget=budget), engine=engine,
    )  # fmt: skip
    days: defaultdict[Any, list[Path]] = defaultdict(list)
    for content in contents:
        days[_find_end(sessions / content["file"]).date()].append(sessions / content["file"])
    run: Run | None = None
    for day in sorted(days):
        for path in days[day]:
            shutil.copy(path, arrived)
        run = open_run(settings, datetime.combine(day + timedelta(days=1), time(4), UTC))
        with run.lake.writing("proposals benchmark"):
            for step in STEPS:
                counts = step(run)
                dropped.update(counts.get("dropped", {}) if step is reflect else {})
    assert run is not None
    rows = run.lake.scan("proposals").filter(pl.col("kind") == "memory").sort("proposal_id").collect()
    return list(rows.iter_rows(named=True)), dict(sorted(dropped.items()))


def _find_end(path: Path) -> datetime:
    """Return the last time of an entry; damaged lines have theirs, too."""
    matches = (_TIME.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    return max(datetime.fromisoformat(match[1]) for match in matches if match)


def _judge(scorer: ModuleType, texts: Iterable[str], wanted: list[dict[str, Any]]) -> Figures:
    texts = list(texts)
    ticked = sum(bool(_find_lines(scorer, text, wanted)) for text in texts)
    held = {number for text in texts for number in _find_lines(scorer, text, wanted)}
    return {"proposed": len(texts), "ticked": ticked, "wanted": len(wanted), "held": len(held)}


def _find_lines(scorer: ModuleType, text: str, wanted: list[dict[str, Any]]) -> list[int]:
    return [number for number, line in enumerate(wanted) if scorer.holds(text, line["keys"])]


def _add_up(figures: dict[str, Figures]) -> Figures:
    total = {key: sum(each[key] for each in figures.values()) for key in ("proposed", "ticked", "wanted", "held")}
    precision = round(total["ticked"] / total["proposed"], 4) if total["proposed"] else None
    return total | {"precision": precision, "recall": round(total["held"] / total["wanted"], 4)}


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--budget", type=float, default=0.05, help="share of the tokens of a session that is kept")
    parser.add_argument("--list", type=Path, help="write every proposal with its judgement to this file")
    parser.add_argument("--recordings", type=Path, help="let a reader's recorded answers word the proposals")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
