"""Finds recovery codes behind their name: two or more groups of one form, in a line or below each other, also with blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import CODE_LIST_WORDS
from transforms.redaction.names.name_words import NAME_WORDS
from transforms.redaction.names.recovery_phrases import RECOVERY_PHRASES

INTRODUCTION_CHARS, MOST_CHARS = 70, 700
"""Characters between the name and the first code, and of a list that is looked at."""
LEAST_CODES, MOST_SIZES, LEAST_DIGITS = 2, 2, 3
"""Groups of a list, different lengths that they may have, and digits in all of them."""
_RECOVERY = compile_late(r"(?:[ _-]?(?:login|sign[ -]?in|access))?[ _-]?(?:codes?|keys?|schl[üu]ssel)(?![^\W\d_])")
_CODE_END = compile_late(r"[^\W\d_]{0,4}(?![^\W\d_])")
_TOKEN = compile_late(r"(?<![\w./:@#=-])[A-Za-z0-9]{4,20}(?:-[A-Za-z0-9]{3,8}){0,3}(?![\w/@=-]|[.:]\w)")
_GAP = compile_late(r"(?:[\s,;|\"'`•*>+/-]|(?<!\d)\d{1,2}[.):]|(?<!\w)(?:and|und|y|et|e|i|og|och|en|or|&)(?!\w))*\Z")
_COUNTED = compile_late(r"[A-Z]{1,4}\d+\Z|[0-9a-fA-F]{6}\Z|[a-z]+\d\Z|v\d")
"""Numbers of errors, colours, counted names, versions: many words for a code name these, too."""
LEAST_NUMBERS = 3
_LONG_NUMBER = compile_late(r"(?!(?:19|20)\d{6}\Z)\d{6,10}\Z")
"""A number of a list of codes, and no date."""
_DIGIT = compile_late("[0-9]")


def find_recovery_codes(text: str, is_user: bool) -> Iterator[SecretSpan]:
    """Yield the groups of a list of codes; behind a mere word for codes only what a person typed, and has a code's form."""
    if len(_DIGIT.findall(text)) < LEAST_DIGITS:
        return
    lower = lower_keeping_length(text)
    done = 0
    for end, is_certain in sorted(_list_names(lower, is_user)):
        if end < done:
            continue
        codes = list(_list_codes(text, end))
        if _are_codes([text[first:last] for first, last in codes], is_certain):
            yield from ((first, last, "recovery-code") for first, last in codes)
            done = codes[-1][1]


def _list_names(lower: str, is_user: bool) -> Iterator[tuple[int, bool]]:
    """Yield where names of codes end, and whether they are those of recovery codes."""
    for place in find_places(lower, *CODE_LIST_WORDS):
        word = next(word for word in CODE_LIST_WORDS if lower.startswith(word, place))
        if name := _RECOVERY.match(lower, place + len(word)):
            yield name.end(), True
    for phrase in RECOVERY_PHRASES:
        yield from ((place + len(phrase), True) for place in find_places(lower, phrase))
    for stem in _list_stems() if is_user else ():
        for place in find_places(lower, stem):
            if (place == 0 or not lower[place - 1].isalpha()) and (end := _CODE_END.match(lower, place + len(stem))):
                yield end.end(), False


@cache
def _list_stems() -> tuple[str, ...]:
    """Return the words for a code in all languages, without their last letter where it changes."""
    words = {word for parts in NAME_WORDS.values() for word in parts.split("|")[1].split("/") if len(word) > 2}
    return ("code", *sorted(word[:-1] if len(word) > 4 else word for word in words))


def _list_codes(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Yield the groups behind a name: from the first one with a digit on, as long as only marks and numbers are between them."""
    last, size = -1, 0
    for match in _TOKEN.finditer(text, end, end + MOST_CHARS):
        has_digit = _DIGIT.search(match[0]) is not None
        if last < 0:
            if match.start() - end > INTRODUCTION_CHARS:
                return
            if not has_digit:
                continue
        elif _GAP.match(text, last, match.start()) is None or (
            not has_digit and (len(match[0]) != size or match[0] not in (match[0].lower(), match[0].upper()))
        ):
            return
        size, last = len(match[0]), match.end()
        yield match.span()


def _are_codes(codes: list[str], is_certain: bool) -> bool:
    """Whether groups are codes: of one form, most with digits; where only a word for codes tells, most mix letters and digits."""
    if len(codes) < LEAST_CODES or len({len(code) for code in codes}) > MOST_SIZES:
        return False
    with_digits = sum(_DIGIT.search(code) is not None for code in codes)
    if is_certain:
        return 2 * with_digits >= len(codes)
    if len(codes) >= LEAST_NUMBERS and all(map(_LONG_NUMBER.match, codes)):
        return len(set(map(len, codes))) == 1
    mixed = sum(
        re.search("[A-Za-z]", code) is not None and not _COUNTED.match(code) and bool(_DIGIT.search(code)) for code in codes
    )
    return 3 * mixed >= 2 * len(codes)
