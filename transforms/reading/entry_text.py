"""What one JSONL entry says: its text, thinking, tool, model, usage and time, whoever wrote the file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from transforms.conversation.serialize import parts_of, texts_of
from transforms.conversation.session_versions import message_role

EARLIEST = datetime(2001, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""Times outside of this are damage: test data with `timestamp: 1`, seconds taken for milliseconds."""

MOST_COST = 1e300

_CUT_KEYS = frozenset({"thinkingSignature", "textSignature", "thoughtSignature", "signature", "encrypted_content"})


def message_of(entry: dict[str, Any]) -> dict[str, Any]:
    """The message of a message entry, an empty one otherwise."""
    message = entry.get("message")
    return message if entry.get("type") == "message" and isinstance(message, dict) else {}


def said_at(entry: dict[str, Any]) -> datetime | None:
    """When the entry was appended, else when its message began; None when both are missing or damaged."""
    return parse_time(entry.get("timestamp")) or parse_time(message_of(entry).get("timestamp"))


def parse_time(value: Any) -> datetime | None:
    """An ISO text or Unix milliseconds as a UTC time; None for anything that cannot be a time of a session."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value / 1000, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if EARLIEST <= found < LATEST else None


def entry_text(entry: dict[str, Any]) -> str:
    """What the entry says, as one text: parts joined by newlines, a summary, a name, a command with its output."""
    kind = entry.get("type")
    if kind == "message":
        return _message_text(message_of(entry))
    if kind == "context_edit":
        replacement = entry.get("replacement")
        return "\n".join(texts_of(replacement.get("content"))) if isinstance(replacement, dict) else ""
    if kind == "model_change":
        return "/".join(str(entry[name]) for name in ("provider", "modelId") if entry.get(name))
    for name in ("content", "summary", "label", "name", "thinkingLevel", "text"):
        if texts := texts_of(entry.get(name)):
            return "\n".join(texts)
    return ""


def _message_text(message: dict[str, Any]) -> str:
    role = message_role(message)
    if role == "bashExecution":
        return f"$ {_string(message.get('command'))}\n{_string(message.get('output'))}".rstrip("\n")
    text = "\n".join(texts_of(message.get("content")))
    return text or (_string(message.get("errorMessage")) if role == "assistant" else "")


def entry_thinking(message: dict[str, Any]) -> str | None:
    """The thinking of an assistant message, None without any."""
    parts = parts_of(message.get("content")) if message.get("role") == "assistant" else []
    thoughts = [_string(part.get("thinking")) for part in parts if part.get("type") == "thinking"]
    return "\n".join(thought for thought in thoughts if thought) or None


def is_failed(message: dict[str, Any]) -> bool:
    """A failed tool result, a command that failed or was cancelled, an assistant message that ended in an error."""
    role = message.get("role")
    if role == "toolResult":
        return message.get("isError") is True
    if role == "bashExecution":
        return message.get("exitCode") not in (None, 0) or message.get("cancelled") is True
    return role == "assistant" and message.get("stopReason") == "error"


def usage_of(entry: dict[str, Any]) -> tuple[int | None, int | None, float | None]:
    """(billed input with cache, billed output, cost in USD) of whatever was billed: answers, summaries, tools, cache warming."""
    usage = message_of(entry).get("usage", entry.get("usage"))
    if type(usage) is not dict:
        return None, None, None
    get = usage.get
    cost = get("cost")
    total = cost.get("total") if type(cost) is dict else None
    return (
        count_of(get("input")) + count_of(get("cacheRead")) + count_of(get("cacheWrite")),
        count_of(get("output")),
        amount_of(total),
    )


def cut_bulk(value: Any) -> Any:
    """The value without what is large and says nothing: signatures, base64 images, the second copy of truncated output."""
    if isinstance(value, list):
        return [cut_bulk(item) for item in value]
    if not isinstance(value, dict):
        return value
    is_image = value.get("type") == "image"
    return {name: _cut_member(name, item, is_image) for name, item in value.items()}


def _cut_member(name: str, item: Any, is_image: bool) -> Any:
    if isinstance(item, str):
        if name in _CUT_KEYS and item:
            return f"[cut: signature of {len(item)} characters]"
        if is_image and name == "data":
            return f"[cut: image of {len(item)} base64 characters]"
        return item
    if name == "truncation" and isinstance(item, dict):
        return {key: member for key, member in item.items() if key != "content"}
    return cut_bulk(item)


def count_of(value: Any) -> int:
    """A whole number of tokens; 0 for what is none or beyond what JavaScript counts exactly."""
    if type(value) is int:
        return value if -(2**53) < value < 2**53 else 0
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53
    return int(value) if is_number else 0


def amount_of(value: Any) -> float | None:
    """A cost; None for what is no number, or one beyond all doubles (which pi cannot write)."""
    if type(value) is not float and type(value) is not int:
        return None
    return float(value) if abs(value) < MOST_COST else None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
