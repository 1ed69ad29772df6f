"""The budget of a window: how many tokens an engine may keep of it, in proportion to pi's serialization without thinking."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.conversation.entries import Entry
from transforms.conversation.serialize import convert_to_llm, project_entry, serialize_conversation
from transforms.tables.tokens import count_tokens


def count_serialized_tokens(entries: list[Entry]) -> int:
    """Return the tokens of the entries as pi gives them to a summarising model; entries outside of the context count nothing."""
    messages = [message for entry in entries if (message := project_entry(entry.raw)) is not None]
    return count_tokens(serialize_conversation(convert_to_llm(messages)))


SMALLEST_BUDGET = 240
"""Tokens of a narrative and a few facts: the least that a window of few messages needs. A talk without tools is dense."""


ROW_TOKENS = 60
"""Tokens that rows need beside the words that they tell: who said it, a title, a narrative, a reply."""


MOST_DENSE_TOKENS = 600
"""Tokens that a talk whose owner says more than its share may keep: most of what they typed, where tools printed little."""


def compute_budget(entries: Sequence[Entry], share: float) -> int:
    """Return the tokens to keep of a window: its share, of a dense talk as many as its owner typed (MOST_DENSE_TOKENS at most),
    and of a tiny window up to as many as tell all of it."""
    tokens = count_serialized_tokens(list(entries))
    typed = sum(count_tokens(entry.owner_words) for entry in entries)
    return round(max(tokens * share, min(typed, MOST_DENSE_TOKENS), min(tokens + ROW_TOKENS, SMALLEST_BUDGET)))
