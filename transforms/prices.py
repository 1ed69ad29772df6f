"""What models cost, in US dollars per million tokens (input, output): the providers' list prices as of autumn 2025.

A price that is wrong by little is caught by the token budget; a model that is missing here is budgeted in tokens only.
"""

from __future__ import annotations

import re

PRICES: dict[str, tuple[float, float]] = {
    "anthropic/claude-haiku-4-5": (1.00, 5.00),
    "anthropic/claude-3-5-haiku": (0.80, 4.00),
    "anthropic/claude-sonnet-4-5": (3.00, 15.00),
    "anthropic/claude-sonnet-4": (3.00, 15.00),
    "anthropic/claude-opus-4-5": (5.00, 25.00),
    "anthropic/claude-opus-4-1": (15.00, 75.00),
    "openai/gpt-5": (1.25, 10.00),
    "openai/gpt-5-mini": (0.25, 2.00),
    "openai/gpt-5-nano": (0.05, 0.40),
    "openai/gpt-4.1": (2.00, 8.00),
    "openai/gpt-4.1-mini": (0.40, 1.60),
    "openai/gpt-4.1-nano": (0.10, 0.40),
    "openai/gpt-4o": (2.50, 10.00),
    "openai/gpt-4o-mini": (0.15, 0.60),
    "openai/o4-mini": (1.10, 4.40),
    "google/gemini-2.5-pro": (2.50, 15.00),
    "google/gemini-2.5-flash": (0.30, 2.50),
    "google/gemini-2.5-flash-lite": (0.10, 0.40),
}
_SNAPSHOT = re.compile(r"[-@](?:latest|20\d\d-?\d\d-?\d\d)$")


def price_of(model: str) -> tuple[float, float] | None:
    """Dollars per million input and output tokens of `provider/model`; null when nobody told. Ollama's models are free."""
    if model.startswith("ollama/"):
        return (0.0, 0.0)
    return PRICES.get(_SNAPSHOT.sub("", model).replace("gemini/", "google/"))


def cost_of(model: str, input_tokens: int, output_tokens: int) -> float:
    """Dollars of one request; 0 when the price is not known."""
    price = price_of(model) or (0.0, 0.0)
    return (input_tokens * price[0] + output_tokens * price[1]) / 1_000_000
