"""The column `raw_json`, read back."""

from __future__ import annotations

import json
from typing import Any

import orjson


def stored_object(raw_json: str | bytes | None) -> dict[str, Any]:
    """An entry as it is stored; empty for an empty column or what is no object.

    A number beyond the range of doubles (which pi cannot write, but other programs can) becomes infinite instead of an error.
    """
    if not raw_json:
        return {}
    try:
        value = orjson.loads(raw_json)
    except orjson.JSONDecodeError:
        value = json.loads(raw_json)
    return value if isinstance(value, dict) else {}
