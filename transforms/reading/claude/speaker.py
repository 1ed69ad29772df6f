"""Tells which lines of role user the owner typed. The client says so by the members of a line, not by its words."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

from transforms.conversation.claude_form import (
    find_refusal_words,
    is_command_text,
    list_results,
    read_enqueued_words,
    read_queued_prompt,
)
from transforms.conversation.serialize import list_parts, list_texts
from transforms.conversation.speakers import Attribution, attribute_to
from transforms.tables.enums import TurnKind
from transforms.tables.json_object import JsonObject

PROMPT_MARKS = frozenset({"permissionMode", "thinkingMetadata"})
"""Members that the client gives to a prompt of the owner and to no other line of role user."""


def is_prompt(line: JsonObject) -> bool:
    """Whether a line may be a prompt of the owner: role user, no tool result, nothing that the client marks as its own."""
    if read_queued_prompt(line):
        return True
    return line.get("type") == "user" and not _is_of_client(line) and not list_results(line)


def _is_of_client(line: JsonObject) -> bool:
    """Whether the client marks a line as its own, or as a sub-agent's."""
    return bool(line.get("isMeta") or line.get("isCompactSummary") or line.get("isSidechain"))


def find_marked_versions(lines: Sequence[JsonObject]) -> set[str]:
    """Return the versions of the client whose prompts in this file bear a mark."""
    return {str(line.get("version")) for line in lines if line.get("type") == "user" and not PROMPT_MARKS.isdisjoint(line)}


def list_queued_texts(lines: Sequence[JsonObject]) -> set[str]:
    """Return the prompts that were typed while the agent worked."""
    queued = (line.get("content") for line in lines if line.get("type") == "queue-operation")
    return {text.strip() for text in queued if isinstance(text, str)}


def find_silent_prompts(lines: Sequence[JsonObject]) -> dict[int, int]:
    """Return the lines that alone hold a prompt, each with the line that gave it to the agent: it was put in the queue, taken out
    for the agent, and written nowhere else.

    Versions of the client deliver a prompt that was typed while a sub-agent worked without a line of its own. What the owner took
    back into the input line (`popAll`) was not sent. A prompt that stands in a later line, alone or with others, is read there;
    what the client wrote for itself or for a sub-agent may repeat it and delivers nothing.
    """
    taken = _match_queue(lines)
    prompts = (
        [(index, f"\n{text.strip()}\n") for index, line in enumerate(lines) if (text := _read_prompt(line))] if taken else []
    )
    silent = {}
    for index, taken_at in taken.items():
        words = read_enqueued_words(lines[index])
        later = islice(prompts, bisect(prompts, (index, "")), None)
        if words and not any(f"\n{words}\n" in text for _, text in later):
            silent[index] = taken_at
    return silent


def _match_queue(lines: Sequence[JsonObject]) -> dict[int, int]:
    """Return the lines that put a prompt in the queue, each with the line that took it out for the agent.

    The oldest prompt leaves first, unless the line names its words. A session that broke off loses its queue: then the numbers
    do not agree, and what waits is given away with the next one that is.
    """
    taken: dict[int, int] = {}
    waiting: list[int] = []
    for index, line in enumerate(lines):
        operation = line.get("operation") if line.get("type") == "queue-operation" else None
        if operation == "enqueue":
            waiting.append(index)
        elif operation is not None:
            named = [at for at in waiting if lines[at].get("content") == line.get("content")]
            is_given = operation in ("remove", "dequeue")
            leaving = (named or waiting)[:1] if is_given else named or waiting
            if is_given:
                taken |= {at: index for at in waiting if at in leaving or at not in taken}
            else:
                taken = {at: place for at, place in taken.items() if at not in leaving}
            waiting = [at for at in waiting if at not in leaving]
    return taken


def _read_prompt(line: JsonObject) -> str:
    """Return the words of a line of role user that may be the owner's, also of one that was queued or has a tool's result."""
    if prompt := read_queued_prompt(line):
        return "\n".join(list_texts(prompt))
    return _read_text(line) if line.get("type") == "user" and not _is_of_client(line) else ""


class Voice(NamedTuple):
    """The speaker of a line of role user, and the kind of its turn."""

    turn_kind: TurnKind
    attribution: Attribution


def find_voice(
    line: JsonObject, marked_versions: Collection[str], queued: Collection[str], tool_name: str | None = None
) -> Voice | None:
    """Return who speaks in a line of role user as its members tell; None when its words decide.

    `tool_name` is the tool of the call whose result the line holds.
    """
    if find_refusal_words(line, tool_name):
        return Voice("typed", attribute_to("owner", "claude:words_of_refusal"))
    if list_results(line) or line.get("isCompactSummary"):
        return None
    if isinstance(attachment := line.get("attachment"), dict):
        is_notice = attachment.get("commandMode") == "task-notification"
        return Voice("machine", attribute_to("system", "claude:task_notification")) if is_notice else None
    if line.get("isSidechain"):
        return Voice("machine", attribute_to("parent_agent", "claude:sidechain"))
    text = _read_text(line)
    if line.get("isMeta"):
        is_skill = line.get("sourceToolUseID") or text.startswith("Base directory for this skill:")
        if is_skill:
            return Voice("skill", attribute_to("skill", "claude:meta"))
        return Voice("machine", attribute_to("system", "claude:meta"))
    if line.get("planContent"):
        return Voice("pasted", attribute_to("agent", "claude:plan"))
    origin = line.get("origin")
    if isinstance(origin, dict) and origin.get("kind") not in (None, "human"):
        return Voice("machine", attribute_to("system", "claude:origin"))
    is_command = is_command_text(text)
    if (
        str(line.get("version")) in marked_versions
        and PROMPT_MARKS.isdisjoint(line)
        and not is_command
        and text.strip() not in queued
    ):
        return Voice("machine", attribute_to("system", "claude:no_prompt_mark"))
    return None


def _read_text(line: JsonObject) -> str:
    message = line.get("message")
    return (
        "\n".join(list_texts(message.get("content"))) if isinstance(message, dict) and list_parts(message.get("content")) else ""
    )
