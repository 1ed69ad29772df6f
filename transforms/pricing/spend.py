"""Budgets of requests: arithmetic over spent and reserved dollars and the most that a further request may cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from transforms.pricing.prices import compute_cost, find_price
from transforms.tables.tokens import count_utf16_units

BILLED_UNITS_PER_TOKEN = 3
"""UTF-16 units per token in estimates before a call: a third instead of a quarter, because a hard budget has to err upwards."""
CACHE_WRITE_SHARE, CACHE_READ_SHARE = 1.25, 0.1
"""Price of a token that goes into Anthropic's cache for five minutes, or comes from it, as a share of the usual one. The estimate
before a call has room for the former: a third."""
UNKNOWN_USD = 5.0
"""Dollars per million tokens, in or out, of a model without a known price: dearer than most models of the price list, so that
limits in dollars also limit its tokens."""
READING_TOKENS = (4_000, 200)
"""Tokens that a model reads and writes for the second reading of a window on average (docs/decisions.md)."""
MOST_USD = 0.016
"""Dollars per window up to which facts are read a second time unless the owner says otherwise."""


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """Dollars per run and per local day, and tokens (in and out) per run; None: no limit.

    `own` are models on a server of this machine: without a known price they are free.
    """

    run_usd: float
    day_usd: float
    run_tokens: int | None = None
    own: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Spend:
    """Dollars and tokens that were spent, or are reserved for requests under way."""

    usd: float = 0.0
    tokens: int = 0

    def add(self, usd: float, tokens: int) -> Spend:
        """Return the sum; negative values give something back."""
        return Spend(self.usd + usd, self.tokens + tokens)


def bound_billed_tokens(*texts: str) -> int:
    """Return the most tokens that a request's texts will be billed as."""
    return sum(-(-count_utf16_units(text) // BILLED_UNITS_PER_TOKEN) for text in texts)


def weigh_cached_tokens(plain: int, written: int, read: int) -> int:
    """Return the tokens at the list price that as many plain tokens, tokens into a cache and tokens from it cost, rounded up."""
    return plain + ceil(written * CACHE_WRITE_SHARE + read * CACHE_READ_SHARE)


def compute_charge(model: str, input_tokens: int, output_tokens: int, limits: BudgetLimits) -> float:
    """Return the dollars that a request counts as: by the price list, else 0 on an own server and UNKNOWN_USD elsewhere."""
    if find_price(model) is not None or model in limits.own:
        return compute_cost(model, input_tokens, output_tokens)
    return (input_tokens + output_tokens) * UNKNOWN_USD / 1_000_000


def find_exceeded_budget(
    model: str, input_tokens: int, output_tokens: int, run: Spend, today: float, limits: BudgetLimits
) -> str:
    """Return the budget that forbids a request of at most this size, in words; empty when it may be sent.

    `run` and `today` (dollars of the local day, this run included) count spent and reserved dollars.
    """
    usd = compute_charge(model, input_tokens, output_tokens, limits)
    if find_price(model) is None and model not in limits.own and min(limits.run_usd, limits.day_usd) <= 0:
        return f"budget: it is 0, and the price of {model} is unknown"
    if run.usd + usd > limits.run_usd + 1e-9:
        return f"budget of the run ({limits.run_usd:.2f} USD)"
    if today + usd > limits.day_usd + 1e-9:
        return f"budget of the day ({limits.day_usd:.2f} USD)"
    if limits.run_tokens is not None and run.tokens + input_tokens + output_tokens > limits.run_tokens:
        return f"budget of the run ({limits.run_tokens} tokens)"
    return ""


def find_dear_reading(model: str, limits: BudgetLimits) -> str:
    """Return why the second reading by a model of the observer costs too much to be the default; empty when it does not."""
    usd = compute_charge(model, *READING_TOKENS, limits)
    if usd <= MOST_USD:
        return ""
    return f"about {usd:.3f} USD a window with {model}; RECOLLECT_DISTIL__SECOND_READING names a cheaper model"
