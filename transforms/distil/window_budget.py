"""How long a window is for the budget: the tokens of pi's serialization of it, without thinking."""

from __future__ import annotations

from transforms.conversation.entries import Entry
from transforms.conversation.serialize import convert_to_llm, entry_message, serialize_conversation
from transforms.tables.tokens import tokens


def count_serialized_tokens(entries: list[Entry]) -> int:
    """Tokens of the entries as pi would give them to a summarising model; entries outside of the context count nothing."""
    messages = [message for entry in entries if (message := entry_message(entry.raw)) is not None]
    return tokens(serialize_conversation(convert_to_llm(messages)))


SMALLEST_BUDGET = 120
"""Tokens of a narrative and a row or two: a window of one message (its long turn was cut behind it) must still say something."""


def compute_budget(window_tokens: int, share: float) -> int:
    """Tokens that may be kept of a window: its share, but of a tiny window up to half, so that its one request survives."""
    return round(max(window_tokens * share, min(window_tokens / 2, SMALLEST_BUDGET)))
