"""Measures how many facts of tier 0 the higher tiers keep, on the annotated sessions, and how much smaller they are.

    python -m benchmarks.memory.tiers [SHARED]

Each annotated session of `bench/gold` and `bench/gold_owners` is read, distilled and condensed alone, as of two years later, so
that it has reached the oldest tier. A gold fact is held when its keys stand in one row of tier 0, and kept by a tier when they
stand in one line of its texts.

Keys: `tiers`: per tier and half (high, all) the share of held facts that are kept (means over sessions); `kinds`: per tier and
kind of gold fact kept/held; `compression`: tokens of the raw session by tokens of the tier (median). `--lost` prints high facts
that the oldest tier loses to stderr. Baseline: `first`: the first lines of tier 0 in its own order, cut to the size of the tier.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path
from statistics import mean, median
from typing import Any

import polars as pl

from benchmarks.arguments import add_shared, make_parser, report_missing
from effects.config.settings import EmbeddingSettings, Settings
from effects.distil.attribute_step import attribute
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest_file
from effects.memory.consolidate_step import consolidate
from effects.memory.dedupe_step import dedupe
from effects.store.run import Run, open_run
from transforms.conversation.entries import build_entries
from transforms.distil.window_budget import count_serialized_tokens
from transforms.tables.tokens import count_tokens

SETS = (("gold", "real"), ("gold_owners", "owners"))
MAX_CHARS = 480
"""Characters of a row that the gold scorer reads."""


def main() -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--lost", action="store_true", help="print the high facts that the oldest tier loses to stderr")
    arguments = parser.parse_args()
    if report_missing([arguments.shared / "bench" / name for name, _ in SETS]):
        return 1
    results = []
    for name, sessions in SETS:
        for gold_file in sorted((arguments.shared / "bench" / name).glob("*.gold.json")):
            gold = json.loads(gold_file.read_text(encoding="utf-8"))
            stem = Path(gold.get("file") or gold_file.name.removesuffix(".gold.json")).name.removesuffix(".jsonl")
            paths = sorted((arguments.shared / "sessions" / sessions).rglob(f"*{stem}*.jsonl"))
            if paths:
                results.append(measure_session(gold, paths[0], arguments.lost))
    print(json.dumps(summarise(results)))
    return 0


def measure_session(gold: dict[str, Any], path: Path, shows_lost: bool) -> dict[str, Any]:
    """Return the held facts of a session, by tier those that are kept, and the tokens."""
    with tempfile.TemporaryDirectory() as folder:
        run, raw_tokens = _condense_session(Path(folder), path)
        rows = run.lake.read("observations").filter((pl.col("verdict") == "allow") & pl.col("superseded_by").is_null())
        rows = rows.sort("said_at", "observation_id")
        tier_0 = [text[:MAX_CHARS] for text in rows["text"]]
        tier_0 += [
            f"{title} {text}"[:MAX_CHARS] for title, text in run.lake.read("segments").select("title", "narrative").iter_rows()
        ]
        texts: dict[int, list[str]] = defaultdict(list)
        for row in run.lake.read("distillates").sort("period_start").iter_rows(named=True):
            texts[row["tier"]].append(row["text"])
    held = [fact for fact in gold["facts"] if any(_holds(text, fact["keys"]) for text in tier_0)]
    result: dict[str, Any] = {"held": held, "kept": {}, "first": {}, "compression": {}}
    for tier, parts in sorted(texts.items()):
        lines = [line for part in parts for line in part.splitlines()]
        tokens = sum(map(count_tokens, parts))
        result["kept"][tier] = [any(_holds(line, fact["keys"]) for line in lines) for fact in held]
        shorter = _cut(tier_0, tokens)
        result["first"][tier] = [any(_holds(line, fact["keys"]) for line in shorter) for fact in held]
        result["compression"][tier] = round(raw_tokens / max(tokens, 1), 1)
    if shows_lost and texts:
        _print_lost(gold["session"], held, result["kept"][max(texts)])
    return result


def _condense_session(folder: Path, path: Path) -> tuple[Run, int]:
    settings = Settings(
        sessions=(folder,), lake=folder / "lake", workspace=folder / "workspace", timezone="UTC",
        embedding=EmbeddingSettings(model=str(folder / "none")),
    )  # fmt: skip
    run = open_run(settings)
    with run.lake.writing("tiers"):
        ingest_file(run, path=path, is_closed=True)
        attribute(run)
        window(run)
        distil(run)
        dedupe(run)
        last = run.lake.read("entries")["said_at"].max()
        late = Run(settings, run.lake, last + timedelta(days=800))  # type: ignore[operator]
        consolidate(late)
    return late, count_serialized_tokens(build_entries(run.lake.read("entries").sort("ordinal")))


def summarise(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the keys of the module's docstring."""
    tiers: dict[str, dict[str, float]] = {}
    kinds: dict[str, dict[str, str]] = {}
    compression: dict[str, float] = {}
    for tier in sorted({tier for result in results for tier in result["kept"]}):
        of_tier = [result for result in results if tier in result["kept"] and result["held"]]
        tiers[str(tier)] = {
            f"{name}{half}": round(mean(shares), 3)
            for name in ("kept", "first")
            for half, is_wanted in (("_high", {"high"}), ("_all", {"high", "medium", "low"}))
            if (shares := [share for result in of_tier if (share := _share(result, name, tier, is_wanted)) is not None])
        }
        held: Counter[str] = Counter()
        kept: Counter[str] = Counter()
        for result in of_tier:
            for fact, is_kept in zip(result["held"], result["kept"][tier], strict=True):
                held[fact["kind"]] += 1
                kept[fact["kind"]] += is_kept
        kinds[str(tier)] = {kind: f"{kept[kind]}/{count}" for kind, count in sorted(held.items())}
        compression[str(tier)] = round(median(result["compression"][tier] for result in of_tier), 1)
    return {"sessions": len(results), "tiers": tiers, "kinds": kinds, "compression": compression}


def _share(result: dict[str, Any], name: str, tier: int, priorities: set[str]) -> float | None:
    kept = [flag for fact, flag in zip(result["held"], result[name][tier], strict=True) if fact["priority"] in priorities]
    return sum(kept) / len(kept) if kept else None


def _holds(text: str, keys: list[list[str]]) -> bool:
    low = text.lower()
    return bool(keys) and all(any(word.lower() in low for word in group) for group in keys)


def _cut(lines: list[str], tokens: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        tokens -= count_tokens(line)
        if tokens < 0:
            break
        kept.append(line)
    return kept


def _print_lost(session: str, held: list[dict[str, Any]], kept: list[bool]) -> None:
    for fact, is_kept in zip(held, kept, strict=True):
        if fact["priority"] == "high" and not is_kept:
            print(f"{session} {fact['kind']}: {fact['fact']}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
