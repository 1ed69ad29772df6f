"""Tells which commands words of the owner name as what is to be run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from transforms.language.sentences import split_sentences
from transforms.language.statement import parse_statement


def is_command_named(command: str, said: Sequence[tuple[int, str]], last: int) -> bool:
    """Return whether a message before the ordinal `last` has the command, with or without the options at its end, in a sentence
    that does not deny it.

    One word is a command only in backticks or as all of a message: "make the button blue" names no `make`.
    """
    bare = " ".join(word for word in command.split() if not word.startswith("-"))
    forms = [form for form in dict.fromkeys((command, bare)) if " " in form] or [f"`{command}`"]
    before = (words for ordinal, words in said if ordinal < last)
    return any(words.strip() == command or any(_has_form(words, form) for form in forms) for words in before)


def _has_form(words: str, form: str) -> bool:
    flat = " ".join(words.split())
    if form not in flat:  # most messages end here
        return False
    written = re.compile(rf"(?<![\w./:@-]){re.escape(form)}(?![\w/:@=-]|\.\w)")
    return any(written.search(sentence) and not _denies(sentence, form) for sentence in split_sentences(flat))


@lru_cache(maxsize=1024)
def _denies(sentence: str, form: str) -> bool:
    """Whether a sentence denies each word of a command that it has."""
    signs = parse_statement(sentence.replace("`", " ")).signs
    named = [sign for word in parse_statement(form.strip("`")).signs if (sign := signs.get(word, ""))]
    return bool(named) and all("-" in sign for sign in named)
