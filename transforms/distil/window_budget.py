"""The budget of a window: how many tokens an engine may keep of it, in proportion to pi's serialization without thinking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


SAYING_TOKENS = 45
"""Tokens that a saying needs beside its own words: what it answers, and the words that tell it."""
MOST_TALK_TOKENS, TALK_SHARES = 2400, 14
"""The most that a dense talk keeps, in tokens and in shares of its window."""
MOST_GROWN_TOKENS = 1200
"""The most that a small budget grows to for rows that no rule may drop."""


class Budget(NamedTuple):
    """The tokens to keep of a window, and how many of them passages of the agent may fill: what a dense talk has more is for the
    owner's sayings."""

    tokens: int
    passage_tokens: int


def compute_budget(entries: Sequence[Entry], share: float) -> Budget:
    """Return the tokens to keep of a window: its share, of a tiny one up to as many as tell all of it, and of a dense talk, where
    an owner decides much and tools print little, as many as tell the owner's sayings, within its bounds."""
    tokens = count_serialized_tokens(list(entries))
    own_share = compute_share(tokens, share)
    said = [words for entry in entries if (words := entry.owner_words).strip()]
    talk = min(sum(count_tokens(words) + SAYING_TOKENS for words in said), MOST_TALK_TOKENS, TALK_SHARES * share * tokens)
    return Budget(round(max(own_share, talk)), round(own_share))


def compute_share(tokens: int, share: float) -> float:
    """Return the share of a window of so many tokens; of a tiny one as many as tell all of it."""
    return max(tokens * share, min(tokens + ROW_TOKENS, SMALLEST_BUDGET))


def grow_budget(budget: int, wanted: int) -> int:
    """Return a small budget with what is `wanted` for rows that no rule may drop, to twice its size or MOST_GROWN_TOKENS.

    A budget that is larger holds: it has room for such rows.
    """
    return max(budget, min(budget + wanted, 2 * budget, MOST_GROWN_TOKENS))
