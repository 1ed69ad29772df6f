"""Extracts the session from one of pi's HTML exports: base64 JSON in an element with the id `session-data`."""

from __future__ import annotations

import base64
import json
from typing import Any

import orjson

from transforms.patterns.late_pattern import compile_late

DATA_ELEMENT = b'id="session-data"'
_DATA = compile_late(rb'<script[^<>]*\bid="session-data"[^<>]*>\s*([A-Za-z0-9+/=\s]*)</script>')


def extract_session_lines(page: bytes) -> bytes | None:
    """Return the session as the lines of a session file; None when the page holds no session that can be decoded."""
    match = _DATA.search(page)
    if match is None:
        return None
    try:
        data = _load_json(base64.b64decode(match[1], validate=False))
        entries = data.get("entries") if isinstance(data, dict) else None
        if not isinstance(entries, list) or not isinstance(data.get("header"), dict):
            return None
        return b"".join(_dump_json(value) + b"\n" for value in (data["header"], *entries))
    except (ValueError, RecursionError):  # no base64, no JSON, or nested deeper than anybody reads
        return None


def _load_json(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:  # lone surrogates, as session files hold them, too
        return json.loads(data.decode("utf-8", "replace"))


def _dump_json(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):  # lone surrogates, or nested deeper than orjson writes
        return json.dumps(value, separators=(",", ":")).encode()
