"""Maps the tools of Codex to those of pi: a command runs in `bash`, and a patch is one edit, write or removal per file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

CALL_TYPES = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec"})
_PATCHED = compile_late(r"^\*\*\* (?P<action>Update|Add|Delete) File: (?P<path>.+?)[ \t]*$", re.M)
_PATCH = compile_late(r"^\*\*\* Begin Patch\n.*?(?:^\*\*\* End Patch|\Z)", re.S | re.M)
_MOVED = compile_late(r"\A\*\*\* Move to: (?P<path>.+?)[ \t]*$", re.M)


def translate_call(payload: JsonObject) -> list[JsonObject]:
    """Return the tool calls of an item; all but the first part of a patch are marked as `continues`."""
    arguments = _read_arguments(payload)
    name = str(payload.get("name") or str(payload.get("type")).removesuffix("_call"))
    command = arguments.get("cmd", arguments.get("command"))
    patch = _find_patch(name, arguments, command)
    if patch and (actions := list(_split_patch(patch))):
        return [
            _make_call(payload, action, values) | ({"continues": True} if number else {})
            for number, (action, values) in enumerate(actions)
        ]
    if name in _SHELLS and command is not None:
        others = {key: value for key, value in arguments.items() if key not in ("cmd", "command")}
        return [_make_call(payload, "bash", {"command": _join_command(command), **others})]
    namespace = payload.get("namespace")
    is_servers = isinstance(namespace, str) and namespace.startswith("mcp")
    return [_make_call(payload, f"{namespace}{name}" if is_servers else name, arguments)]


def _make_call(payload: JsonObject, name: str, arguments: JsonObject) -> JsonObject:
    return {"type": "toolCall", "id": payload.get("call_id") or payload.get("id"), "name": name, "arguments": arguments}


def _read_arguments(payload: JsonObject) -> JsonObject:
    """Return the arguments of a call: JSON in a text, a free text, or an object."""
    if isinstance(action := payload.get("action"), dict):
        return action
    written = payload.get("arguments", payload.get("input"))
    if isinstance(written, dict):
        return written
    if not isinstance(written, str):
        return {}
    try:
        value = orjson.loads(written)
    except orjson.JSONDecodeError:
        return {"input": written}
    return value if isinstance(value, dict) else {"input": written}


def _join_command(command: Any) -> str:
    """Return a command as it would be typed: without the shell that runs it."""
    if not isinstance(command, list):
        return str(command)
    words = [str(word) for word in command]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]
    return " ".join(words)


def _find_patch(name: str, arguments: JsonObject, command: Any) -> str:
    texts = [arguments.get("input"), arguments.get("patch"), *(command if isinstance(command, list) else [command])]
    if name != "apply_patch" and not any(isinstance(text, str) and text.lstrip().startswith("apply_patch") for text in texts):
        return ""
    patches = (_PATCH.search(text) for text in texts if isinstance(text, str))
    return next((match[0] for match in patches if match), "")


def _split_patch(patch: str) -> Iterator[tuple[str, JsonObject]]:
    heads = list(_PATCHED.finditer(patch))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = patch[head.end() + 1 : following.start() if following else len(patch)].replace("*** End Patch", "")
        path = head["path"]
        if head["action"] == "Delete":
            yield "bash", {"command": f"rm {path}"}
        elif head["action"] == "Add":
            yield "write", {"path": path, "content": "\n".join(line[1:] for line in body.split("\n") if line.startswith("+"))}
        else:
            moved = _MOVED.match(body)
            yield "edit", {"path": path, "edits": list(_split_hunks(body))}
            if moved:
                yield "bash", {"command": f"mv {path} {moved['path']}"}


def _split_hunks(body: str) -> Iterator[JsonObject]:
    for hunk in re.split(r"^@@.*$", body, flags=re.M):
        lines = [line for line in hunk.split("\n") if line[:1] in ("+", "-", " ")]
        if any(line[0] != " " for line in lines):
            yield {
                "oldText": "\n".join(line[1:] for line in lines if line[0] in "- "),
                "newText": "\n".join(line[1:] for line in lines if line[0] in "+ "),
            }
