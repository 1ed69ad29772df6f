"""Translates lines of Claude Code's session files into pi's shape of an entry, which everything downstream reads.

The row keeps the line as it was written; this is its view. Names and arguments of tools become those of pi.
"""

from __future__ import annotations

import re
from typing import Any

from transforms.conversation.serialize import list_parts, list_texts
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject, get_text

SYNTHETIC_MODEL = "<synthetic>"
"""The model of messages that the client wrote itself: errors and interruptions."""

_STOP_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length", "refusal": "error"}
_REFUSAL_WORDS = compile_late(
    r"^The user doesn't want to proceed with this tool use\..*?\bthe user said:\n(?P<words>.*?)"
    r"(?:\n\nNote: The user's next message\b.*)?\Z",
    re.S,
)
_QUESTION_LIST = compile_late(r"^\s*Questions asked:$", re.M)
"""The client's own words for an owner who would rather talk than choose an answer."""
_COMMAND_NAME_ELEMENT = compile_late(r"<command-name>\s*/?(?P<name>[^<]*?)\s*</command-name>")
_COMMAND_ARGUMENTS = compile_late(r"<command-args>(?P<words>.*?)</command-args>", re.S)
TOOL_NAMES = {
    "Read": "read", "NotebookRead": "read", "Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "Write": "write",
    "Bash": "bash", "Grep": "grep", "Glob": "find", "LS": "ls",
}  # fmt: skip

_ARGUMENTS = {
    "file_path": "path",
    "notebook_path": "path",
    "old_string": "oldText",
    "new_string": "newText",
    "new_source": "newText",
}


def is_claude_line(raw: JsonObject) -> bool:
    """Whether Claude Code wrote this object: pi and Codex give no line a `sessionId` or a `leafUuid`."""
    return "sessionId" in raw or "leafUuid" in raw or "isSnapshotUpdate" in raw


def read_claude_form(raw: JsonObject, role: str | None = None) -> JsonObject:
    """Return the line in pi's shape; a line that is not a message keeps its type, and its words if it has any.

    `role` is that of its row, which the call of a result decides: only with `user` are words of a refusal the owner's.
    """
    kind = raw.get("type")
    place = {"type": kind, "id": raw.get("uuid"), "parentId": raw.get("parentUuid"), "timestamp": raw.get("timestamp")}
    if kind == "assistant":
        return place | {"type": "message", "message": _read_answer(raw)}
    if kind == "user" and raw.get("isCompactSummary"):
        return place | _make_compaction(raw)
    if kind == "user":
        return place | {"type": "message", "message": _read_user_message(raw, role)}
    if kind == "attachment" and (prompt := read_queued_prompt(raw)):
        return place | {"type": "message", "message": {"role": "user", "content": prompt}}
    if kind == "queue-operation" and (words := read_enqueued_words(raw)):
        return place | {"type": "message", "message": {"role": "user", "content": words}}
    if kind in ("custom-title", "ai-title", "summary"):
        return place | {"type": "session_info", "name": _read_title(raw)}
    if kind == "system":
        return place | {"content": get_text(raw.get("content"))}
    if kind == "pr-link":
        return place | {"text": get_text(raw.get("prUrl"))}
    return place


def read_queued_prompt(raw: JsonObject) -> Any:
    """Return the content of a prompt that was typed while the agent worked, None for every other attachment."""
    attachment = raw.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return None
    return attachment.get("prompt") or None


def read_enqueued_words(raw: JsonObject) -> str:
    """Return the words that were put in the queue while the agent worked; empty for every other line and for a notice."""
    words = get_text(raw.get("content")).strip() if raw.get("operation") == "enqueue" else ""
    return "" if words.startswith("<task-notification>") else words


def list_results(raw: JsonObject) -> list[JsonObject]:
    """Return the tool results of a line."""
    message = raw.get("message")
    parts = list_parts(message.get("content")) if isinstance(message, dict) else []
    return [part for part in parts if part.get("type") == "tool_result"]


def find_refusal_words(raw: JsonObject, tool_name: str | None) -> str:
    """Return the words with which the owner refused a call of a tool; empty without any.

    The client wraps them in its own and writes the same text beside the result. A server or a sub-agent can give an error of that
    form, and a call that the file does not have may be theirs: theirs are no words of the owner.
    """
    results = list_results(raw)
    if len(results) != 1 or results[0].get("is_error") is not True or not tool_name or is_foreign_tool(tool_name):
        return ""
    content = results[0].get("content")
    is_clients = isinstance(content, str) and raw.get("toolUseResult") == f"Error: {content}"
    return _cut_refusal(results[0]) if is_clients else ""


def is_foreign_tool(tool_name: str) -> bool:
    """Whether somebody else words the errors of a tool: a server or a sub-agent. Those of a shell get a head of the client."""
    return "mcp" in tool_name.lower() or tool_name.startswith(("Task", "Agent"))


