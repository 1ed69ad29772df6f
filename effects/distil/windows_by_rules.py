"""Names the windows that rules read before a model was set: they stay as they are until their owner pays for another reading."""

from __future__ import annotations

import polars as pl

from effects.distil.redistil import CostEstimate, estimate_costs
from effects.engines.registry import list_observer_models
from effects.store.run import Run
from transforms.pages.run_page import count_things
from transforms.tables.enums import OFFLINE


def describe_windows_by_rules(run: Run, read_now: int = 0) -> tuple[str, str]:
    """Return what an owner hears who has just gone from rules to a model, and the command that tells the cost of more;
    both empty when nothing is left to the rules, or the model has read more than the `read_now` windows of this run: no news.
    """
    chain = list_observer_models(run)
    if not chain:
        return "", ""
    distilled = run.lake.scan("windows").filter(pl.col("status") == "distilled").select("day", "engine").collect()
    by_rules = distilled.filter(pl.col("engine") == OFFLINE)
    if by_rules.is_empty() or distilled.height - by_rules.height > read_now:
        return "", ""
    first, count = min(by_rules["day"].to_list()), by_rules.height
    windows = "1 window stays as rules read it" if count == 1 else f"{count} windows stay as rules read them"
    costs = [cost for cost in estimate_costs(run, first) if cost.requests]
    text = f"{windows}, since {first}; another reading with {chain[0][1]} would cost {_word_costs(costs)}"
    return text, f"recollect rebuild --redistil --since {first} --dry-run"


def _word_costs(costs: list[CostEstimate]) -> str:
    requests, tokens = sum(cost.requests for cost in costs), sum(cost.input_tokens for cost in costs)
    known = [cost.usd for cost in costs if cost.usd is not None]
    price = f"at most {sum(known):.2f} USD" if len(known) == len(costs) else "an unknown price"
    return f"{price} ({count_things(requests, 'request')}, at most {tokens:,} tokens in)"
