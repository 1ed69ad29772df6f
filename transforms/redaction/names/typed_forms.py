"""Finds what only a name before it makes a secret, where a person typed it: joined words with a number, and long hexadecimal.

Both are the forms of names and hashes, too, which outputs and agents write all day; there nothing is taken for its form.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import LINKING_WORDS
from transforms.redaction.named_values import find_names, is_git_hash

MOST_CHARS = 60
"""Characters between the name and its value, in one sentence of one line."""
_PHRASE = r"(?:[^\W\d_]{3,24}-){2,7}[^\W\d_]{3,24}[0-9]{1,4}"
"""Words joined by hyphens with digits at the last one: `feat-search-2`, which has a hyphen before them, is a name."""
_HEX_KEY = r"(?=[0-9]{0,127}[a-fA-F])(?=[a-fA-F]{0,127}[0-9])(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})"
TYPED_FORM_HINT = r"(?:[\p{L}]{3,24}-){2}[\p{L}]{3}|[0-9a-f]{32}|[0-9A-F]{32}"
"""Rust regex: it finds something in every text in which a value of such a form stands."""
_FORM = compile_late(rf"(?<![\w/.@=-])(?:(?P<phrase>{_PHRASE})|{_HEX_KEY})(?![\w/-]|[.@:=(]\w)")
_LINK = compile_late(rf"(?:[:=,>→\"'`«„“]|(?:^|\s){LINKING_WORDS.pattern.removeprefix('(?i)')})\s*\Z", re.IGNORECASE)
"""What stands right before a value that a name introduces."""
_SENTENCE_END = compile_late(r"[.!?;](?:\s|\Z)|[。！？\n]")
_NAMES = frozenset({"password", "secret", "key"})


def find_typed_forms(text: str) -> Iterator[SecretSpan]:
    """Yield the values of such a form behind the name of a secret; only for the words of a person."""
    if not (forms := list(_FORM.finditer(text))):
        return
    names = [(stop, name) for _, stop, name in find_names(text, lower_keeping_length(text)) if name in _NAMES]
    stops = itemgetter(0)
    for form in forms:
        start, end = form.span()
        near = names[bisect_left(names, start - MOST_CHARS, key=stops) : bisect_left(names, start, key=stops)]
        classes = {name for stop, name in near if _introduces(text[stop:start])}
        if classes and not is_git_hash(text, start, end):
            yield start, end, "password" if form["phrase"] or "password" in classes else "token"


def _introduces(between: str) -> bool:
    """Whether a name introduces the value behind these words."""
    return not _SENTENCE_END.search(between) and (not between.strip() or _LINK.search(between) is not None)
