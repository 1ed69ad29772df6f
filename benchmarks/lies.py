"""How many lies of a model the checks let through: true facts of real windows, and the same with one thing made up.

    python benchmarks/lies.py [--sessions FOLDER]

A scripted model answers every window with what the offline engine finds there, once as it is and once per kind of lie: another
path, number, identifier, time or quotation, no citation, one outside of the window; and a false sentence in each narrative.
Prints one JSON line: per kind the verdicts, and the share that was allowed. Without sessions it says so and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import polars as pl

from effects.ingest import ingest
from effects.lake import Lake
from effects.run import Run
from effects.settings import Settings
from effects.window import window
from transforms.answer_model import Observations
from transforms.answered import distilled_of
from transforms.checks import Window, check_fact
from transforms.distilled import Fact
from transforms.entries import Entry, entries_of
from transforms.offline.engine import OfflineEngine
from transforms.segments import segment

SHARED = Path(__file__).resolve().parents[2] / "shared"
LIES: dict[str, Callable[[str], str]] = {
    "truth": lambda text: text,
    "path": lambda text: re.sub(r"([\w-]+)\.(ts|md|py|json|tsx)\b", r"\1x7.\2", text),
    "number": lambda text: re.sub(r"\b(\d{2,})\b", lambda found: str(int(found[1]) * 7 + 13), text),
    "identifier": lambda text: re.sub(r"`([A-Za-z_][\w.]+)`", r"`\1Zq`", text),
    "time": lambda text: text.rstrip(".") + " at 03:07.",
    "quotation": lambda text: text.rstrip(".") + ', as "the purple elephant protocol" demands.',
    "uncited": lambda text: text,
    "outside": lambda text: text,
}
FALSE_SENTENCE = "It was deployed to `prod-eu-9` as version 77.7.7."


def main() -> int:
    """Runs the benchmark; 1 when there is no session."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions" / "real")
    sessions = parser.parse_args().sessions
    verdicts: dict[str, Counter[str]] = {kind: Counter() for kind in LIES}
    narratives: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for entries in _windows(Path(folder), sessions):
            began = time.perf_counter()
            _lie(entries, verdicts, narratives)
            slowest = max(slowest, time.perf_counter() - began)
    if not narratives:
        print(f"no window in {sessions}", file=sys.stderr)
        return 1
    allowed = {kind: round(found["allow"] / max(found.total(), 1), 4) for kind, found in verdicts.items()}
    told = {kind: dict(sorted(found.items())) for kind, found in verdicts.items()}
    found = {"allowed": allowed, "verdicts": told, "narratives": dict(narratives), "slowest_window_s": round(slowest, 2)}
    print(json.dumps({"benchmark": "lies", **found}))
    return 0


def _windows(folder: Path, sessions: Path) -> list[list[Entry]]:
    settings = Settings(sessions=(sessions,), lake=folder / "lake", workspace=folder / "work", timezone="UTC", owner="user")
    run = Run(settings, Lake(settings.lake), datetime(2030, 1, 1, tzinfo=UTC))
    with run.lake.writing("benchmark"):
        ingest(run)
        window(run)
    due = run.lake.read("windows").filter((pl.col("status") == "pending") & (pl.col("reason").fill_null("") == ""))
    members = run.lake.scan("coverage").select("session_id", "ordinal", "window_id")
    rows = run.lake.scan("entries").join(members, on=["session_id", "ordinal"]).collect().partition_by("window_id", as_dict=True)
    return [entries_of(rows[(key,)].drop("window_id")) for key in sorted(due["window_id"])]


def _lie(entries: list[Entry], verdicts: dict[str, Counter[str]], narratives: Counter[str]) -> None:
    topics = segment(entries)
    honest = OfflineEngine().distil(entries, topics, [], 2000)
    told: list[dict[str, Any]] = [
        {"topic": number, "title": one.title, "narrative": f"{one.narrative} {FALSE_SENTENCE}", "refs": one.ordinals, "facts": []}
        for number, one in enumerate(honest.segments, 1)
    ]
    truths = [fact for one in honest.segments for fact in one.facts]
    kinds: list[str] = []
    for kind, lie in LIES.items():
        for fact in truths:
            if kind in ("truth", "uncited", "outside") or lie(fact.text) != fact.text:
                kinds.append(kind)
                told[0]["facts"].append(_answered(fact, kind, lie(fact.text)))
    result = distilled_of(Observations.model_validate({"segments": told}), entries, topics, UTC)
    evidence = Window(tuple(entries), UTC)
    facts = [fact for one in result.segments for fact in one.facts]
    for kind, fact in zip(kinds, facts, strict=True):
        verdicts[kind][check_fact(fact, evidence)[0]] += 1
    for one in result.segments:
        narratives["false" if "prod-eu-9" in one.narrative else "true"] += 1


def _answered(fact: Fact, kind: str, text: str) -> dict[str, Any]:
    refs = {"uncited": [], "outside": [10**6]}.get(kind, list(fact.ordinals))
    return {"text": text, "kind": fact.kind, "priority": fact.priority, "category": fact.category, "refs": refs}


if __name__ == "__main__":
    sys.exit(main())
