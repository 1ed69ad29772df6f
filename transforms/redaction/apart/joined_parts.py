"""Finds the rest of a secret that is written in parts: over lines that a backslash joins, or as literals of one sum."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.context import SecretSpan

MOST_PARTS = 12
_QUOTE = r"\\{0,3}[\"'`]"
_BREAK, _SIGN = r"[ \t]*(?:\\{1,2}|_)?\r?\n[ \t]*", r"[ \t]*(?:\+|\.{1,2}|&|<>|\|\|)[ \t]*"
_JOINT = rf"(?:\\{{1,2}}\r?\n[ \t]*|{_QUOTE}(?:{_SIGN}(?:{_BREAK})?|{_BREAK}(?:{_SIGN})?)[bfur]?{_QUOTE})"
"""A backslash at the end of a line, or the sign or line end between two literals."""
_PART = compile_late(
    rf"\[redacted:[a-z0-9-]+:[0-9a-f]{{4}}\]{_JOINT}(?P<secret>[A-Za-z0-9+/_=.!#$%&*?@^~-]{{4,400}})(?=\s|\\|[\"'`;)]|\Z)"
)
_IS_PART = compile_late(r"(?![-$./~])(?=[^\s]{0,400}?[0-9A-Z+/])[^\s]{0,400}?[A-Za-z0-9]")


def find_next_parts(text: str) -> Iterator[SecretSpan]:
    """Yield the parts that stand behind placeholders and a joint; the part behind one of these is found when it is replaced."""
    for match in _PART.finditer(text):
        if _IS_PART.match(match["secret"]):
            yield *match.span("secret"), "token"
