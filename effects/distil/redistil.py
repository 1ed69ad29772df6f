"""What models wrote, written again: by another model, another prompt, or none. Only on request, because it costs money.

Nightly runs never redo what was paid for. A request that was sent before, word for word, is answered from `model_calls` and
costs nothing; so a redistillation that was stopped goes on where it was, and one that is repeated changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from effects.config.engine_chain import parse_engine_chain
from effects.distil.distil_step import distil
from effects.distil.window_distillers import compute_version_token
from effects.engines.condenser import TEMPLATES as PERIOD_TEMPLATES
from effects.engines.model_chain import compute_template_hash
from effects.engines.observer import compute_observer_hash
from effects.store.run import Counts, Run
from effects.system.templates import template_source
from transforms.distil.prices import compute_cost, find_price
from transforms.memory.period_answer import MIN_MODEL_TOKENS, PeriodAnswer
from transforms.offline.engine import OfflineEngine
from transforms.tables.tokens import tokens

DEFAULT_OUTPUT_TOKENS = 1_200
"""Tokens of an answer about a window, when no call of this lake tells better."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What it takes at most to write everything again: requests, tokens, and dollars where the price is known."""

    what: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int

    @property
    def usd(self) -> float | None:
        """Null when nobody knows what the model costs."""
        return compute_cost(self.model, self.input_tokens, self.output_tokens) if find_price(self.model) else None


def redistil(run: Run, since: date) -> Counts:
    """Distils again the windows since that day which another engine, model or prompt wrote; what fails stays as it was."""
    windows = find_stale_windows(run, since)["window_id"].to_list()
    return distil(run, again=windows) if windows else {"due": 0}


def find_stale_windows(run: Run, since: date) -> pl.DataFrame:
    """Distilled windows of that day and later that the present observer did not write."""
    chain = parse_engine_chain(run.settings.engine.observer)
    present = [(f"{way}:{name}", compute_observer_hash(way)) for way, name in chain]
    if not chain:
        offline = OfflineEngine(zone=run.zone)
        present = [(offline.name, compute_version_token(offline, run))]
    written = pl.any_horizontal([(pl.col("engine") == engine) & (pl.col("template_hash") == stamp) for engine, stamp in present])
    windows = run.lake.read("windows").filter((pl.col("status") == "distilled") & (pl.col("day") >= since))
    return windows.filter(~written.fill_null(value=False))


def find_stale_periods(run: Run, since: date) -> pl.DataFrame:
    """Distillates of periods that ended on that day or later which the present reflector did not write."""
    chain = parse_engine_chain(run.settings.engine.reflector)
    present = [(f"{way}:{name}", compute_template_hash(way, PERIOD_TEMPLATES, PeriodAnswer)) for way, name in chain]
    rows = run.lake.read("distillates").filter(pl.col("period_end") >= since)
    if not chain:
        return rows.filter(pl.col("engine") != "offline")
    written = pl.any_horizontal([(pl.col("engine") == engine) & (pl.col("template_hash") == stamp) for engine, stamp in present])
    return rows.filter(~written.fill_null(value=False) & (pl.col("input_tokens") >= MIN_MODEL_TOKENS))


def estimate_costs(run: Run, since: date) -> list[CostEstimate]:
    """What redistilling since that day costs at most, for windows and for periods; nothing for the offline engine.

    Upper bounds: transcripts are shorter than their entries, and what was paid for before is not paid for again.
    """
    observers, reflectors = parse_engine_chain(run.settings.engine.observer), parse_engine_chain(run.settings.engine.reflector)
    found = []
    if observers:
        windows = find_stale_windows(run, since)
        size = int(windows["token_count"].fill_null(0).clip(0, run.settings.window.cap_tokens).sum())
        usual = _mean_output_tokens(run, [compute_observer_hash(way) for way, _ in observers])
        found.append(_estimate_cost("windows", observers[0][1], windows.height, size, usual, "llm/observer.md.j2"))
    if reflectors:
        periods = find_stale_periods(run, since)
        size, written = int(periods["input_tokens"].sum()), int(periods["output_tokens"].sum())
        usual = written // periods.height if periods.height else 0
        found.append(_estimate_cost("periods", reflectors[0][1], periods.height, size, usual, "llm/condense.md.j2"))
    return found


def _estimate_cost(what: str, model: str, count: int, size: int, usual: int, template: str) -> CostEstimate:
    prompt = (
        tokens(template_source("llm/rules.md.j2"))
        + tokens(template_source(template))
        + tokens(template_source("llm/reflecting.md.j2"))
    )
    return CostEstimate(what, model, count, size + count * prompt, count * usual)


def _mean_output_tokens(run: Run, stamps: list[str]) -> int:
    """Mean length of the answers that this lake has of these prompts."""
    answered = run.lake.scan("model_calls").filter((pl.col("outcome") == "ok") & pl.col("template_hash").is_in(stamps))
    mean = answered.select(pl.col("output_tokens").mean()).collect().item()
    return round(mean) if mean else DEFAULT_OUTPUT_TOKENS
