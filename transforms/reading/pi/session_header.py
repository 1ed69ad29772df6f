"""The first line of a session file."""

from __future__ import annotations

from transforms.reading.json_lines import ParsedObject
from transforms.reading.session_header import SessionHeader
from transforms.redaction.redact import redact
from transforms.tables.surrogates import replace_surrogates

MAX_VERSION = 2**15 - 1


def read_header(first: ParsedObject) -> SessionHeader | str:
    """Return the header, or the reason why the file is not a session of pi."""
    value = first.value
    if value.get("v") == 4 and value.get("kind") == "header":
        return "it is a pi-agent-core harness store (v4), not a session of the pi client"
    if not is_header(first):
        kind = redact(replace_surrogates(str(value.get("type"))))[:40]
        return f"its first line is of no known client: not a session header but `{kind}`"
    session_id = value.get("id")
    if not isinstance(session_id, str) or not session_id:
        return "its header has no session id"
    parent = value.get("parentSession") or value.get("branchedFrom")
    return SessionHeader(
        replace_surrogates(session_id),
        _read_version(value.get("version")),
        value.get("timestamp"),
        replace_surrogates(cwd) if isinstance(cwd := value.get("cwd"), str) else "",
        replace_surrogates(parent) if isinstance(parent, str) else None,
        first.line_no,
    )


def is_header(parsed: ParsedObject) -> bool:
    """Whether an object is a header line. Only the first one counts, and none is an entry."""
    return parsed.value.get("type") == "session"


def _read_version(version: object) -> int:
    """Return the version, limited to 16 bits. Versions that pi has not written yet are accepted."""
    if isinstance(version, bool) or not isinstance(version, int | float):
        return 1
    return int(min(max(version, 0), MAX_VERSION))
