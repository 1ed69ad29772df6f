"""A session inside one of pi's HTML exports: base64 JSON of header and entries in an element with the id `session-data`."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import orjson

MARK = b'id="session-data"'
_DATA = re.compile(rb'<script[^<>]*\bid="session-data"[^<>]*>\s*([A-Za-z0-9+/=\s]*)</script>')


def extract_session_lines(page: bytes) -> bytes | None:
    """The session as the lines of a session file, None when the page holds no session that can be decoded."""
    found = _DATA.search(page)
    if found is None:
        return None
    try:
        data = _loads(base64.b64decode(found[1], validate=False))
        entries = data.get("entries") if isinstance(data, dict) else None
        if not isinstance(entries, list) or not isinstance(data.get("header"), dict):
            return None
        return b"".join(_line(value) + b"\n" for value in (data["header"], *entries))
    except (ValueError, RecursionError):  # no base64, no JSON, or nested deeper than anybody reads
        return None


def _loads(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:  # lone surrogates, as session files hold them, too
        return json.loads(data.decode("utf-8", "replace"))


def _line(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):  # lone surrogates, or nested deeper than orjson writes
        return json.dumps(value, separators=(",", ":")).encode()
