"""JSON that other programs wrote: session entries and model answers, whose members nothing guarantees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

JsonObject = dict[str, Any]
"""A foreign JSON object. Rows of our own tables have types of their own."""


def parse_raw_json(raw_json: str | bytes | None) -> JsonObject:
    """Return the entry that a `raw_json` column holds; an empty object for an empty column or JSON that is not an object.

    A number beyond the range of doubles, which pi cannot write but other programs can, becomes infinite.
    """
    if not raw_json:
        return {}
    try:
        value = orjson.loads(raw_json)
    except orjson.JSONDecodeError:
        value = json.loads(raw_json)
    return value if isinstance(value, dict) else {}


def get_text(value: object) -> str:
    """Return a value of foreign JSON that is a string; empty for any other."""
    return value if isinstance(value, str) else ""


def get_text_or_none(value: object) -> str | None:
    """Return a value of foreign JSON that is a string; None for any other."""
    return value if isinstance(value, str) else None


def list_strings(value: object) -> Iterator[str]:
    """Yield the strings among the values of foreign JSON, however deep, in their order; names of fields are none of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from list_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from list_strings(item)
