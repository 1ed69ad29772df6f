"""Joins the lines of one message: the client writes a line for each part of an answer, all with the message's id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.conversation.serialize import list_parts
from transforms.tables.json_object import JsonObject

PART_TYPE = "message_part"
"""Type of a line that continues the message of an earlier line, whose entry holds all parts."""


@dataclass(frozen=True, slots=True)
class JoinedMessages:
    """By index: the whole message for its first line, and the last line of that message; the lines that only continue one."""

    whole: dict[int, JsonObject]
    last: dict[int, JsonObject]
    parts: set[int]


def join_messages(lines: Sequence[JsonObject], skipped: set[int]) -> JoinedMessages:
    """Return the messages that stand on several lines; `skipped` lines belong to none.

    The whole message is its first line with every part once. Each line repeats the usage so far, so that of the last one counts.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for index, line in enumerate(lines):
        message = line.get("message")
        if (
            index not in skipped
            and line.get("type") == "assistant"
            and isinstance(message, dict)
            and isinstance(message.get("id"), str)
        ):
            members.setdefault((message["id"], str(line.get("agentId"))), []).append(index)
    joined = JoinedMessages({}, {}, set())
    for group in members.values():
        if len(group) > 1:
            joined.whole[group[0]] = _join_lines([lines[index] for index in group])
            joined.last[group[0]] = lines[group[-1]]
            joined.parts.update(group[1:])
    return joined


def _join_lines(group: Sequence[JsonObject]) -> JsonObject:
    parts: list[JsonObject] = []
    for line in group:
        parts += [part for part in list_parts(line["message"].get("content")) if part not in parts]
    return group[0] | {"message": group[0]["message"] | {"content": parts}}
