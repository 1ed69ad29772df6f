"""Tells whether the name of a secret introduces a value that has the form of a public name."""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.context_rules import LINKING_WORDS, STATING_SIGN
from transforms.redaction.named_values import find_names

CHARS_BEFORE, CHARS_BEHIND = 60, 40
"""Characters between a name and its value, in one sentence of one line; the word for a password may stand behind it, too."""
MOST_WORDS = 2
"""Words of any kind between the word for a password and its value."""
_MARK = r"[\t:=,>→/|(\[\"'`«„“]"
_COPULA_END = compile_late(rf"(?:{_MARK}|{STATING_SIGN})\s*\Z(?<!\bon )", re.IGNORECASE)
"""The Finnish verb is an English preposition, too; behind a password's name it stands near enough."""
_LINK_END = compile_late(rf"(?:^|\s)(?:{LINKING_WORDS.pattern.removeprefix('(?i)')})\s*\Z", re.IGNORECASE)
_MARK_END = compile_late(rf"{_MARK}\s*\Z")
_ACCOUNT = compile_late(r"[\w.+-]+@[\w.-]+")
_REST = compile_late(r"\w{0,40}")
_WORD = compile_late(r"[^\W\d_]+")
_ASIDE = compile_late(r"\([^()\n]{0,60}\)")
"""Words in parentheses: "the key (don't share) …"."""
_SENTENCE_END = compile_late(r"[.!?](?:\s|\Z)|[。！？\n]")


def is_of_one_sentence(between: str) -> bool:
    """Whether no sentence and no line ends in a text between a name and a value."""
    return not _SENTENCE_END.search(between)


def introduces(between: str, name: str) -> bool:
    """Whether a name of class `name` introduces the value behind the text `between`, in which no other value stands.

    Nothing, a mark or a verb that says so stands right before the value. A word for a password needs no verb, if it is near; a
    weak name needs a mark, or an account beside it.
    """
    between = _ASIDE.sub(" ", between)
    if "\n" in between or not any(map(str.isalnum, between)):
        return True
    if not is_of_one_sentence(between):
        return False
    if name == "password":
        is_near = len(_WORD.findall(_ACCOUNT.sub("", between))) <= MOST_WORDS
        return is_near or _LINK_END.search(between) is not None or _COPULA_END.search(between) is not None
    if name == "weak":
        return _MARK_END.search(between) is not None or _ACCOUNT.search(between) is not None
    return _COPULA_END.search(between) is not None


def is_introduced(text: str, start: int, end: int, lower: str) -> bool:
    """Whether a name introduces the value from `start` to `end`, or the word for a password follows it in its sentence."""
    first, last = max(0, start - CHARS_BEFORE - 30), end + CHARS_BEHIND
    for name_start, name_end, name in find_names(text[first:last], lower[first:last]):
        begin, stop = name_start + first, _REST.match(text, name_end + first).end()  # type: ignore[union-attr]  # it matches nothing, too
        if stop <= start:
            between = text[stop:start]
            if len(between) <= CHARS_BEFORE and is_of_one_sentence(between) and introduces(between, name):
                return True
        elif begin >= end and name == "password" and is_of_one_sentence(text[end:begin]):
            return True
    return False
