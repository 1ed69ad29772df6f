"""Finds passwords among the arguments of a call that signs in: they stand behind the account, which stands behind the place."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_password
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.written.value_ends import WrittenValue, read_quoted

MOST_ARGUMENTS, LEAST_VALUE = 6, 5
_BARE = compile_late(r"[@$&*]?[A-Za-z_][\w.$>:-]{0,60}(?:\(\))?|-?\d+")
_NEXT = compile_late(r"[ \t]*,\s*")
_ACCOUNT = compile_late(r"(?:[\w.-]+\\{1,2})?[A-Za-z][\w.@+-]{1,60}\Z")
_PLACE = compile_late(
    r"[\w-]+(?:\.[\w-]+)+(?::\d+)?\Z|localhost\Z|\d+(?:\.\d+){3}|[^\s;=]*=[^;]*;|\{[\w.:/-]+\}|[a-z][\w+:.-]*://|[a-z]+:\S+:"
)
"""A host, a connection string, an address: where the account is."""


def read_arguments(text: str, start: int) -> list[WrittenValue]:
    """Return the arguments of a call from `start` on, up to one that is no text, name or number; names have no length."""
    arguments: list[WrittenValue] = []
    place = start
    while len(arguments) < MOST_ARGUMENTS:
        if value := read_quoted(text, place):
            arguments.append(value)
            place = value.end + 1
        elif bare := _BARE.match(text, place):
            arguments.append(WrittenValue(place, place, bare[0]))
            place = bare.end()
        else:
            break
        following = _NEXT.match(text, place)
        if following is None:
            break
        place = following.end()
    return arguments


def find_sign_in_arguments(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where the password among the arguments of a call that signs in begins and ends, when a place and an account, or
    a handle and a written account, stand before it."""
    arguments = read_arguments(text, start)
    if len(arguments) < 3:
        return
    place, account, value = arguments[:3]
    is_written = account.end > account.start
    if " " in value.plain or value.end - value.start < LEAST_VALUE or not _ACCOUNT.match(account.plain):
        return
    if not (_PLACE.match(place.plain) if place.end > place.start else is_written or account.plain.isupper()):
        return
    has_quote = any(mark in value.plain for mark in "\"'")
    if has_quote or (is_password(value.plain) and (not is_public_name(value.plain) or is_written)):
        yield value.start, value.end
