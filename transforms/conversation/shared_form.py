"""The shared form of an entry: pi's shape, for every agent. Windows, engines and recall read nothing else."""

from __future__ import annotations

from transforms.conversation.claude_form import is_claude_line, read_claude_form
from transforms.conversation.codex_form import is_codex_line, read_codex_form
from transforms.tables.json_object import JsonObject

VIEWED_TYPES = frozenset({"message", "compaction", "session_info"})
"""Types of entries that have a content in the shared form; a row of another type is a line that only accompanies them."""


def read_shared_form(raw: JsonObject, entry_type: str = "message", role: str | None = None) -> JsonObject:
    """Return an entry in pi's shape; one of pi as it is.

    `entry_type` and `role` are those of its row, which the lines around it decide: of a message that stands on several lines only
    the first one is a message, and of the results of refused calls only some hold words of the owner.
    """
    if is_claude_line(raw):
        form = read_claude_form(raw, role)
    elif is_codex_line(raw):
        form = read_codex_form(raw)
    else:
        return raw
    if entry_type not in VIEWED_TYPES and form.get("type") in VIEWED_TYPES:
        return {"type": entry_type, "timestamp": form.get("timestamp")}
    return form
