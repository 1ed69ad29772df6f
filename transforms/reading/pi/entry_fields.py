"""The columns of `entries` that an entry gives by itself."""

from __future__ import annotations

from typing import NamedTuple

from transforms.conversation.message_spans import classify_turn
from transforms.conversation.serialize import estimate_part_tokens, estimate_tokens, list_parts, project_entry, read_role
from transforms.conversation.speakers import Attribution, attribute_entry, attribute_to, make_part_rows
from transforms.reading.pi.entry_text import (
    get_message,
    is_failed,
    read_entry_text,
    read_message_text,
    read_thinking,
    read_usage,
)
from transforms.tables.enums import EntryFlag, Speaker
from transforms.tables.json_object import JsonObject, get_text_or_none
from transforms.tables.rows import SpeakerPart

LARGEST_TOKEN_COUNT = 2**31 - 1


class EntryFields(NamedTuple):
    """Columns of `entries`, named like them; `flags` are those of the entry's form."""

    entry_type: str
    role: str | None
    turn_kind: str | None
    speaker: Speaker
    speaker_reason: str
    speaker_parts: list[SpeakerPart] | None
    text: str
    thinking: str | None
    tool_name: str | None
    tool_call_id: str | None
    is_error: bool
    provider: str | None
    model: str | None
    stop_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    token_count: int
    flags: tuple[EntryFlag, ...]


def read_entry_fields(entry: JsonObject) -> EntryFields:
    """Return the columns of an entry whose secrets and bulk were taken out."""
    message = get_message(entry)
    role = read_role(message)
    parts = list_parts(message.get("content"))
    text = read_message_text(message, role, parts) if message else read_entry_text(entry)
    source = message or entry
    input_tokens, output_tokens, cost = read_usage(entry)
    spoken = _attribute(entry, message, role, text)
    return EntryFields(
        entry_type=get_text_or_none(entry.get("type")) or "unknown",
        role=role,
        turn_kind=classify_turn(text) if role == "user" else None,
        speaker=spoken.speaker,
        speaker_reason=spoken.reason,
        speaker_parts=make_part_rows(spoken),
        text=text,
        thinking=read_thinking(role, parts),
        tool_name=get_text_or_none(message.get("toolName")),
        tool_call_id=get_text_or_none(message.get("toolCallId")),
        is_error=is_failed(message),
        provider=get_text_or_none(source.get("provider")),
        model=get_text_or_none(source.get("model") or source.get("modelId")),
        stop_reason=get_text_or_none(message.get("stopReason")),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost_usd=cost,
        token_count=min(_estimate_tokens(entry, message, role, parts), LARGEST_TOKEN_COUNT),
        flags=_find_form_flags(message, role, parts),
    )


def _estimate_tokens(entry: JsonObject, message: JsonObject, role: str | None, parts: list[JsonObject]) -> int:
    if message:
        return estimate_part_tokens(message, role, parts)
    context_message = project_entry(entry)
    return estimate_tokens(context_message) if context_message else 0


def _attribute(entry: JsonObject, message: JsonObject, role: str | None, text: str) -> Attribution:
    if role == "user" and message.get("attribution") not in (None, "user"):  # some clients say who sent a message
        return attribute_to("extension", "format:attribution")
    return attribute_entry(get_text_or_none(entry.get("type")) or "unknown", role, text)


def _find_form_flags(message: JsonObject, role: str | None, parts: list[JsonObject]) -> tuple[EntryFlag, ...]:
    if isinstance(message.get("content"), str):
        return ("string_content",) if role in ("assistant", "toolResult") else ()
    for part in parts:
        if part.get("type") == "image":
            return ("image",)
    return ()
