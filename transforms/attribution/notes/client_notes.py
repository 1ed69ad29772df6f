"""Tells the client's own notes from what was said: a request that failed or was stopped, and words that it moved elsewhere.

They stand in the place of an answer, so a reader would take them for the agent's words. The form of the entry tells, whatever a
client writes there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.conversation.serialize import list_parts
from transforms.tables.json_object import JsonObject, parse_raw_json

_MARKS = ('"errorMessage"', '"isApiErrorMessage"', '"evictedContent"')
"""Members of an entry one of which stands in every note; the rest is not parsed."""


def is_client_note(entry: Mapping[str, Any]) -> bool:
    """Whether all words of a message are its client's: the error of a request, or the mark of what it took out of the file."""
    raw_json = entry.get("raw_json") or ""
    if not any(mark in raw_json for mark in _MARKS):
        return False
    raw = parse_raw_json(raw_json)
    message = raw.get("message")
    if not isinstance(message, dict):
        return False
    is_error = entry["role"] == "assistant" and (
        raw.get("isApiErrorMessage") is True or (bool(entry["text"]) and message.get("errorMessage") == entry["text"])
    )
    return is_error or _is_moved(raw, message)


def _is_moved(raw: JsonObject, message: JsonObject) -> bool:
    """Whether every text of a message was moved out of the file: the client lists what it took, by its place in the entry."""
    evicted = raw.get("evictedContent")
    moved = evicted.get("payloads") if isinstance(evicted, dict) else None
    if not isinstance(moved, dict):
        return False
    content = message.get("content")
    if isinstance(content, str):
        return "message.content" in moved
    places = [number for number, part in enumerate(list_parts(content)) if part.get("type") == "text" and part.get("text")]
    return bool(places) and all(f"message.content.{number}.text" in moved for number in places)
