"""Renders a conversation as one text, and estimates its tokens, as pi does.

Ports of convertToLlm, serializeConversation and estimateTokens of pi 1.5.2, also for sessions of older versions. Source: pi's
published package; the tests compare with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transforms.conversation.js_json import count_js_units, order_js_items, stringify_as_javascript
from transforms.tables.json_object import JsonObject, get_text
from transforms.tables.tokens import convert_units_to_tokens, count_utf16_units

PiMessage = JsonObject

TOOL_RESULT_UNITS = 2000
IMAGE_UNITS = 4800

_BRANCH_PREFIX = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
_COMPACTION_PREFIX = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"


def project_entry(entry: PiMessage) -> PiMessage | None:
    """Return the message that an entry puts into the model's context, or None, as buildSessionContext does for one entry."""
    kind = entry.get("type")
    if kind == "message":
        message = entry.get("message")
        return message if isinstance(message, dict) else None
    if kind == "custom_message":
        return {"role": "custom", "content": entry.get("content")}
    if kind == "branch_summary" and entry.get("summary"):
        return {"role": "branchSummary", "summary": entry["summary"]}
    if kind == "compaction":
        return {"role": "compactionSummary", "summary": entry.get("summary")}
    return None


def read_role(message: PiMessage) -> str | None:
    """Return the role of a message in the terms of version 3; version 2 calls injected messages `hookMessage`."""
    role = message.get("role")
    return "custom" if role == "hookMessage" else role if isinstance(role, str) else None


def list_parts(content: Any) -> list[PiMessage]:
    """Return content as a list of parts: a string is one text part, any other value gives none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def list_texts(content: Any) -> list[str]:
    """Return the texts of the text parts, in order."""
    return [get_text(part.get("text")) for part in list_parts(content) if part.get("type") == "text"]


def convert_to_llm(messages: Iterable[PiMessage]) -> list[PiMessage]:
    """Return the messages as a model gets them: bash runs and summaries are user messages, others out of context are left out."""
    converted = (_convert(message) for message in messages)
    return [message for message in converted if message is not None]


def _convert(message: PiMessage) -> PiMessage | None:
    role = read_role(message)
    if role in ("user", "assistant", "toolResult", "system"):
        return message
    if role == "custom":
        return {"role": "user", "content": list_parts(message.get("content"))}
    if role == "branchSummary":
        return _make_user_message(f"{_BRANCH_PREFIX}{get_text(message.get('summary'))}</summary>")
    if role == "compactionSummary":
        return _make_user_message(f"{_COMPACTION_PREFIX}{get_text(message.get('summary'))}\n</summary>")
    if role == "bashExecution" and not message.get("excludeFromContext"):
        return _make_user_message(render_bash_run(message))
    return None


def _make_user_message(text: str) -> PiMessage:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def render_bash_run(message: PiMessage) -> str:
    """Return a `!command` of the user as the model sees it."""
    output = get_text(message.get("output"))
    text = f"Ran `{get_text(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    exit_code = message.get("exitCode")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif exit_code is not None and exit_code != 0:
        text += f"\n\nCommand exited with code {stringify_as_javascript(exit_code)}"
    path = message.get("fullOutputPath")
    return text + (f"\n\n[Output truncated. Full output: {path}]" if message.get("truncated") and path else "")


def serialize_conversation(messages: Iterable[PiMessage]) -> str:
    """Return the text that pi gives to a summarising model; messages must have gone through `convert_to_llm`."""
    return "\n\n".join(block for message in messages for block in _render_blocks(message))


def _render_blocks(message: PiMessage) -> list[str]:
    role, content = message.get("role"), message.get("content")
    if role == "user":
        text = "".join(list_texts(content))
        return [f"[User]: {text}"] if text else []
    if role == "assistant":
        return _render_assistant_blocks(list_parts(content))
    if role == "toolResult":
        text = "".join(list_texts(content))
        return [f"[Tool result]: {cut_tool_result(text)}"] if text else []
    return []


def _render_assistant_blocks(parts: list[PiMessage]) -> list[str]:
    blocks = []
    if texts := list_texts(parts):
        blocks.append("[Assistant]: " + "\n".join(texts))
    if calls := [_render_call(part) for part in parts if part.get("type") == "toolCall"]:
        blocks.append("[Assistant tool calls]: " + "; ".join(calls))
    return blocks


def _render_call(part: PiMessage) -> str:
    arguments = part.get("arguments")
    members = order_js_items(arguments) if isinstance(arguments, dict) else []
    return f"{get_text(part.get('name'))}({', '.join(f'{key}={stringify_as_javascript(value)}' for key, value in members)})"


def cut_tool_result(text: str) -> str:
    """Return a tool result cut to 2,000 UTF-16 units, with pi's note on the number of missing ones."""
    length = count_utf16_units(text)
    if length <= TOOL_RESULT_UNITS:
        return text
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * TOOL_RESULT_UNITS]
    whole = units[:-2] if 0xD8 <= units[-1] <= 0xDB else units  # half of a pair of surrogates is left out
    return f"{whole.decode('utf-16-le', 'surrogatepass')}\n\n[... {length - TOOL_RESULT_UNITS} more characters truncated]"


def estimate_tokens(message: PiMessage) -> int:
    """Return pi's token estimate of a message before conversion: ceil(UTF-16 units / 4), 4,800 units per image."""
    return estimate_part_tokens(message, read_role(message), list_parts(message.get("content")))


def estimate_part_tokens(message: PiMessage, role: str | None, parts: list[PiMessage]) -> int:
    """Return `estimate_tokens` of a message whose role and parts are known."""
    return convert_units_to_tokens(_count_units(message, role, parts))


def _count_units(message: PiMessage, role: str | None, parts: list[PiMessage]) -> int:
    if role == "assistant":
        return sum(map(_count_part_units, parts))
    if role in ("custom", "toolResult", "user"):
        return _count_content_units(parts, IMAGE_UNITS)
    if role == "bashExecution":
        return count_utf16_units(get_text(message.get("command"))) + count_utf16_units(get_text(message.get("output")))
    if role in ("branchSummary", "compactionSummary"):
        return count_utf16_units(get_text(message.get("summary")))
    if role == "system":
        return _count_system_units(message, parts)
    return 0


def _count_content_units(parts: list[PiMessage], image_units: int) -> int:
    units = 0
    for part in parts:
        kind = part.get("type")
        if kind == "text":
            units += count_utf16_units(get_text(part.get("text")))
        elif kind == "image":
            units += image_units
    return units


def _count_part_units(part: PiMessage) -> int:
    kind = part.get("type")
    if kind in ("text", "thinking"):
        return count_utf16_units(get_text(part.get(str(kind))))
    if kind == "toolCall":
        return count_utf16_units(get_text(part.get("name"))) + count_js_units(part.get("arguments") or {})
    return 0


def _count_system_units(message: PiMessage, parts: list[PiMessage]) -> int:
    sections = message.get("sections")
    values: list[Any] = list(sections.values()) if isinstance(sections, dict) else []
    units = sum(map(count_utf16_units, map(get_text, values))) + _count_content_units(parts, 0)
    added = message.get("toolsAdded")
    return units + (count_js_units(added) if added else 0)
