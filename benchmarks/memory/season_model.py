"""A season with a model: its engine, and where the lasting facts and the model's lines were lost, as counts without any words."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import orjson
import polars as pl

from benchmarks.memory.season_life import Life, belongs_to
from benchmarks.memory.season_scores import read_briefings
from benchmarks.memory.season_voice import State, mentions
from benchmarks.model.waiting_server import PATIENCE_S
from effects.config.settings import EngineSettings
from effects.store.run import Run

MODEL = "instructor:openai/recorded"
AT_ONCE = 64
"""Requests under way at once, so that a reader sees those of a night together."""
NO_LIMIT_USD = 999.0


def build_engine(url: str) -> EngineSettings:
    """Return the engine that sends everything that a model can do to the reader behind the address."""
    os.environ["OPENAI_API_KEY"] = "none"
    return EngineSettings(
        observer=MODEL, reflector=MODEL, base_url=url, concurrency=AT_ONCE, timeout_s=PATIENCE_S,
        budget_run_usd=NO_LIMIT_USD, budget_day_usd=NO_LIMIT_USD,
    )  # fmt: skip


def count_stages(life: Life, run: Run, day: int) -> dict[str, int]:
    """Return how many of the lasting facts that hold reach each stage, and of which kinds those are that reach neither page."""
    rows = run.lake.read("observations").select("text", "verdict", "superseded_by", "priority")
    allowed = rows.filter(pl.col("verdict") == "allow")
    texts = {
        "typed": life.typed,
        "observed": rows["text"].to_list(),
        "observed_allowed": allowed["text"].to_list(),
        "observed_high": allowed.filter(pl.col("priority") == "high")["text"].to_list(),
        "observed_open": allowed.filter(pl.col("superseded_by").is_null())["text"].to_list(),
        "proposed": [*life.ticked.values(), *life.struck.values()],
        "ticked": list(life.ticked.values()),
        "in_memory": life.memory_lines(),
    }
    counts: Counter[str] = Counter()
    for fact in life.voice.facts:
        state = life.voice.find_state(fact, day, life.days)
        if not fact["lasting"] or state is None:
            continue
        counts["facts"] += 1
        for stage, lines in texts.items():
            counts[stage] += _is_stated(state, lines)
        pages = [text for project, text in read_briefings(life).items() if belongs_to(fact, project)]
        is_briefed = any(_is_stated(state, page.splitlines()) for page in pages)
        counts["in_briefing"] += is_briefed
        if not is_briefed and not _is_stated(state, texts["in_memory"]):
            counts[f"missing {fact['kind']}"] += 1
            counts["missing, observed"] += _is_stated(state, texts["observed_allowed"])
    return dict(counts)


def count_losses(run: Run) -> dict[str, dict[str, int]]:
    """Return by reason the facts that were stopped, the proposed lines that were held, and the candidates that were dropped."""
    rows = run.lake.read("observations")
    stopped = rows.filter(pl.col("verdict") != "allow").select("verdict", "verdict_reason").iter_rows()
    notes = [orjson.loads(text) for text in run.lake.read("proposal_events").filter(event="reflected")["text"]]
    calls = run.lake.read("model_calls")
    return {
        "verdicts": dict(Counter(rows["verdict"].to_list())),
        "kinds": dict(Counter(rows["kind"].to_list()).most_common()),
        "facts_stopped": _sort(f"{verdict}: {(reason or '').partition(':')[0]}" for verdict, reason in stopped),
        "lines_held": _add(note.get("held", {}) for note in notes),
        "lines_dropped": _add(note.get("dropped", {}) for note in notes),
        "offline_instead": _add(note.get("offline_instead", {}) for note in notes),
        "relations": dict(Counter(run.lake.read("relations").filter(pl.col("older_id") != "")["relation"].to_list())),
        "calls": dict(Counter(calls["outcome"].to_list())),
        "windows": dict(Counter(run.lake.read("windows")["status"].to_list())),
    }


def _is_stated(state: State, lines: Iterable[str]) -> bool:
    return any(mentions(line, state["keys"]) for line in lines)


def _sort(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _add(counts: Iterable[dict[str, Any]]) -> dict[str, int]:
    return dict(sum((Counter(one) for one in counts), Counter[str]()).most_common())
