"""What one entry gives to its row: text, thinking, estimate, tool, model, usage. Messages as pi writes them are read in one pass.

Everything unusual takes the way of `entry_text` and `serialize`, which say what the fields mean; a test holds both against
each other. One pass takes 3 µs where those take 15, and a gigabyte of sessions has 600,000 entries.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from transforms.conversation.js_json import js_length
from transforms.conversation.message_spans import turn_kind
from transforms.conversation.serialize import IMAGE_UNITS, entry_message, estimate_tokens
from transforms.conversation.session_versions import message_role
from transforms.reading.entry_text import entry_text, entry_thinking, is_failed, message_of, usage_of
from transforms.tables.tokens import utf16_length

MOST_TOKENS = 2**31 - 1


class Fields(NamedTuple):
    """The columns of `entries` that an entry gives by itself; `flags` are those of its form."""

    entry_type: str
    role: str | None
    turn_kind: str | None
    text: str
    thinking: str | None
    tool_name: str | None
    tool_call_id: str | None
    is_error: bool
    provider: str | None
    model: str | None
    stop_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    token_count: int
    flags: tuple[str, ...]


def fields_of(entry: dict[str, Any]) -> Fields:
    """The fields of an entry without secrets and bulk."""
    message = entry.get("message")
    if type(message) is dict and entry.get("type") == "message":
        content, role = message.get("content"), message.get("role")
        if type(content) is list and role in ("user", "assistant", "toolResult"):
            return _usual(entry, message, role, content)
    return _unusual(entry)


def _unusual(entry: dict[str, Any]) -> Fields:
    message = message_of(entry)
    role = message_role(message)
    text = entry_text(entry)
    context = entry_message(entry)
    source = message or entry
    return Fields(
        _string(entry.get("type")) or "unknown", role, turn_kind(text) if role == "user" else None,
        text, entry_thinking(message), _string(message.get("toolName")), _string(message.get("toolCallId")), is_failed(message),
        _string(source.get("provider")), _string(source.get("model") or source.get("modelId")),
        _string(message.get("stopReason")), *usage_of(entry),
        min(estimate_tokens(context), MOST_TOKENS) if context else 0, _form(message),
    )  # fmt: skip


def _usual(entry: dict[str, Any], message: dict[str, Any], role: str, content: list[Any]) -> Fields:
    get = message.get
    thinking = None
    images = 0
    only = content[0] if len(content) == 1 else None
    if type(only) is dict and only.get("type") == "text" and type(text := only.get("text")) is str:
        units = len(text) if text.isascii() else utf16_length(text)
    else:
        texts, thoughts, units, images = _read_parts(content, role == "assistant")
        text = texts[0] if len(texts) == 1 else "\n".join(texts)
        thinking = "\n".join(thoughts) or None
    tokens_in = tokens_out = cost = kind = None
    stop_reason = get("stopReason")
    if role == "assistant":
        is_error = stop_reason == "error"
        text = text or _string(get("errorMessage")) or ""
    else:
        units += images * IMAGE_UNITS
        is_error = role == "toolResult" and get("isError") is True
        kind = turn_kind(text) if role == "user" else None
    if "usage" in message or "usage" in entry:
        tokens_in, tokens_out, cost = usage_of(entry)
    tool, call, provider, model = get("toolName"), get("toolCallId"), get("provider"), get("model") or get("modelId")
    return _made(Fields, (
        "message", role, kind, text, thinking,
        tool if type(tool) is str else None, call if type(call) is str else None, is_error,
        provider if type(provider) is str else None, model if type(model) is str else None,
        stop_reason if type(stop_reason) is str else None, tokens_in, tokens_out, cost,
        min(-(-units // 4), MOST_TOKENS), ("image",) if images else (),
    ))  # fmt: skip


_made = tuple.__new__
"""Fields(…) without its keywords: a third of the time."""


def _read_parts(content: list[Any], is_assistant: bool) -> tuple[list[str], list[str], int, int]:
    """(texts, thoughts, UTF-16 units of what counts, images) of a message's parts."""
    texts, thoughts = [], []
    units = images = 0
    for part in content:
        if type(part) is not dict:
            continue
        kind = part.get("type")
        if kind == "text":
            text = part.get("text")
            if type(text) is not str:
                text = ""
            texts.append(text)
            units += len(text) if text.isascii() else utf16_length(text)
        elif kind == "image":
            images += 1
        elif not is_assistant:
            continue
        elif kind == "toolCall":
            name = part.get("name")
            units += js_length(part.get("arguments") or {}) + (utf16_length(name) if type(name) is str else 0)
        elif kind == "thinking" and type(thought := part.get("thinking")) is str and thought:
            thoughts.append(thought)
            units += len(thought) if thought.isascii() else utf16_length(thought)
    return texts, thoughts, units, images


def _form(message: dict[str, Any]) -> tuple[str, ...]:
    content = message.get("content")
    if isinstance(content, str):
        return ("string_content",) if message.get("role") in ("assistant", "toolResult") else ()
    if not isinstance(content, list):
        return ()
    return ("image",) if any(isinstance(part, dict) and part.get("type") == "image" for part in content) else ()


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
