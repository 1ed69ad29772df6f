"""Distils again the rows of another model, prompt or engine. It happens only on request, because it costs money.

Nightly runs never redo paid work. A request that was sent before, word for word, is answered from `model_calls` for free, so a
stopped redistillation continues where it was, and a repeated one changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from effects.config.engine_chain import AUTO, OFF, parse_engine_chain
from effects.distil.distil_step import distil
from effects.distil.window_distillers import build_offline_engine, compute_version_token
from effects.engines.condenser import CONDENSE_TEMPLATES as PERIOD_TEMPLATES
from effects.engines.model_chain import compute_template_hash
from effects.engines.observer import compute_observer_hash
from effects.engines.registry import list_observer_models, list_reflector_models
from effects.store.run import Counts, Run
from effects.system.templates import read_template_source
from transforms.condensing.period_answer import MIN_MODEL_TOKENS, PeriodAnswer
from transforms.pricing.prices import compute_cost, find_price
from transforms.pricing.spend import READING_TOKENS, BudgetLimits, find_dear_reading
from transforms.tables.enums import OFFLINE
from transforms.tables.tokens import count_tokens

DEFAULT_OUTPUT_TOKENS = 1_200
"""Tokens of an answer about a window, while the lake holds no call to measure."""


OBSERVER_TEMPLATES = ("llm/rules.md.j2", "llm/observer.md.j2", "llm/window.md.j2")
CONDENSER_TEMPLATES = ("llm/rules.md.j2", "llm/condense.md.j2", "llm/period.md.j2")
"""Fixed text around the material of a request; the sources of the templates are longer than the rendered text."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """An upper bound: requests, tokens, and dollars where the price is known."""

    subject: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int

    @property
    def usd(self) -> float | None:
        """Dollars; None when the price of the model is unknown."""
        return compute_cost(self.model, self.input_tokens, self.output_tokens) if find_price(self.model) else None


def redistil(run: Run, since: date) -> Counts:
    """Distil again the windows since that day that another engine, model or prompt wrote; a failure leaves the former rows."""
    windows = find_stale_windows(run, since)["window_id"].to_list()
    return distil(run, again=windows) if windows else {"due": 0}


def find_stale_windows(run: Run, since: date) -> pl.DataFrame:
    """Return the distilled windows of that day and later that the present observer did not write."""
    chain = list_observer_models(run)
    versions = [(f"{backend}:{name}", compute_observer_hash(backend)) for backend, name in chain]
    if not chain:
        offline = build_offline_engine(run)
        versions = [(offline.name, compute_version_token(offline, run))]
    is_present = pl.any_horizontal(
        [(pl.col("engine") == engine) & (pl.col("template_hash") == template_hash) for engine, template_hash in versions]
    )
    windows = run.lake.read("windows").filter((pl.col("status") == "distilled") & (pl.col("day") >= since))
    return windows.filter(~is_present.fill_null(value=False))


def find_stale_periods(run: Run, since: date) -> pl.DataFrame:
    """Return the distillates of periods that ended on that day or later and that the present reflector did not write."""
    chain = list_reflector_models(run)
    versions = [(f"{backend}:{name}", compute_template_hash(backend, PERIOD_TEMPLATES, PeriodAnswer)) for backend, name in chain]
    rows = run.lake.read("distillates").filter(pl.col("period_end") >= since)
    if not chain:
        return rows.filter(pl.col("engine") != OFFLINE)
    is_present = pl.any_horizontal(
        [(pl.col("engine") == engine) & (pl.col("template_hash") == template_hash) for engine, template_hash in versions]
    )
    least = pl.col("tier").replace_strict(MIN_MODEL_TOKENS, return_dtype=pl.Int32)
    return rows.filter(~is_present.fill_null(value=False) & (pl.col("input_tokens") >= least))


def estimate_costs(run: Run, since: date) -> list[CostEstimate]:
    """Return the most that redistilling since that day costs, for windows and for periods; nothing for the offline engine.

    Upper bounds: a transcript is shorter than its entries, and paid requests are not paid again.
    """
    observers, reflectors = list_observer_models(run), list_reflector_models(run)
    estimates = []
    if observers:
        windows = find_stale_windows(run, since)
        input_tokens = int(windows["token_count"].fill_null(0).clip(0, run.settings.window.cap_tokens).sum())
        output_per_request = _compute_mean_output(run, [compute_observer_hash(backend) for backend, _ in observers])
        estimates.append(
            _estimate_cost("windows", observers[0][1], windows.height, input_tokens, output_per_request, OBSERVER_TEMPLATES)
        )
        if reading := _estimate_readings(run, observers[0][1], windows.height):
            estimates.append(reading)
    if reflectors:
        periods = find_stale_periods(run, since)
        input_tokens, is_present = int(periods["input_tokens"].sum()), int(periods["output_tokens"].sum())
        output_per_request = is_present // periods.height if periods.height else 0
        estimates.append(
            _estimate_cost("periods", reflectors[0][1], periods.height, input_tokens, output_per_request, CONDENSER_TEMPLATES)
        )
    return estimates


def _estimate_readings(run: Run, observer: str, count: int) -> CostEstimate | None:
    """Return the most that the second readings of so many windows cost; None when there are none."""
    setting = run.settings.distil.second_reading.strip()
    if setting == OFF or (setting == AUTO and find_dear_reading(observer, BudgetLimits(0, 0))):
        return None
    model = observer if setting == AUTO else parse_engine_chain(setting)[0][1]
    reads, writes = READING_TOKENS
    return CostEstimate("second readings", model, count, 2 * reads * count, 2 * writes * count)


def _estimate_cost(
    subject: str, model: str, count: int, input_tokens: int, output_per_request: int, templates: tuple[str, ...]
) -> CostEstimate:
    prompt = sum(count_tokens(read_template_source(template)) for template in templates)
    return CostEstimate(subject, model, count, input_tokens + count * prompt, count * output_per_request)


def _compute_mean_output(run: Run, template_hashes: list[str]) -> int:
    """Return the mean length of the answers that this lake has to these prompts."""
    calls = run.lake.scan("model_calls").filter((pl.col("outcome") == "ok") & pl.col("template_hash").is_in(template_hashes))
    mean = calls.select(pl.col("output_tokens").mean()).collect().item()
    return round(mean) if mean else DEFAULT_OUTPUT_TOKENS
