"""Small hand-written conversations for the tests of engines and checks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from transforms.conversation.entries import Entry
from transforms.conversation.message_spans import classify_turn
from transforms.tables.tokens import count_tokens

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def user(text: str) -> dict[str, Any]:
    """Return an entry of a person."""
    return {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": text}]}}


def agent(text: str = "", *calls: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of the agent, with its tool calls."""
    parts = [{"type": "text", "text": text}] if text else []
    return {
        "type": "message",
        "message": {"role": "assistant", "content": [*parts, *calls], "stopReason": "toolUse" if calls else "stop"},
    }


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    """Return a tool call."""
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(call_id: str, text: str, *, is_error: bool = False) -> dict[str, Any]:
    """Return a tool's result."""
    return {
        "type": "message",
        "message": {
            "role": "toolResult", "toolCallId": call_id, "toolName": "tool", "isError": is_error,
            "content": [{"type": "text", "text": text}],
        },
    }  # fmt: skip


def edited(path: str, old: str, new: str, call_id: str = "c1", text: str = "") -> list[dict[str, Any]]:
    """Return an edit and its result."""
    return [agent(text, call("edit", call_id, path=path, oldText=old, newText=new)), result(call_id, "ok")]


def ran(command: str, output: str, call_id: str = "c2", *, is_error: bool = False, text: str = "") -> list[dict[str, Any]]:
    """Return a command and its output."""
    return [agent(text, call("bash", call_id, command=command)), result(call_id, output, is_error=is_error)]


def conversation(*parts: dict[str, Any] | list[dict[str, Any]], first: int = 0) -> list[Entry]:
    """Return the parts as entries of one session, a minute apart."""
    flat = [item for part in parts for item in (part if isinstance(part, list) else [part])]
    return [entry(raw, first + at) for at, raw in enumerate(flat)]


def entry(raw: dict[str, Any], ordinal: int) -> Entry:
    """Return one raw entry as the reader would store it."""
    message = raw["message"]
    text = "\n".join(_texts(message["content"]))
    kind = classify_turn(text) if message["role"] == "user" else None
    return Entry(
        session_id="session", ordinal=ordinal, entry_id=f"e{ordinal}", parent_id=None, line_no=ordinal + 1, entry_type="message",
        role=message["role"], turn_kind=kind, text=text,
        tool_name=message.get("toolName"), tool_call_id=message.get("toolCallId"),
        is_error=bool(message.get("isError")), stop_reason=message.get("stopReason"), token_count=count_tokens(text),
        said_at=START + timedelta(minutes=ordinal), on_active_branch=True, flags=(), raw_json=orjson.dumps(raw).decode(),
    )  # fmt: skip


def _texts(content: Iterable[dict[str, Any]]) -> list[str]:
    return [part["text"] for part in content if part["type"] == "text"]
