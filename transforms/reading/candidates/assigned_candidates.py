"""Finds the places of rows in which an assignment may be a secret, with the rule itself on the surroundings of its name.

A row is mostly a long text in which a few lines assign something; the rule takes a thousand times as long as to find the names.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.patterns.late_pattern import compile_late
from transforms.reading.candidates.named_candidates import decode_piece, read_surroundings
from transforms.redaction.redact import holds_assignment
from transforms.redaction.secret_rules import MEMBER_END

BEFORE_BYTES, AFTER_BYTES, SHARED_BYTES = 160, 3000, 600
"""Bytes of raw JSON around a name in which the rest of the name, the value and all between them stand, with room for escapes;
and how far behind a name another one may begin whose surroundings are cut with it."""
REST_OF_NAME = 24
"""Characters of a name before its last word: `encryption_key`."""
_MEMBER = compile_late(rf"(?i)[^\"\\\s]{{1,40}}?{MEMBER_END}")
_PLACEHOLDER = "[redacted:"


def may_be_assigned(json: str, places: Sequence[int]) -> bool:
    """Whether an assigned value may be a secret; `places` are the bytes of JSON at which the names begin.

    Always when a member has such a name or the row holds placeholders, which change what stands around them.
    """
    if _PLACEHOLDER in json:
        return True
    line = json.encode()
    covered = -1
    for at in sorted(places):
        piece = decode_piece(line[at : at + AFTER_BYTES])
        if _MEMBER.match(piece):
            return True
        if at < covered:
            continue
        covered = at + SHARED_BYTES
        before, after = read_surroundings(decode_piece(line[max(0, at - BEFORE_BYTES) : at]), piece)
        if holds_assignment(before + after, max(0, len(before) - REST_OF_NAME), len(before) + SHARED_BYTES + REST_OF_NAME):
            return True
    return False