def _cut_refusal(result: JsonObject) -> str:
    match = _REFUSAL_WORDS.match("\n".join(list_texts(result.get("content"))))
    return match["words"].strip() if match and not _QUESTION_LIST.search(match["words"]) else ""


def _read_answer(raw: JsonObject) -> JsonObject:
    message = raw.get("message")
    if not isinstance(message, dict):
        return {"role": "assistant", "content": []}
    model = message.get("model")
    is_model = isinstance(model, str) and model != SYNTHETIC_MODEL
    reason = message.get("stop_reason")
    return {
        "role": "assistant",
        "content": [shared for part in list_parts(message.get("content")) for shared in _translate_part(part)],
        "provider": "anthropic" if is_model else None,
        "model": model if is_model else None,
        "stopReason": "error" if raw.get("isApiErrorMessage") else _STOP_REASONS.get(reason) if isinstance(reason, str) else None,
        "usage": _translate_usage(message.get("usage")) if is_model else None,
    }


def _translate_part(part: JsonObject) -> list[JsonObject]:
    kind = part.get("type")
    if kind in ("tool_use", "server_tool_use"):
        return [translate_call(part)]
    if kind == "thinking":
        return [{"type": "thinking", "thinking": part.get("thinking")}]
    return [part] if kind == "text" else []


def _translate_usage(usage: Any) -> JsonObject | None:
    if not isinstance(usage, dict):
        return None
    return {
        "input": usage.get("input_tokens"),
        "output": usage.get("output_tokens"),
        "cacheRead": usage.get("cache_read_input_tokens"),
        "cacheWrite": usage.get("cache_creation_input_tokens"),
    }


def _read_user_message(raw: JsonObject, role: str | None) -> JsonObject:
    message = raw.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    results = list_results(raw)
    if not results:
        return {"role": "user", "content": [_translate_user_part(part) for part in list_parts(content)]}
    if role == "user" and (words := _cut_refusal(results[0])):
        return {"role": "user", "content": words}
    blocks = [part for result in results for part in list_parts(result.get("content"))]
    blocks += [part for part in list_parts(content) if part.get("type") == "text"]
    answers = _find_answers(raw.get("toolUseResult"))
    details = {} if answers is None else {"details": {"answers": answers}}
    return {
        "role": "toolResult",
        "toolCallId": results[0].get("tool_use_id"),
        "content": blocks,
        "isError": any(result.get("is_error") is True for result in results),
    } | details


def _find_answers(recorded: Any) -> JsonObject | None:
    """Return the owner's answers to a question tool by the words of the questions, with what was typed beside each; None for
    every other result."""
    answers = recorded.get("answers") if isinstance(recorded, dict) else None
    if not isinstance(answers, dict):
        return None
    typed = recorded.get("annotations")
    notes = {key: note for key, note in typed.items() if isinstance(note, dict)} if isinstance(typed, dict) else {}
    return {key: {"answers": answer, "notes": notes.get(key, {}).get("notes")} for key, answer in answers.items()}


def _translate_user_part(part: JsonObject) -> JsonObject:
    """Return the part; a slash command as it was typed. The client begins it with its elements, which other texts may quote."""
    text = part.get("text")
    if not isinstance(text, str) or not is_command_text(text):
        return part
    name, words = _COMMAND_NAME_ELEMENT.search(text), _COMMAND_ARGUMENTS.search(text)
    if name is None:
        return part
    return {"type": "text", "text": f"/{name['name']} {words['words'].strip() if words else ''}".rstrip()}


def is_command_text(text: str) -> bool:
    """Whether the client wrote a slash command in its elements."""
    return text.lstrip().startswith(("<command-name>", "<command-message>")) and "<command-name>" in text


def _make_compaction(raw: JsonObject) -> JsonObject:
    message = raw.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return {"type": "compaction", "summary": "\n".join(list_texts(content)), "firstKeptEntryId": ""}


def _read_title(raw: JsonObject) -> str:
    return get_text(raw.get("customTitle") or raw.get("aiTitle") or raw.get("title") or raw.get("summary"))


def translate_call(part: JsonObject) -> JsonObject:
    """Return a `tool_use` part as a tool call of pi; a tool that pi does not have keeps its name and arguments."""
    name, arguments = part.get("name"), part.get("input")
    arguments = arguments if isinstance(arguments, dict) else {}
    if str(name) in TOOL_NAMES:
        arguments = _rename(arguments)
        if isinstance(edits := arguments.get("edits"), list):
            arguments["edits"] = [_rename(edit) if isinstance(edit, dict) else edit for edit in edits]
    return {"type": "toolCall", "id": part.get("id"), "name": TOOL_NAMES.get(str(name), name), "arguments": arguments}


def _rename(arguments: JsonObject) -> JsonObject:
    return {_ARGUMENTS.get(name, name): value for name, value in arguments.items()}
