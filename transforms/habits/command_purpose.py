"""What a command is for, by its own words: the target, the script or the tool behind the programs that only start it."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from transforms.language.tokenizer import stem
from transforms.patterns.command_words import RUNNERS

STARTING_WORDS = frozenset(word for runner in RUNNERS for word in runner.split())
"""Words that start what stands behind them: "make", "run"."""
MIN_PART = 4
"""Letters from which a word is looked for inside of another one: "test" in "pytest" and "runtest", and no "it" in "audit"."""


@lru_cache(maxsize=4096)
def list_purpose_words(command: str) -> tuple[str, ...]:
    """Return the words of a command that tell what it is for: without options, variables and the program that begins it, where
    others are left; paths and compounds in their parts, in small letters."""
    own = command.rpartition(" && ")[2]  # a folder before it tells where, and not what for
    words = [word for word in own.replace("'", " ").replace('"', " ").split() if not word.startswith("-")]
    while len(words) > 1 and words[0].partition("=")[0].isidentifier() and "=" in words[0]:
        words = words[1:]
    parts = [_split_parts(word) for word in words]
    rest = [part for own in parts[1:] for part in own if part not in STARTING_WORDS]
    return tuple(dict.fromkeys(rest or (parts[0] if parts else ())))


def _split_parts(word: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in word).casefold().split()


def is_word_in(word: str, parts: Collection[str]) -> bool:
    """Whether one of these parts is a word, in any form of it, or has it inside."""
    root = stem(word)
    return any(root == stem(part) or (len(root) >= MIN_PART and root in part) for part in parts)


def do_same_work(older: str, newer: str) -> bool:
    """Whether two commands are for the same: half of the words of each are in the other ("pytest", "pixi run test")."""
    first, second = list_purpose_words(older), list_purpose_words(newer)
    if not first or not second:
        return False
    shared = sum(is_word_in(word, second) or any(is_word_in(other, [word]) for other in second) for word in first)
    behind = sum(is_word_in(word, first) or any(is_word_in(other, [word]) for other in first) for word in second)
    return 2 * shared >= len(first) and 2 * behind >= len(second)
