"""The typed words of a message, which tests compare."""

from __future__ import annotations

from transforms.conversation.message_spans import split_into_spans


def extract_typed_text(text: str) -> str:
    """Return only the words that a person typed; their stretches are stripped and joined by newlines."""
    typed = (text[span.start : span.end].strip() for span in split_into_spans(text) if span.kind == "typed")
    return "\n".join(part for part in typed if part)
