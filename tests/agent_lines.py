"""Lines of session files as Claude Code and Codex write them, for tests of their readers."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.reading.entry_rows import add_tree_columns, make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.readers import recognise_session
from transforms.reading.session_header import SessionHeader

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
CLAUDE_ID = "11111111-2222-4333-8444-555555555555"
CODEX_ID = "019b0000-0000-7000-8000-000000000001"
"""Begins with the time at which it was made, like every id of Codex."""


def at(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def claude_line(kind: str, own: str | None, parent: str | None, minute: float, **fields: Any) -> str:
    line = {
        "parentUuid": parent, "isSidechain": False, "cwd": "/w/app", "sessionId": CLAUDE_ID, "version": "2.1.80", "type": kind,
        "uuid": own, "timestamp": at(minute),
    }  # fmt: skip
    return json.dumps(line | fields)


def claude_prompt(own: str, parent: str | None, minute: float, content: Any, **fields: Any) -> str:
    message = {"role": "user", "content": content}
    return claude_line("user", own, parent, minute, message=message, **({"permissionMode": "default"} | fields))


def claude_answer(own: str, parent: str | None, minute: float, message_id: str, *parts: Any, **fields: Any) -> str:
    usage = {"input_tokens": 10, "output_tokens": fields.pop("output", 5), "cache_read_input_tokens": 100}
    message = {"id": message_id, "role": "assistant", "model": "claude-x", "content": list(parts), "usage": usage}
    return claude_line("assistant", own, parent, minute, message=message, **fields)


def claude_result(own: str, parent: str | None, minute: float, call: str, text: str, **fields: Any) -> str:
    result = {"type": "tool_result", "tool_use_id": call, "content": text, **fields}
    beside = {"toolUseResult": f"Error: {text}"} if fields.get("is_error") else {}
    return claude_line("user", own, parent, minute, message={"role": "user", "content": [result]}, **beside)


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def call_part(call: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def codex_line(kind: str, minute: float, **payload: Any) -> str:
    return json.dumps({"timestamp": at(minute), "type": kind, "payload": payload})


def codex_meta(minute: float = 0, own: str = CODEX_ID, **fields: Any) -> str:
    meta = {"id": own, "timestamp": at(minute), "cwd": "/w/app", "cli_version": "0.125.0", "model_provider": "openai"}
    return codex_line("session_meta", minute, **(meta | fields))


def codex_prompt(minute: float, text: str) -> tuple[str, str]:
    """Return a prompt and the event that repeats it."""
    content = [{"type": "input_text", "text": text}]
    return (
        codex_line("response_item", minute, type="message", role="user", content=content),
        codex_line("event_msg", minute, type="user_message", message=text),
    )


def codex_answer(minute: float, text: str) -> str:
    content = [{"type": "output_text", "text": text}]
    return codex_line("response_item", minute, type="message", role="assistant", content=content)


def codex_call(minute: float, call: str, name: str, arguments: Any) -> str:
    return codex_line("response_item", minute, type="function_call", call_id=call, name=name, arguments=json.dumps(arguments))


def codex_output(minute: float, call: str, output: Any) -> str:
    return codex_line("response_item", minute, type="function_call_output", call_id=call, output=output)


def read_frame(*lines: str, name: str = "session") -> pl.DataFrame:
    """Return the rows of a file of these lines."""
    objects = parse_chunk("".join(f"{line}\n" for line in lines).encode()).objects
    header = recognise_session(objects, name, True)
    assert isinstance(header, SessionHeader), header
    position = FilePosition(header, str(Path("/s") / f"{name}.jsonl"), ZoneInfo("UTC"))
    return add_tree_columns(make_entry_rows([EntryGroup(position, objects)])[0])


def read_rows(*lines: str, name: str = "session") -> list[dict[str, Any]]:
    """Return the rows of a file of these lines, one after the other."""
    return read_frame(*lines, name=name).rows(named=True)
