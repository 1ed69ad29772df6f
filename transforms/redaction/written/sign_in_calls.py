"""Finds passwords among the arguments of a call that signs in: they stand behind the account, which stands behind the place."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_password
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.written.value_ends import WrittenValue, read_quoted

MOST_ARGUMENTS, LEAST_VALUE, MOST_BLANKS = 6, 5, 3
_BARE = compile_late(r"[@$&*]?[A-Za-z_][\w.$>:-]{0,60}(?:\(\))?|-?\d+")
_PREFIX = compile_late(r"[@$bfrBFRuN]{1,2}(?=[\"'])")
_NEXT = compile_late(r"[ \t]*,\s*")
_ACCOUNT = compile_late(r"(?:[\w.-]+\\{1,4})?[A-Za-z][\w.@+-]{1,60}\Z")
_MARKED = compile_late(r"(?=.*\d)(?=.*[!#$%&*()?^~+=@])")
"""A digit and a mark, which words behind an account have in a password."""
_PLACE = compile_late(
    r"[\w-]+(?:\.[\w-]+)+(?::\d+)?\Z|localhost\Z|[a-z][a-z-]{1,20}\d{1,4}\Z|\d+(?:\.\d+){3}|[^\s;=]*=[^;]*;|\{[\w.:/-]+\}|[a-z][\w+:.-]*://|[a-z]+:\S+:"
)
"""A host, a connection string, an address: where the account is."""


def read_arguments(text: str, start: int) -> list[WrittenValue]:
    """Return the arguments of a call from `start` on, up to one that is no text, name or number; names have no length."""
    arguments: list[WrittenValue] = []
    place = start
    while len(arguments) < MOST_ARGUMENTS:
        prefix = _PREFIX.match(text, place)
        if value := read_quoted(text, prefix.end() if prefix else place):
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
    if len(arguments) == 2 and "@" in arguments[0].plain:  # an account with its host, which is the place
        arguments.insert(0, arguments[0]._replace(plain=arguments[0].plain.partition("@")[2]))
    if len(arguments) < 3:
        return
    place, account, value = arguments[:3]
    is_written = account.end > account.start
    if not value.end - value.start >= LEAST_VALUE or not _ACCOUNT.match(account.plain) or value.plain.count(" ") > MOST_BLANKS:
        return
    if " " in value.plain and not (is_written and _MARKED.search(value.plain)):
        return
    if not (_PLACE.match(place.plain) if place.end > place.start else is_written or account.plain.isupper()):
        return
    has_quote = any(mark in value.plain for mark in "\"'")
    if has_quote or " " in value.plain or (is_password(value.plain) and (not is_public_name(value.plain) or is_written)):
        yield value.start, value.end
