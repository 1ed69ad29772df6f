"""The budget of a window: how many tokens an engine may keep of it, in proportion to pi's serialization without thinking."""

from __future__ import annotations

from transforms.conversation.entries import Entry
from transforms.conversation.serialize import convert_to_llm, project_entry, serialize_conversation
from transforms.tables.tokens import count_tokens


def count_serialized_tokens(entries: list[Entry]) -> int:
    """Return the tokens of the entries as pi gives them to a summarising model; entries outside of the context count nothing."""
    messages = [message for entry in entries if (message := project_entry(entry.raw)) is not None]
    return count_tokens(serialize_conversation(convert_to_llm(messages)))


SMALLEST_BUDGET = 240
"""Tokens of a narrative and a few facts: the least that a window of few messages needs. A talk without tools is dense."""

DENSE_BUDGET = 2 * SMALLEST_BUDGET
"""The most to which a budget grows for what a person says in a small talk or in a language that no rule reads, and for what a
summary tells of other windows."""

ROW_TOKENS = 60
"""Tokens that rows need beside the words that they tell: who said it, a title, a narrative, a reply."""


def compute_budget(window_tokens: int, share: float) -> int:
    """Return the tokens to keep of a window: its share, but of a tiny window up to as many as tell all of it."""
    return round(max(window_tokens * share, min(window_tokens + ROW_TOKENS, SMALLEST_BUDGET)))


def grow_budget(budget: int, wanted: int) -> int:
    """Return a small budget with what is `wanted` for rows that no rule may drop, to twice its size and DENSE_BUDGET at most.

    A budget that is larger holds: it has room for such rows.
    """
    return max(budget, min(budget + wanted, 2 * budget, DENSE_BUDGET))
