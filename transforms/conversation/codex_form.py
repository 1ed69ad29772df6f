"""Translates lines of Codex's rollout files into pi's shape of an entry, which everything downstream reads.

The row keeps the line as it was written; this is its view. Names and arguments of tools become those of pi, in `codex_tools`.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from transforms.conversation.codex_tools import CALL_TYPES, translate_call
from transforms.conversation.serialize import list_parts
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject, get_text

LINE_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output")
_OUTPUT_HEAD = compile_late(
    r"\A(?:Chunk ID: \S*\n)?Wall time: [^\n]*\n(?:Process exited with code (?P<code>-?\d+)|Process running with session ID \S+)?"
    r"\n?(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?Output:\n",
)
_EXIT_HEADER = compile_late(r"\A(?:[^\n]*\n){0,3}(?:Exit code: |Process exited with code )(?P<code>-?\d+)$", re.M)
_REQUEST_HEADING = compile_late(r"^## My request for Codex:\s*\n", re.M)
"""Heading of the typed words, after the text that an editor put before them."""


def is_codex_line(raw: JsonObject) -> bool:
    """Whether Codex wrote this object: a payload in an envelope, with neither id nor parent."""
    return isinstance(raw.get("payload"), dict) and "id" not in raw and isinstance(raw.get("type"), str)


def get_payload(raw: JsonObject) -> JsonObject:
    """Return the payload of a line, an empty object when there is none."""
    payload = raw.get("payload")
    return payload if isinstance(payload, dict) else {}


def name_codex_line(raw: JsonObject) -> str:
    """Return the type of a line that is not a message: that of its payload, else its own."""
    kind = get_payload(raw).get("type") if raw.get("type") in ("event_msg", "response_item") else None
    return kind if isinstance(kind, str) else str(raw.get("type") or "unknown")


def read_codex_form(raw: JsonObject) -> JsonObject:
    """Return the line in pi's shape; a line that is not a message keeps the type of its payload, and its words if it has any."""
    payload = get_payload(raw)
    place: JsonObject = {"type": name_codex_line(raw), "timestamp": raw.get("timestamp")}
    if raw.get("type") == "compacted":
        return place | {"type": "compaction", "summary": payload.get("message") or "", "firstKeptEntryId": ""}
    if raw.get("type") == "event_msg":
        return place | _read_event(payload)
    if raw.get("type") == "response_item" and (message := _read_item(payload)):
        return place | {"type": "message", "message": message}
    return place


def _read_event(payload: JsonObject) -> JsonObject:
    kind = payload.get("type")
    if kind == "user_message":
        return {"type": "message", "message": {"role": "user", "content": cut_to_request(get_text(payload.get("message")))}}
    if kind == "thread_name_updated":
        return {"type": "session_info", "name": get_text(payload.get("thread_name"))}
    if kind == "exec_command_end":
        commands = payload.get("parsed_cmd")
        read = (
            [parsed.get("path") for parsed in commands if isinstance(parsed, dict) and parsed.get("type") == "read"]
            if isinstance(commands, list)
            else []
        )
        return {"filesRead": [path for path in read if isinstance(path, str) and path]}
    return {}


def _read_item(payload: JsonObject) -> JsonObject | None:
    kind = str(payload.get("type"))
    if kind == "message":
        return _read_message(payload)
    if kind == "reasoning":
        thoughts = [get_text(part.get("text")) for name in ("summary", "content") for part in list_parts(payload.get(name))]
        thinking = "\n".join(thought for thought in thoughts if thought)
        return {"role": "assistant", "content": [{"type": "thinking", "thinking": thinking}]} if thinking else None
    if kind in CALL_TYPES:
        return {"role": "assistant", "content": translate_call(payload), "stopReason": "toolUse"}
    if kind in _OUTPUT_TYPES:
        output = payload.get("output")
        text, is_error = _read_output(output)
        message = {"role": "toolResult", "toolCallId": payload.get("call_id"), "content": text, "isError": is_error}
        answers = _find_answers(output)
        return message if answers is None else message | {"details": {"answers": answers}}
    return None


def _read_message(payload: JsonObject) -> JsonObject | None:
    role = payload.get("role")
    texts = [get_text(part.get("text")) for part in list_parts(payload.get("content"))]
    text = "\n".join(text for text in texts if text)
    if role == "user":
        images = [{"type": "image"} for part in list_parts(payload.get("content")) if part.get("type") == "input_image"]
        return {"role": "user", "content": [{"type": "text", "text": cut_to_request(text)}, *images]}
    if role == "assistant":
        return {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"role": "system", "content": text} if isinstance(role, str) else None


def cut_to_request(text: str) -> str:
    """Return the typed words of a prompt that an editor wrapped in context; every other text as it is.

    The editor's heading is the last one: a file that is open or selected may hold another.
    """
    ends = [match.end() for match in _REQUEST_HEADING.finditer(text)]
    return text[ends[-1] :].strip() if ends else text


def _read_output(output: Any) -> tuple[str, bool]:
    """Return the text of a tool's output without the client's measurements, and whether the tool failed."""
    if isinstance(output, dict):
        return _read_output(output.get("content"))[0], output.get("success") is False
    if isinstance(output, list):
        return "\n".join(get_text(part.get("text")) for part in list_parts(output)), False
    text = get_text(output)
    if text.startswith('{"') and (wrapped := _load_object(text)) is not None:
        if (answers := _find_answers(text)) is not None:
            return _join_answers(answers), False
        if isinstance(wrapped.get("output"), str):
            metadata = wrapped.get("metadata")
            code = metadata.get("exit_code") if isinstance(metadata, dict) else 0
            return wrapped["output"], code not in (0, None)
    head = _OUTPUT_HEAD.match(text)
    code = head["code"] if head else (exit_match["code"] if (exit_match := _EXIT_HEADER.match(text)) else None)
    body = text[head.end() :] if head else text
    if code in (None, "0"):
        return body, False
    return f"{body.rstrip()}\n\nCommand exited with code {code}".lstrip(), True


def _find_answers(output: Any) -> JsonObject | None:
    """Return the owner's answers to a question tool by the ids of the questions; None for every other output."""
    text = get_text(output)
    wrapped = _load_object(text) if text.startswith('{"answers"') else None
    answers = wrapped.get("answers") if wrapped else None
    return answers if isinstance(answers, dict) else None


def _join_answers(answers: JsonObject) -> str:
    """Return the owner's answers to a question tool, one per line."""
    label_lists = [answer.get("answers") for answer in answers.values() if isinstance(answer, dict)]
    return "\n".join("; ".join(map(str, labels)) for labels in label_lists if isinstance(labels, list))


def _load_object(text: str) -> JsonObject | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
