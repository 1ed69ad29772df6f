"""The price of a second reading, and whether it is small enough to be made without being asked for."""

from __future__ import annotations

from transforms.pricing.spend import BudgetLimits, compute_charge

READING_TOKENS = (4_000, 200)
"""Tokens that a model reads and writes for the second reading of a window on average (docs/decisions.md)."""
MOST_USD = 0.016
"""Dollars per window up to which facts are read a second time unless the owner says otherwise."""


def find_dear_reading(model: str, limits: BudgetLimits) -> str:
    """Return why the second reading by a model of the observer costs too much to be the default; empty when it does not."""
    usd = compute_charge(model, *READING_TOKENS, limits)
    if usd <= MOST_USD:
        return ""
    return f"about {usd:.3f} USD a window with {model}; RECOLLECT_DISTIL__SECOND_READING names a cheaper model"
