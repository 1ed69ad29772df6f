"""The text, thinking, usage and time of one JSONL entry."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from transforms.conversation.serialize import list_parts, list_texts, read_role
from transforms.reading.timestamps import LATEST, parse_time
from transforms.tables.json_object import JsonObject, get_text

MAX_COST = 1e300
MAX_COUNT = 2**53
"""JavaScript counts exactly below this number."""

_BULKY_TEXT_MEMBERS = frozenset({"thinkingSignature", "textSignature", "thoughtSignature", "signature", "encrypted_content"})


def get_message(entry: JsonObject) -> JsonObject:
    """Return the message of a message entry, an empty object for every other entry."""
    message = entry.get("message")
    return message if entry.get("type") == "message" and isinstance(message, dict) else {}


def read_entry_time(entry: JsonObject, latest: datetime = LATEST) -> datetime | None:
    """Return when the entry was appended, else when its message began; None when both are missing or damaged."""
    return parse_time(entry.get("timestamp"), latest) or parse_time(get_message(entry).get("timestamp"), latest)


def read_entry_text(entry: JsonObject) -> str:
    """Return the words of an entry as one text: parts joined by newlines, a summary, a name, a command with its output."""
    kind = entry.get("type")
    if kind == "message":
        message = get_message(entry)
        return read_message_text(message, read_role(message), list_parts(message.get("content")))
    if kind == "context_edit":
        replacement = entry.get("replacement")
        return "\n".join(list_texts(replacement.get("content"))) if isinstance(replacement, dict) else ""
    if kind == "model_change":
        return "/".join(str(entry[name]) for name in ("provider", "modelId") if entry.get(name))
    for name in ("content", "summary", "label", "name", "thinkingLevel", "text"):
        if texts := list_texts(entry.get(name)):
            return "\n".join(texts)
    return ""


def read_message_text(message: JsonObject, role: str | None, parts: list[JsonObject]) -> str:
    """Return the words of a message whose role and parts are known."""
    if role == "bashExecution":
        return f"$ {get_text(message.get('command'))}\n{get_text(message.get('output'))}".rstrip("\n")
    text = "\n".join([get_text(part.get("text")) for part in parts if part.get("type") == "text"])
    return text or (get_text(message.get("errorMessage")) if role == "assistant" else "")


def read_thinking(role: str | None, parts: list[JsonObject]) -> str | None:
    """Return the thinking of an assistant message, None without any."""
    if role != "assistant":
        return None
    thoughts = [part.get("thinking") for part in parts if part.get("type") == "thinking"]
    return "\n".join(thought for thought in thoughts if thought and isinstance(thought, str)) or None


def is_failed(message: JsonObject) -> bool:
    """Whether an entry is a failed tool result, a command that failed or was cancelled, or an answer that ended in an error."""
    role = message.get("role")
    if role == "toolResult":
        return message.get("isError") is True
    if role == "bashExecution":
        return message.get("exitCode") not in (None, 0) or message.get("cancelled") is True
    return role == "assistant" and message.get("stopReason") == "error"


def read_usage(entry: JsonObject) -> tuple[int | None, int | None, float | None]:
    """Return (billed input tokens with cache, billed output tokens, cost in USD) of answers, summaries and tools."""
    usage = get_message(entry).get("usage", entry.get("usage"))
    if not isinstance(usage, dict):
        return None, None, None
    cost = usage.get("cost")
    return (
        _read_count(usage.get("input")) + _read_count(usage.get("cacheRead")) + _read_count(usage.get("cacheWrite")),
        _read_count(usage.get("output")),
        _read_amount(cost.get("total")) if isinstance(cost, dict) else None,
    )


def cut_bulk(value: Any) -> Any:
    """Return a JSON value without large members that hold no words: signatures, base64 images, the copy of truncated output."""
    if isinstance(value, list):
        return [cut_bulk(item) for item in value]
    if not isinstance(value, dict):
        return value
    is_image = value.get("type") == "image"
    return {name: _cut_member(name, item, is_image) for name, item in value.items()}


def _cut_member(name: str, item: Any, is_image: bool) -> Any:
    if isinstance(item, str):
        if name in _BULKY_TEXT_MEMBERS and item:
            return f"[cut: signature of {len(item)} characters]"
        if is_image and name == "data":
            return f"[cut: image of {len(item)} base64 characters]"
        return item
    if name == "truncation" and isinstance(item, dict):
        return {key: member for key, member in item.items() if key != "content"}
    return cut_bulk(item)


def _read_count(value: object) -> int:
    """Return a whole number of tokens; 0 for anything that is not a number, or beyond exact counting."""
    if type(value) is not int and (isinstance(value, bool) or not isinstance(value, int | float)):
        return 0
    return int(value) if abs(value) < MAX_COUNT else 0


def _read_amount(value: object) -> float | None:
    """Return a cost; None for anything that is not a number, or beyond all doubles, which pi cannot write."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < MAX_COST else None
