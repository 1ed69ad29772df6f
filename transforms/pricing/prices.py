"""List prices of models in US dollars per million tokens (input, output), checked on 2026-11-21 (the lunas on 2026-11-27).

Anthropic's prices are from platform.claude.com, the others are those on which at least two published lists agree. A price that
depends on the length of the prompt is listed at its highest rate, so that budgets err upwards. A missing model counts as
`spend.UNKNOWN_USD`.
"""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

PRICES: dict[str, tuple[float, float]] = {
    "anthropic/claude-fable-5-1": (10.00, 50.00),
    "anthropic/claude-haiku-5-5": (0.50, 2.50),
    "anthropic/claude-haiku-4-5": (1.00, 5.00),
    "anthropic/claude-3-5-haiku": (0.80, 4.00),
    "anthropic/claude-sonnet-5-5": (2.00, 10.00),
    "anthropic/claude-sonnet-5": (2.00, 10.00),
    "anthropic/claude-sonnet-4-6": (3.00, 15.00),
    "anthropic/claude-sonnet-4-5": (3.00, 15.00),
    "anthropic/claude-sonnet-4": (3.00, 15.00),
    "anthropic/claude-opus-5-5": (4.00, 20.00),
    "anthropic/claude-opus-5": (5.00, 25.00),
    "anthropic/claude-opus-4-7": (5.00, 25.00),
    "anthropic/claude-opus-4-6": (5.00, 25.00),
    "anthropic/claude-opus-4-5": (5.00, 25.00),
    "anthropic/claude-opus-4-1": (15.00, 75.00),
    "openai/gpt-6.1-sol": (2.00, 10.00),
    "openai/gpt-6-luna": (0.10, 0.50),
    "openai/gpt-5.6-luna": (0.20, 1.20),
    "openai/gpt-5.4": (2.50, 15.00),
    "openai/gpt-5.2": (1.75, 14.00),
    "openai/gpt-5.1": (1.25, 10.00),
    "openai/gpt-5": (1.25, 10.00),
    "openai/gpt-5-mini": (0.25, 2.00),
    "openai/gpt-5-nano": (0.05, 0.40),
    "openai/gpt-4.1": (2.00, 8.00),
    "openai/gpt-4.1-mini": (0.40, 1.60),
    "openai/gpt-4.1-nano": (0.10, 0.40),
    "openai/gpt-4o": (2.50, 10.00),
    "openai/gpt-4o-mini": (0.15, 0.60),
    "openai/o3": (2.00, 8.00),
    "openai/o4-mini": (1.10, 4.40),
    "google/gemini-3-flash-preview": (0.50, 3.00),
    "google/gemini-3.1-flash-lite-preview": (0.25, 1.50),
    "google/gemini-2.5-pro": (2.50, 15.00),
    "google/gemini-2.5-flash": (0.30, 2.50),
    "google/gemini-2.5-flash-lite": (0.10, 0.40),
}
"""Model → dollars per million (input, output) tokens."""
SNAPSHOT = compile_late(r"[-@](?:latest|20\d\d-?\d\d-?\d\d)$")


LOCAL_PROVIDERS = ("ollama", "lmstudio", "mlx")
"""Providers that are servers of this machine: their models cost electricity."""
RESELLERS = ("openrouter", "github-copilot", "google-gemini-cli", "google-antigravity", "openai-codex")
"""Providers that pass on the models of others, at their makers' price or within a subscription."""


def find_price(model: str) -> tuple[float, float] | None:
    """Return dollars per million input and output tokens of `provider/model`; None when unknown. Local models are free.

    A model that another provider passes on counts at its maker's price, which is the most that it costs.
    """
    provider, _, name = model.partition("/")
    if provider in LOCAL_PROVIDERS:
        return (0.0, 0.0)
    plain = SNAPSHOT.sub("", model).replace("gemini/", "google/")
    if provider in RESELLERS:
        wanted = SNAPSHOT.sub("", name.rpartition("/")[2]).replace(".", "-")
        return next((price for known, price in PRICES.items() if known.partition("/")[2].replace(".", "-") == wanted), None)
    return PRICES.get(plain)


def compute_cost(model: str, input_tokens: int, output_tokens: int) -> float:
    """Return the dollars of one request; 0 when the price is unknown."""
    price = find_price(model) or (0.0, 0.0)
    return (input_tokens * price[0] + output_tokens * price[1]) / 1_000_000
