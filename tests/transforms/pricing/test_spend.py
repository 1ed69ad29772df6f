"""Budgets before a call, and prices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.pricing.prices import PRICES, compute_cost, find_price
from transforms.pricing.spend import UNKNOWN_USD, BudgetLimits, Spend, bound_billed_tokens, compute_charge, find_exceeded_budget
from transforms.tables.tokens import count_tokens

HAIKU = "anthropic/claude-haiku-4-5"


def test_snapshots_of_a_model_cost_the_same_and_other_models_do_not() -> None:
    """`gpt-5-pro` is not `gpt-5`: a price is never guessed from a prefix."""
    assert find_price(f"{HAIKU}-20251001") == PRICES[HAIKU] == find_price(f"{HAIKU}-latest")
    assert find_price("openai/gpt-5-pro") is None
    assert find_price("ollama/qwen3:14b") == (0.0, 0.0)
    assert compute_cost(HAIKU, 1_000_000, 100_000) == pytest.approx(1.5)
    assert compute_cost("openai/unheard-of", 10**9, 10**9) == 0


@given(st.integers(0, 10**6), st.integers(0, 10**5), st.floats(0, 5), st.floats(0, 5), st.floats(0, 5), st.floats(0, 5))
def test_allowed_requests_never_exceed_a_limit(size: int, out: int, spent: float, today: float, run: float, day: float) -> None:
    """This holds for any former spending."""
    if not find_exceeded_budget(HAIKU, size, out, Spend(spent, 0), today, BudgetLimits(run, day)):
        assert spent + compute_cost(HAIKU, size, out) <= run + 1e-6
        assert today + compute_cost(HAIKU, size, out) <= day + 1e-6


def test_a_model_without_a_price_is_limited_by_money_too_unless_it_runs_here() -> None:
    """Its tokens count as dear ones; on an own server they are free."""
    limits = BudgetLimits(run_usd=1.0, day_usd=0.5)
    assert find_exceeded_budget("openai/unheard-of", 90_000, 8_000, Spend(), 0, limits) == ""
    assert "budget of the day" in find_exceeded_budget("openai/unheard-of", 100_000, 8_000, Spend(), 0, limits)
    own = BudgetLimits(run_usd=1.0, day_usd=0.5, own=frozenset({"openai/unheard-of"}))
    assert find_exceeded_budget("openai/unheard-of", 10**7, 8_000, Spend(), 0, own) == ""
    assert compute_charge("openai/unheard-of", 10**6, 0, limits) == pytest.approx(UNKNOWN_USD)
    assert compute_charge(HAIKU, 10**6, 0, own) == pytest.approx(1.0)


def test_a_budget_of_nothing_admits_what_is_free_on_this_machine_and_nothing_else() -> None:
    free = BudgetLimits(run_usd=0.0, day_usd=0.0, own=frozenset({"openai/unheard-of"}))
    assert find_exceeded_budget("openai/unheard-of", 1000, 1000, Spend(), 0, free) == ""
    assert find_exceeded_budget("ollama/qwen3", 1000, 1000, Spend(), 0, free) == ""
    assert "price of openai/other is unknown" in find_exceeded_budget("openai/other", 1000, 1000, Spend(), 0, free)
    assert "budget of the run" in find_exceeded_budget(HAIKU, 1000, 1000, Spend(), 0, free)


def test_most_listed_models_cost_less_than_an_unknown_one() -> None:
    """The price is compared at ten input tokens per output token."""
    dearer = [name for name, (read, written) in PRICES.items() if (10 * read + written) / 11 > UNKNOWN_USD]
    assert len(dearer) <= len(PRICES) // 4
    assert all("opus" in name or "fable" in name for name in dearer)


def test_tokens_are_limited_also_when_nobody_knows_the_price() -> None:
    """The request is counted with its largest answer."""
    limits = BudgetLimits(1, 1, run_tokens=1000)
    assert find_exceeded_budget("openai/local", 500, 400, Spend(0, 100), 0, limits) == ""
    assert "1000 tokens" in find_exceeded_budget("openai/local", 500, 401, Spend(0, 100), 0, limits)


@given(st.text())
def test_estimates_before_a_call_err_upwards(text: str) -> None:
    """A hard budget must not be overrun by an optimistic estimate."""
    assert bound_billed_tokens(text) >= count_tokens(text)
