"""Finds secrets that are written in several pieces: string literals joined, a line continued, a block of lines in YAML.

The pieces are judged as what they make together, because each alone may be too short, or a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_key
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.named_values import CERTAIN_CLASSES, begins_word, is_in_blob, list_names

_CHARS = r"[A-Za-z0-9+/_=.~-]"
_REST = compile_late(r"[\w-]{0,40}")
_JOINT = r"[\"'`]?\]?[ \t]{0,20}(?:(?::[ ]?)?[A-Za-z][\w<>\[\]. ]{0,24})?(?::=|=>|[:=])[ \t]{0,20}"
_LITERAL = rf"(?:[bBrRuUfF]{{0,2}}[\"'`]{_CHARS}{{3,200}}[\"'`])"
_BETWEEN = r"(?:\s{0,20}(?:\+|\.(?:concat)?\(?|&|\\)?\s{0,40})"
_LITERALS = compile_late(rf"{_JOINT}\(?\s{{0,20}}(?P<parts>{_LITERAL}(?:{_BETWEEN}{_LITERAL}){{1,20}})")
_CONTINUED = compile_late(rf"{_JOINT}(?P<parts>{_CHARS}{{8,200}}(?:\\\r?\n[ \t]*{_CHARS}{{4,200}}){{1,20}})(?=\s|\Z)")
_BLOCK = compile_late(
    rf"[ \t]{{0,4}}:[ \t]*(?:[|>][-+]?)?[ \t]*\n(?P<parts>(?:[ \t]+{_CHARS}{{4,200}}[ \t]*(?:\n|\Z)){{2,20}})(?![ \t])"
)
_FORMS = ((_LITERALS, compile_late(rf"[\"'`](?P<part>{_CHARS}+)[\"'`]")), (_CONTINUED, compile_late(rf"(?P<part>{_CHARS}+)")),
          (_BLOCK, compile_late(rf"(?P<part>{_CHARS}+)")))  # fmt: skip
"""What stands behind a name with a value in pieces, and a piece."""
LEAST_JOINED = 16


def find_joined_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield where the pieces of secrets begin and end that stand behind the name of one, and their family."""
    for start, stop, name in list_names(text, lower_keeping_length(text)):
        yield from find_joined_at(text, start, stop, name)


def find_joined_at(text: str, start: int, stop: int, name: str) -> Iterator[SecretSpan]:
    """Yield the pieces of the value of the name of class `name` from `start` to `stop`, when they are a key or token together."""
    if name not in CERTAIN_CLASSES or not begins_word(text, start) or is_in_blob(text, start, stop):
        return
    end = _REST.match(text, stop).end()  # type: ignore[union-attr]  # it matches nothing, too
    for form, piece in _FORMS:
        if match := form.match(text, end):
            yield from _tell_pieces(match, piece, "password" if name == "password" else "secret")
            return


def _tell_pieces(match: re.Match[str], piece: re.Pattern[str], family: str) -> Iterator[SecretSpan]:
    """Yield the pieces of a match that are a key or a token together."""
    parts = list(piece.finditer(match.string, *match.span("parts")))
    whole = "".join(part["part"] for part in parts)
    if len(parts) > 1 and len(whole) >= LEAST_JOINED and is_key(whole):
        yield from ((*part.span("part"), family) for part in parts)
