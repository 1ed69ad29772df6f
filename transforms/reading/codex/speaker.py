"""Tells which lines of role user the owner typed: Codex reports each prompt once more, as an event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from transforms.conversation.codex_form import get_payload
from transforms.conversation.serialize import list_parts
from transforms.tables.json_object import JsonObject

_INJECTED = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>")
"""Beginnings of texts that the client sends in the user's name; they count only in files without events of prompts."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """Lines of role user by their index: typed by the owner, written by the client; and events that repeat a typed one."""

    typed: set[int]
    injected: set[int]
    repeats: set[int]


def find_prompts(lines: Sequence[JsonObject]) -> Prompts:
    """Return who wrote the lines of role user. Of a prompt and its event only the prompt counts; an event alone is a prompt."""
    events: Counter[str] = Counter(text for line in lines if (text := _read_event(line)) is not None)
    has_events = bool(events)
    prompts = Prompts(set(), set(), set())
    answer_counts: Counter[str] = Counter()
    for index, line in enumerate(lines):
        texts = _read_user_texts(line)
        if texts is None:
            continue
        matching = next((text for text in texts if answer_counts[text] < events[text]), None)
        if matching is not None:
            answer_counts[matching] += 1
            prompts.typed.add(index)
        elif has_events or any(text.startswith(_INJECTED) for text in texts):
            prompts.injected.add(index)
        else:
            prompts.typed.add(index)
    for index, line in enumerate(lines):
        if (event := _read_event(line)) is not None:
            if answer_counts[event] > 0:
                answer_counts[event] -= 1
                prompts.repeats.add(index)
            else:
                prompts.typed.add(index)
    return prompts


def _read_event(line: JsonObject) -> str | None:
    payload = get_payload(line)
    if line.get("type") != "event_msg" or payload.get("type") != "user_message":
        return None
    message = payload.get("message")
    return message.strip() if isinstance(message, str) else ""


def _read_user_texts(line: JsonObject) -> list[str] | None:
    """Return the texts of a line of role user, the whole and its parts; None for every other line."""
    payload = get_payload(line)
    if line.get("type") != "response_item" or payload.get("type") != "message" or payload.get("role") != "user":
        return None
    parts = [text.strip() for part in list_parts(payload.get("content")) if isinstance(text := part.get("text"), str)]
    return list(dict.fromkeys(["\n".join(parts), *parts]))
