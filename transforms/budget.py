"""How long a window is for the budget: the tokens of pi's serialization of it, without thinking."""

from __future__ import annotations

from transforms.entries import Entry
from transforms.serialize import convert_to_llm, entry_message, serialize_conversation
from transforms.tokens import tokens


def serialized_tokens(entries: list[Entry]) -> int:
    """Tokens of the entries as pi would give them to a summarising model; entries outside of the context count nothing."""
    messages = [message for entry in entries if (message := entry_message(entry.raw)) is not None]
    return tokens(serialize_conversation(convert_to_llm(messages)))
