"""Notes of a client are no words of an agent; what it had said is."""

from __future__ import annotations

import json
from typing import Any

from tests.each_case import each_case
from transforms.attribution.notes.client_notes import is_client_note

ERROR = "API error (429): no capacity."
MOVED = "[moved to cold storage]"
TWO = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": MOVED}]


def make_entry(text: str, message: dict[str, Any], role: str = "assistant", **members: Any) -> dict[str, Any]:
    raw = {"type": "message", "message": {"role": role, **message}, **members}
    return {"role": role, "text": text, "raw_json": json.dumps(raw, separators=(",", ":"))}


@each_case(
    ("entry", "is_note"),
    [
        (make_entry(ERROR, {"content": [], "stopReason": "error", "errorMessage": ERROR}), True),
        (make_entry(ERROR, {"content": [], "stopReason": "aborted", "errorMessage": ERROR}), True),
        (make_entry("The cache was", {"stopReason": "error", "errorMessage": ERROR}), False),
        (make_entry(ERROR, {"content": [{"type": "text", "text": ERROR}]}, isApiErrorMessage=True), True),
        (make_entry(ERROR, {"content": [{"type": "text", "text": ERROR}]}), False),
        (make_entry(ERROR, {"content": ERROR}, "user", isApiErrorMessage=True), False),
        (make_entry(MOVED, {"content": TWO}, evictedContent={"payloads": {"message.content.1.text": {}}}), True),
        (make_entry(MOVED, {"content": MOVED}, "user", evictedContent={"payloads": {"message.content": {}}}), True),
        (make_entry(MOVED, {"content": TWO}, evictedContent={"payloads": {"message.content.0.thinking": {}}}), False),
        (make_entry(MOVED, {"content": TWO}, evictedContent="all"), False),
        ({"role": "assistant", "text": ERROR, "raw_json": None}, False),
    ],
)
def test_the_form_of_an_entry_tells_a_note_of_the_client(entry: dict[str, Any], *, is_note: bool) -> None:
    assert is_client_note(entry) is is_note
