"""Finds the members of Kubernetes' secrets: in manifests, in what `kubectl` prints, and in the command that creates one.

Whatever a member is called, it is secret, unless it names an account or a place.
"""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_no_word
from transforms.redaction.value_forms import is_harmless

CLUSTER_HINT = r"kind\\*\"?: ?\\*\"?Secret|create secret gen"
"""Finds something in the raw JSON of every text with such a secret."""
_KIND = compile_late(r"kind\\*\"?: ?\\*\"?Secret(?![^\W_])")
LEAST_VALUE, MOST_COMMAND = 4, 1200
_BLOCK = compile_late(r"(?m)^(?P<indent> *)(?P<member>data|stringData):[ ]*\n(?P<lines>(?:(?P=indent) +[^\n]*(?:\n|\Z))+)")
_LINE = compile_late(
    r"(?m)^ +(?P<name>[\w.-]{1,100}): (?:\"(?P<double>(?:[^\"\\\n]|\\.)+)\"|'(?P<single>(?:[^'\n]|'')+)'|(?P<bare>[^\s\"'|>&*{\[#][^\n]*?))[ \t\r]*$"
)
_OBJECT = compile_late(r"\"(?P<member>data|stringData)\": ?\{(?P<lines>[^{}]*)\}")
_MEMBER = compile_late(r"\"(?P<name>[\w.-]{1,100})\": ?\"(?P<double>(?:[^\"\\\n]|\\.)+)\"")
_COMMAND = compile_late(r"create secret generic\b")
_LITERAL = compile_late(
    r"--from-literal[= ](?P<opened>[\"'](?=[\w.-]{1,100}=))?(?P<name>[\w.-]{1,100})=(?:(?(opened)(?P<joined>(?:'\"'\"'|(?!(?P=opened))[^\n])+)|(?:\"(?P<double>(?:[^\"\\\n]|\\.)+)\"|'(?P<single>(?:[^'\n]|'\"'\"'|'\\'')+)'|(?P<bare>[^\s\"'`|;&]+))))"
)
_PLACE = compile_late(
    r"(?i)(?:^|[_.-])(?:user(?:_?name)?|host(?:_?name)?|port|(?:db|database)(?:_?name)?|e?mail|endpoint|region|server|type|namespace)\Z"
)
"""Names of members that say who signs in and where."""
_TELLING = compile_late(r"[^\W\d_].*[^A-Za-z._-]|[^A-Za-z._-].*[^\W\d_]|[a-z][._-]?[A-Z]")
"""Letters with a digit, a mark or a blank among them, or in changing case; a host without a digit and a name such as REPLACE_ME have none."""
_GROUPS = ("double", "single", "bare", "joined")


def find_cluster_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the values of the members begin and end, and their family; what stands for a value that comes later is none."""
    for pattern, line in ((_BLOCK, _LINE), (_OBJECT, _MEMBER)) if _KIND.search(text) else ():
        for block in pattern.finditer(text):
            for member in line.finditer(text, *block.span("lines")):
                start, end = _span_value(member)
                value = _decode(text[start:end]) if block["member"] == "data" else text[start:end]
                if value is not None and _is_secret(member["name"], value):
                    yield start, end, "secret"
    for command in _COMMAND.finditer(text):
        for literal in _LITERAL.finditer(text, command.end(), command.end() + MOST_COMMAND):
            start, end = _span_value(literal)
            if _is_secret(literal["name"], text[start:end]):
                yield start, end, "secret"


def _span_value(match: re.Match[str]) -> tuple[int, int]:
    return next(match.span(group) for group in _GROUPS if group in match.re.groupindex and match[group] is not None)


def _decode(word: str) -> str | None:
    """Return what base64 says; None when it is none, or says no text."""
    try:
        return base64.b64decode(word, validate=True).decode("utf-8").rstrip("\n")
    except (binascii.Error, ValueError):
        return None


def _is_secret(name: str, value: str) -> bool:
    if len(value) < LEAST_VALUE or "\n" in value or not value.isprintable() or _PLACE.search(name):
        return False
    return not is_harmless(value) and (_TELLING.search(value) is not None or is_no_word(value))
