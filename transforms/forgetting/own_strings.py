"""Lists what an entry says, in the format of any agent: text, thinking, inputs and results of tools; nothing of its envelope."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from transforms.tables.json_object import JsonObject

_SAID = frozenset(
    {"content", "message", "text", "thinking", "summary", "data", "details", "attachment", "prompt", "query", "title", "label"}
    | {"arguments", "input", "action", "command", "changes", "invocation", "reason", "reasoning", "last_agent_message"}
    | {"output", "result", "toolUseResult", "stdout", "stderr", "aggregated_output", "formatted_output", "error", "errorMessage"}
)
"""Members of an entry, of its message or payload, that somebody said, a tool was given, or a tool returned."""
_FRAMES, _OF_PARTS = ("message", "payload", "item"), ("content", "summary")
_NAMES_OF_PARTS = frozenset({"type", "id", "call_id", "tool_use_id", "toolCallId", "signature", "thinkingSignature"})
"""Members of a part of a message that name the part."""


def list_own_strings(raw: str) -> Iterator[str]:
    """Yield the strings and numbers of the message in an entry's JSON; all of it when it is no JSON object."""
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        entry = None
    if isinstance(entry, dict):
        yield from _read_frame(entry)
    else:
        yield raw


def _read_frame(frame: JsonObject) -> Iterator[str]:
    for name, value in frame.items():
        if name in _FRAMES and isinstance(value, dict):
            yield from _read_frame(value)
        elif name in _SAID:
            yield from _read_parts(value) if name in _OF_PARTS else _read_all(value)


def _read_parts(said: Any) -> Iterator[str]:
    """Yield what the parts of a message say: the names of parts are none of it, those in inputs and results of tools are."""
    for part in said if isinstance(said, list) else [said]:
        if isinstance(part, dict):
            for name, value in part.items():
                if name in _OF_PARTS:
                    yield from _read_parts(value)
                elif name not in _NAMES_OF_PARTS:
                    yield from _read_all(value)
        else:
            yield from _read_all(part)


def _read_all(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _read_all(member)
    elif isinstance(value, list):
        for member in value:
            yield from _read_all(member)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
