"""Finds words in texts, in any case and with any white space, and replaces them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import orjson

from transforms.tables.json_object import JsonObject

FORGOTTEN_MARK = "[forgotten]"
_BLANKS_OR_ESCAPES = r"(?:\s|\\[nrt])+"
"""White space, also as JSON writes it."""


def fold_case(text: str) -> str:
    """Return a text in one case, with single spaces: texts that are equal so are the same words."""
    return " ".join(text.split()).casefold()


def compile_words(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for these texts, the longest first, in plain text and inside JSON; None when all are blank."""
    variants: dict[str, None] = {}
    for text in sorted({" ".join(text.split()) for text in texts}, key=lambda text: (-len(text), text)):
        for spelling in (text, orjson.dumps(text).decode()[1:-1], _escape_to_ascii(text)):
            if spelling:
                variants[_BLANKS_OR_ESCAPES.join(re.escape(word) for word in spelling.split(" "))] = None
    return re.compile("|".join(variants), re.IGNORECASE) if variants else None


def scrub_text(text: str, pattern: re.Pattern[str]) -> str:
    """Return the text with everything that the pattern finds replaced."""
    return pattern.sub(FORGOTTEN_MARK, text)


def scrub_json(raw: str, pattern: re.Pattern[str]) -> str:
    """Return JSON with the words replaced in its strings and names; the same bytes when it has none of them."""
    if not pattern.search(raw):
        return raw
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return scrub_text(raw, pattern)
    return orjson.dumps(_scrub_value(value, pattern)).decode()


def _scrub_value(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return scrub_text(value, pattern)
    if isinstance(value, list):
        return [_scrub_value(item, pattern) for item in value]
    if isinstance(value, dict):
        return {scrub_text(name, pattern): _scrub_value(item, pattern) for name, item in value.items()}
    return value


def blank_entry(entry_type: str, entry_id: str, parent_id: str | None, role: str | None, flag: str) -> str:
    """Return the raw JSON of an entry whose content was removed: its place in the session, and nothing that was said."""
    entry: JsonObject = {"type": entry_type, "id": entry_id, "parentId": parent_id, flag: True}
    if role:
        entry["message"] = {"role": role, "content": []}
    return orjson.dumps(entry).decode()


def _escape_to_ascii(text: str) -> str:
    return json.dumps(text)[1:-1]
