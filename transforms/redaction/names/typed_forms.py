"""Finds what only a name before it makes a secret, where a person typed it: joined words, long hexadecimal, UUIDs, random
letters and digits of one case.

All are the forms of names and hashes, too, which outputs and agents write all day; there nothing is taken for its form.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_scrambled
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.named_values import CERTAIN_CLASSES, is_git_hash, list_names
from transforms.redaction.names import translated_names
from transforms.redaction.names.introductions import MOST_WORDS, introduces, is_of_one_sentence
from transforms.redaction.numbers.access_codes import is_phrase

MOST_CHARS = 60
"""Characters between the name and its value, in one sentence of one line."""
_PHRASE = r"(?:[^\W\d_]{3,24}-){2,7}[^\W\d_]{3,24}(?:[0-9]{1,4}(?![0-9])|(?![^\W_]))"
"""Words joined by hyphens, maybe with digits at the last one: `feat-search-2`, which has a hyphen before them, is a name."""
_UUID = r"(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_HEX_KEY = r"(?=[0-9]{0,127}[a-fA-F])(?=[a-fA-F]{0,127}[0-9])(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})"
TYPED_FORM_HINT = r"(?:[\p{L}]{3,24}-){2}[\p{L}]{3}|[0-9a-f]{32}|[0-9A-F]{32}"
"""Rust regex: it finds something in every text in which a value of such a form stands, random ones of one case left out."""
_SCRAMBLED = r"(?P<scrambled>[a-z0-9]{9,64}|[A-Z0-9]{9,64})"
_FORM = compile_late(rf"(?<![\w/.@=-])(?:(?P<phrase>{_PHRASE})|{_UUID}|{_HEX_KEY}|{_SCRAMBLED})(?![\w/-]|[.@:=(]\w)")
LEAST_LONG = 12
_API = compile_late(r"(?<![^\W_])api(?=\s)")
_WORD = compile_late(r"[^\W_]+")
_KINDS = {translated_names.PASSWORD: "password", translated_names.TOKEN: "secret", translated_names.KEY: "key"}
_SETTING = compile_late(r"(?m)^[ \t]*(?:export |set )?[A-Z][A-Z0-9_]{1,60}=[\"']?(?P<hex>[0-9a-f]{32,128})[\"']?[ \t]*$")
"""A variable of an environment with long hexadecimal: `.env` files have no other kind of it but ids and hashes."""
_ID_NAME = compile_late(r"(?:ID|MD5|TAG|VERSION|BUILD|TRACE|SUM)=[\"']?\Z")
_HASH_SIZE = 40
"""Characters of a commit."""


def find_typed_forms(text: str) -> Iterator[SecretSpan]:
    """Yield the values of such a form behind the name of a secret; only for the words of a person."""
    yield from _find_settings(text)
    if not (forms := [form for form in _FORM.finditer(text) if not form["scrambled"] or is_scrambled(form["scrambled"])]):
        return
    lower = lower_keeping_length(text)
    names = [(stop, name) for _, stop, name in list_names(text, lower) if name in CERTAIN_CLASSES]
    names += [(stop, _KINDS[kind]) for stop, kind in translated_names.find_names(lower, True) if kind in _KINDS]
    names += [(api.end(), "key") for api in _API.finditer(lower)]
    names.sort()
    stops = itemgetter(0)
    for form in forms:
        start, end = form.span()
        near = names[bisect_left(names, start - MOST_CHARS, key=stops) : bisect_left(names, start, key=stops)]
        classes = {
            name for stop, name in near if is_of_one_sentence(text[stop:start]) and _leads_to(text[stop:start], name, form)
        }
        if classes & _choose_names(form) and not is_git_hash(text, start, end):
            yield start, end, "password" if form["phrase"] or "password" in classes else "token"


@lru_cache(maxsize=1 << 14)
def holds_scrambled(word: str) -> bool:
    """Whether a word, maybe with marks around it, holds random letters and digits of one case."""
    return any(form["scrambled"] and is_scrambled(form["scrambled"]) for form in _FORM.finditer(word))


def _leads_to(between: str, name: str, form: re.Match[str]) -> bool:
    """Whether a name introduces a form; two words may stand between a name and a long value of random letters and digits."""
    if form["scrambled"] and len(form["scrambled"]) >= LEAST_LONG and len(_WORD.findall(between)) <= MOST_WORDS:
        return True
    return introduces(between, name)


def _choose_names(form: re.Match[str]) -> frozenset[str]:
    """Return the classes of names that make a value of a form a secret: keys of tables are UUIDs, names are words."""
    if form["uuid"]:
        return CERTAIN_CLASSES - {"key"}
    if form["phrase"] and not form["phrase"][-1].isdigit():
        return frozenset({"password"} if is_phrase(form["phrase"]) else ())
    return CERTAIN_CLASSES


def _find_settings(text: str) -> Iterator[SecretSpan]:
    for setting in _SETTING.finditer(text) if "=" in text else ():
        start, end = setting.span("hex")
        if end - start != _HASH_SIZE and not is_git_hash(text, start, end) and not _ID_NAME.search(text, setting.start(), start):
            yield start, end, "secret"
