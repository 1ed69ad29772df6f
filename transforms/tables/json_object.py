"""JSON that other programs wrote: session entries and model answers, whose members nothing guarantees."""

from __future__ import annotations

import json
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
