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
from effects.engines.ask_engine import stamp_of
from effects.engines.condenser import TEMPLATES as PERIOD_TEMPLATES
from effects.engines.model_chain import stamp_of as stamp_of_chain
from effects.engines.observer import template_hash
from effects.store.run import Counts, Run
from effects.system.templates import template_source
from transforms.distil.prices import cost_of, price_of
from transforms.memory.period_answer import ASKED_TOKENS, PeriodAnswer
from transforms.offline.engine import OfflineEngine
from transforms.tables.tokens import tokens

USUAL_OUTPUT = 1_200
"""Tokens of an answer about a window, when no call of this lake tells better."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it takes at most to write everything again: requests, tokens, and dollars where the price is known."""

    what: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int

    @property
    def usd(self) -> float | None:
        """Null when nobody knows what the model costs."""
        return cost_of(self.model, self.input_tokens, self.output_tokens) if price_of(self.model) else None


def redistil(run: Run, since: date) -> Counts:
    """Distils again the windows since that day which another engine, model or prompt wrote; what fails stays as it was."""
    windows = stale_windows(run, since)["window_id"].to_list()
    return distil(run, again=windows) if windows else {"due": 0}


def stale_windows(run: Run, since: date) -> pl.DataFrame:
    """Distilled windows of that day and later that the present observer did not write."""
    chain = parse_engine_chain(run.settings.engine.observer)
    present = [(f"{way}:{name}", template_hash(way)) for way, name in chain]
    if not chain:
        offline = OfflineEngine(zone=run.zone)
        present = [(offline.name, stamp_of(offline, run))]
    written = pl.any_horizontal([(pl.col("engine") == engine) & (pl.col("template_hash") == stamp) for engine, stamp in present])
    windows = run.lake.read("windows").filter((pl.col("status") == "distilled") & (pl.col("day") >= since))
    return windows.filter(~written.fill_null(value=False))


def stale_periods(run: Run, since: date) -> pl.DataFrame:
    """Distillates of periods that ended on that day or later which the present reflector did not write."""
    chain = parse_engine_chain(run.settings.engine.reflector)
    present = [(f"{way}:{name}", stamp_of_chain(way, PERIOD_TEMPLATES, PeriodAnswer)) for way, name in chain]
    rows = run.lake.read("distillates").filter(pl.col("period_end") >= since)
    if not chain:
        return rows.filter(pl.col("engine") != "offline")
    written = pl.any_horizontal([(pl.col("engine") == engine) & (pl.col("template_hash") == stamp) for engine, stamp in present])
    return rows.filter(~written.fill_null(value=False) & (pl.col("input_tokens") >= ASKED_TOKENS))


def costs(run: Run, since: date) -> list[Cost]:
    """What redistilling since that day costs at most, for windows and for periods; nothing for the offline engine.

    Upper bounds: transcripts are shorter than their entries, and what was paid for before is not paid for again.
    """
    observers, reflectors = parse_engine_chain(run.settings.engine.observer), parse_engine_chain(run.settings.engine.reflector)
    found = []
    if observers:
        windows = stale_windows(run, since)
        size = int(windows["token_count"].fill_null(0).clip(0, run.settings.window.cap_tokens).sum())
        usual = _usual_output(run, [template_hash(way) for way, _ in observers])
        found.append(_cost("windows", observers[0][1], windows.height, size, usual, "llm/observer.md.j2"))
    if reflectors:
        periods = stale_periods(run, since)
        size, written = int(periods["input_tokens"].sum()), int(periods["output_tokens"].sum())
        usual = written // periods.height if periods.height else 0
        found.append(_cost("periods", reflectors[0][1], periods.height, size, usual, "llm/condense.md.j2"))
    return found


def _cost(what: str, model: str, count: int, size: int, usual: int, template: str) -> Cost:
    prompt = (
        tokens(template_source("llm/rules.md.j2"))
        + tokens(template_source(template))
        + tokens(template_source("llm/reflecting.md.j2"))
    )
    return Cost(what, model, count, size + count * prompt, count * usual)


def _usual_output(run: Run, stamps: list[str]) -> int:
    """Mean length of the answers that this lake has of these prompts."""
    answered = run.lake.scan("model_calls").filter((pl.col("outcome") == "ok") & pl.col("template_hash").is_in(stamps))
    mean = answered.select(pl.col("output_tokens").mean()).collect().item()
    return round(mean) if mean else USUAL_OUTPUT
