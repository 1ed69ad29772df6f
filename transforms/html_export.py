"""A session inside one of pi's HTML exports: base64 JSON of header and entries in an element with the id `session-data`."""

from __future__ import annotations

import base64
import binascii
import re

import orjson

MARK = b'id="session-data"'
_DATA = re.compile(rb'<script[^<>]*\bid="session-data"[^<>]*>\s*([A-Za-z0-9+/=\s]*)</script>')


def lines_of_export(page: bytes) -> bytes | None:
    """The session as the lines of a session file, None when the page holds no session that can be decoded."""
    found = _DATA.search(page)
    if found is None:
        return None
    try:
        data = orjson.loads(base64.b64decode(found[1], validate=False))
    except (binascii.Error, orjson.JSONDecodeError):
        return None
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not isinstance(data.get("header"), dict):
        return None
    return b"".join(orjson.dumps(value) + b"\n" for value in (data["header"], *entries))
