"""Maps the tools of Claude Code to those of pi: the same action has the same name and the same arguments."""

from __future__ import annotations

from transforms.tables.json_object import JsonObject

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
