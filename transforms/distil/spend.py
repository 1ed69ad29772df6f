"""Whether one more request fits the budgets: pure arithmetic over what was spent, what is under way and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass

from transforms.distil.prices import compute_cost, find_price
from transforms.tables.tokens import utf16_length

UNITS_PER_TOKEN = 3
"""Estimates before a call count a third of the UTF-16 units instead of a quarter: a hard budget has to err upwards."""


UNKNOWN_USD = 5.0
"""Dollars that a million tokens, in or out, of a model without a known price count as: more than 27 of the 34 models of
the price list cost when ten tokens are read for one that is written. Limits in dollars thereby limit its tokens."""


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """Dollars per run and per local day, tokens (in and out) per run; no token limit when null.

    `own` are models on a server of this machine: without a known price they are free.
    """

    run_usd: float
    day_usd: float
    run_tokens: int | None = None
    own: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Spend:
    """What was spent, or set aside for requests under way."""

    usd: float = 0.0
    tokens: int = 0

    def plus(self, usd: float, tokens: int) -> Spend:
        """With this on top; negative values give something back."""
        return Spend(self.usd + usd, self.tokens + tokens)


def estimate_tokens(*texts: str) -> int:
    """Tokens that a request's texts will at most be billed as."""
    return sum(-(-utf16_length(text) // UNITS_PER_TOKEN) for text in texts)


def compute_charge(model: str, input_tokens: int, output_tokens: int, limits: BudgetLimits) -> float:
    """Dollars that a request counts as: by the price list, else nothing on an own server and UNKNOWN_USD elsewhere."""
    if find_price(model) is not None or model in limits.own:
        return compute_cost(model, input_tokens, output_tokens)
    return (input_tokens + output_tokens) * UNKNOWN_USD / 1_000_000


def find_exceeded_budget(
    model: str, input_tokens: int, output_tokens: int, run: Spend, today: float, limits: BudgetLimits
) -> str:
    """Which budget forbids a request of at most this size, in words; empty when it may be sent.

    `run` and `today` (dollars of the local day, this run included) count what is spent and what is set aside.
    """
    usd = compute_charge(model, input_tokens, output_tokens, limits)
    if find_price(model) is None and min(limits.run_usd, limits.day_usd) <= 0:
        return f"budget: it is 0 and nobody knows what {model} costs"
    if run.usd + usd > limits.run_usd + 1e-9:
        return f"budget of the run ({limits.run_usd:.2f} USD)"
    if today + usd > limits.day_usd + 1e-9:
        return f"budget of the day ({limits.day_usd:.2f} USD)"
    if limits.run_tokens is not None and run.tokens + input_tokens + output_tokens > limits.run_tokens:
        return f"budget of the run ({limits.run_tokens} tokens)"
    return ""
