"""Finds recovery codes behind their name: two or more groups of one form, in a line or below each other, also with blanks."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import CODE_LIST_WORDS
from transforms.redaction.names.account_words import RECOVERY_PHRASES

INTRODUCTION_CHARS, MOST_CHARS = 70, 700
"""Characters between the name and the first code, and of a list that is looked at."""
LEAST_CODES, MOST_SIZES, LEAST_DIGITS = 2, 2, 3
"""Groups of a list, different lengths that they may have, and digits in all of them."""
_RECOVERY = compile_late(r"(?:[ _-]?(?:login|sign[ -]?in|access))?[ _-]?(?:codes?|keys?|schl[üu]ssel)(?![^\W\d_])")
_TOKEN = compile_late(r"(?<![\w./:@#=-])[A-Za-z0-9]{4,20}(?:-[A-Za-z0-9]{3,8}){0,3}(?![\w/@=-]|[.:]\w)")
_GAP = compile_late(r"(?:[\s,;|\"'`•*>+/-]|(?<!\d)\d{1,2}[.):]|(?<!\w)(?:and|und|y|et|e|i|og|och|en|or|&)(?!\w))*\Z")
_DIGIT = compile_late("[0-9]")


def find_recovery_codes(text: str) -> Iterator[SecretSpan]:
    """Yield the groups of a list of recovery codes behind their name."""
    if len(_DIGIT.findall(text)) < LEAST_DIGITS:
        return
    lower = lower_keeping_length(text)
    done = 0
    for end in sorted(_list_names(lower)):
        if end < done:
            continue
        codes = list(_list_codes(text, end))
        if _are_codes([text[first:last] for first, last in codes]):
            yield from ((first, last, "recovery-code") for first, last in codes)
            done = codes[-1][1]


def _list_names(lower: str) -> Iterator[int]:
    """Yield where names of recovery codes end."""
    for place in find_places(lower, *CODE_LIST_WORDS):
        word = next(word for word in CODE_LIST_WORDS if lower.startswith(word, place))
        if name := _RECOVERY.match(lower, place + len(word)):
            yield name.end()
    for phrase in RECOVERY_PHRASES:
        yield from (place + len(phrase) for place in find_places(lower, phrase))


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


def _are_codes(codes: list[str]) -> bool:
    """Whether groups are codes: of one form, half of them with digits."""
    if len(codes) < LEAST_CODES or len({len(code) for code in codes}) > MOST_SIZES:
        return False
    return 2 * sum(_DIGIT.search(code) is not None for code in codes) >= len(codes)
