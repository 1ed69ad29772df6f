"""Tells which tool calls put a question to the owner, and which results hold the answer."""

from __future__ import annotations

from typing import Any

from transforms.conversation.entries import ToolCall
from transforms.tables.json_object import JsonObject

_ASKING_TOOLS = frozenset({"askuserquestion", "requestuserinput", "askuser", "askusertool", "userinput"})
"""Tools by which clients and their extensions ask the owner, without marks: Claude Code's, Codex's and those of pi."""


def list_questions(call: ToolCall) -> list[JsonObject]:
    """Return the questions that a tool call puts to the owner, as its arguments hold them; empty for every other call.

    A question alone is no sign: tools that search ask their server one. Either the client names the tool so, or it is a menu,
    whose options the agent wrote. The tools of MCP servers ask nobody, whatever their names and forms are.
    """
    if call.name.lower().startswith("mcp"):
        return []
    listed = call.arguments.get("questions")
    asked = [
        item
        for item in (call.arguments, *(listed if isinstance(listed, list) else []))
        if isinstance(item, dict) and isinstance(question := item.get("question"), str) and question.strip()
    ]
    return asked if is_asking_tool(call) else [item for item in asked if list_labels(item)]


def is_asking_tool(call: ToolCall) -> bool:
    """Whether the tool of a call is one by which clients ask the owner: its result is the owner's, whatever it says."""
    return "".join(filter(str.isalpha, call.name.lower())) in _ASKING_TOOLS


def list_labels(question: JsonObject) -> list[str]:
    """Return the labels of a question's options, in order; empty without a menu."""
    options = question.get("options")
    labels = map(read_label, options if isinstance(options, list) else [])
    return [label for label in labels if label]


def read_label(option: Any) -> str:
    """Return the label of an option; empty without one."""
    if isinstance(option, dict):
        option = option.get("label") or option.get("value") or option.get("title")
    return option.strip() if isinstance(option, str) else ""


def holds_answer(call: ToolCall, result: str) -> bool:
    """Whether the result of a call is what the owner answered: a tool of another name must return options of its menu."""
    questions = list_questions(call)
    return bool(questions) and (is_asking_tool(call) or any(label in result for item in questions for label in list_labels(item)))
