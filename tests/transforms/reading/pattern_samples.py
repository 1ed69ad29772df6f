"""Texts that a regular expression may find: drawn from the expression itself, so that every branch of a rule occurs."""

import re
import string
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from re import _constants as codes  # type: ignore[attr-defined]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined]  # isort: skip

MARKS = "-_.:=/+@#!%&*~^$?,;|<>(){}[]\"'`\\ \t\n"
CHARS = string.ascii_letters * 2 + string.digits * 6 + "-_.!#@" * 2 + MARKS + "éßñüжпк密码ç…—“”"
CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}
SECRET_GROUPS = ("secret", "quoted", "bare")
MOST_MORE = (0, 1, 2, 3, 8, 30)
"""Repetitions beyond the fewest, at most."""


def draw_text(chance: Random, pattern: str, make_value: Callable[[Random], str]) -> str:
    """Return a text that the pattern may find; lookarounds are not kept. Its secret is mostly one of `make_value`."""
    tree = parse_pattern(pattern)
    groups = {tree.state.groupdict[name] for name in SECRET_GROUPS if name in tree.state.groupdict}
    return "".join(_draw(chance, tree, tree.state.flags, groups, make_value, {}))


@cache
def parse_pattern(pattern: str) -> Any:
    return parser.parse(pattern)


@cache
def _list_chars(members: tuple[Any, ...]) -> Sequence[str]:
    is_negated = members[0][0] is codes.NEGATE
    chars = [char for char in CHARS if any(_has(member, char) for member in members) != is_negated]
    return chars or [chr(member[1] if member[0] is codes.LITERAL else member[1][0]) for member in members if not is_negated]


def _has(member: tuple[Any, Any], char: str) -> bool:
    code, value = member
    if code is codes.CATEGORY:
        return CATEGORIES[value](char)
    return (code is codes.LITERAL and ord(char) == value) or (code is codes.RANGE and value[0] <= ord(char) <= value[1])


def _draw(  # noqa: C901 - a line for each kind of node
    chance: Random, tree: Any, flags: int, secrets: set[int], make_value: Callable[[Random], str], groups: dict[int, str]
) -> list[str]:
    pieces: list[str] = []

    def draw(part: Any, part_flags: int = flags) -> str:
        return "".join(_draw(chance, part, part_flags, secrets, make_value, groups))

    for code, value in tree:
        if code is codes.LITERAL:
            char = chr(value)
            pieces.append(chance.choice((char, char.upper(), char.lower())) if flags & re.IGNORECASE else char)
        elif code is codes.NOT_LITERAL:
            pieces.append(chance.choice(CHARS.replace(chr(value), "")))
        elif code is codes.IN:
            pieces.append(chance.choice(_list_chars(tuple(value))))
        elif code is codes.ANY:
            pieces.append(chance.choice(CHARS.replace("\n", "")))
        elif code is codes.BRANCH:
            pieces.append(draw(chance.choice(value[1])))
        elif code is codes.SUBPATTERN:
            number, added, removed, part = value
            is_made = number in secrets and chance.random() < 0.75
            pieces.append(make_value(chance) if is_made else draw(part, (flags | added) & ~removed))
            groups[number] = pieces[-1]
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            fewest, most, part = value
            pieces += [draw(part) for _ in range(chance.randint(fewest, min(most, fewest + chance.choice(MOST_MORE))))]
        elif code is codes.GROUPREF:
            pieces.append(groups.get(value, ""))
        elif code is codes.GROUPREF_EXISTS:
            pieces.append(draw((value[1] if groups.get(value[0]) else value[2]) or ()))
        elif code is codes.ASSERT and value[0] == 1 and len(value[1]) == 1 and chance.random() < 0.5:  # the mark behind a value
            pieces.append(draw(value[1]))
    return pieces


LETTERS, HEX = string.ascii_letters + string.digits, "0123456789abcdef"


def draw(chance: Random, chars: str, least: int, most: int) -> str:
    return "".join(chance.choices(chars, k=chance.randint(least, most)))


VALUES: tuple[Callable[[Random], str], ...] = (
    lambda chance: draw(chance, string.digits, 4, 20),
    lambda chance: draw(chance, LETTERS, 6, 40),
    lambda chance: draw(chance, LETTERS + "!#$%&*?^~@+=-_./", 6, 40),
    lambda chance: draw(chance, "!#$%&*?^~@+=-_./:,;", 4, 16),
    lambda chance: draw(chance, string.ascii_letters, 4, 30),
    lambda chance: draw(chance, HEX, 12, 64),
    lambda chance: "-".join(chance.choices(("correct", "horse", "battery", "Staple", "otter"), k=4)),
    lambda chance: f"Krokus{chance.randrange(10_000)}{chance.choice(('', '!', '#x'))}",
    lambda chance: draw(chance, "жпкшß密码éñü", 6, 6) + draw(chance, string.digits, 4, 4),
    lambda chance: draw(chance, LETTERS, 12, 12) + chance.choice(" \\\"'`,;(){}[]<>|") + draw(chance, LETTERS, 8, 8),
    lambda chance: draw(chance, LETTERS + "+/", 40, 600),
    lambda chance: draw(chance, string.digits + ".-", 6, 12),
)


def make_value(chance: Random) -> str:
    """Return a value that somebody may use as a secret."""
    return chance.choice(VALUES)(chance)
