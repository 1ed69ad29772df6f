"""Finds values behind the name of a secret in some 80 languages.

A name tells less than in the languages that `named_values` and `access_codes` judge: the value stands right behind it, or behind
a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.bare.password_forms import is_mixed, is_strong
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.named_values import is_id
from transforms.redaction.names.introductions import introduces
from transforms.redaction.names.translated_names import CODE, PASSWORD, find_names
from transforms.redaction.value_forms import is_harmless, is_random_key

MOST_CHARS, MOST_WORDS = 60, 2
"""Characters and words between a name and its value; of a value that only a password looks like, any number of words."""
LEAST_MIXED, CERTAIN_DIGITS = 5, 6
"""Characters of a password of letters and digits behind a mark; digits of a code that words may follow."""
_ASCII_VALUE = r"(?<![^\W_\u2e80-\uffff])(?:(?![\u0080-\uffff])[^\s\"'`<>\\,;()\[\]{}|]){3,400}(?![^\W_\u2e80-\uffff])"
_VALUE = compile_late(rf"[^\W\d_]{{2,24}}[0-9]{{3,10}}(?![^\W_\u2e80-\uffff])|{_ASCII_VALUE}")
"""Letters of any script with digits behind them, or what stands on a keyboard: words around it are of another script."""
_LEADING, _TRAILING = compile_late(r"[:=>~*_-]+"), compile_late(r"[.,:;!?)\]*_]+\Z")
_MARK = compile_late(r"[:=→⇒«„“「『\"'`]|(?:^|\s)[–—-]\s?\Z")
_SENTENCE_END = compile_late(r"[.!?;؟](?:\s|\Z)|[。！？\n]")
_REST_OF_NAME = compile_late(r"(?:_[^\W\d_]+)+")
_WORD = compile_late(r"[^\W\d_\u2e80-\uffff]+")
_DIGIT = compile_late("[0-9]")
_CODE = compile_late(r"[0-9]{4,10}\Z")
_YEAR = compile_late(r"(?:19|20)\d\d\Z")
_CLOSED = compile_late(r"\s*(?:\Z|[\n.,;:!?)\]»”」』\"'`。、，！？،؛؟])")
_HEX = compile_late(r"(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{16,128}\Z|(?=\d*[A-F])(?=[A-F]*\d)[0-9A-F]{16,128}\Z")


def find_translated_secrets(text: str, is_user: bool, beginnings: Iterable[str] | None = None) -> Iterator[SecretSpan]:
    """Yield where values behind a name begin and end, and their family; names of ASCII count in a person's words only.

    `beginnings` are those of `translated_names.list_beginnings` that stand in the text, when they are known.
    """
    if (text.isascii() and not is_user) or _DIGIT.search(text) is None:
        return
    for end, kind in find_names(lower_keeping_length(text), is_user, beginnings):
        if span := _find_value(text, end, kind):
            yield span


def _find_value(text: str, end: int, kind: int) -> SecretSpan | None:
    """Return the first value with a digit behind a name that ends at `end`, when it is one of its kind.

    In `PASSWORD_RESET_TIMEOUT=3600` the name of a password begins another name: then a number is none.
    """
    if longer := _REST_OF_NAME.match(text, end):
        end = longer.end()
    for match in _VALUE.finditer(text, end, end + MOST_CHARS + 400):
        start, stop = _trim(text, *match.span())
        between, value = text[end:start], text[start:stop]
        if len(between) > MOST_CHARS or _SENTENCE_END.search(between):
            return None
        if any(map(str.isdigit, value)):
            is_of_other = longer is not None and value.isdigit()
            family = None if is_of_other else _classify(value, between, text[stop : stop + 8], kind)
            return (start, stop, family) if family else None
    return None


def _trim(text: str, start: int, stop: int) -> tuple[int, int]:
    if lead := _LEADING.match(text, start, stop):
        start = lead.end()
    trail = _TRAILING.search(text, start, stop)
    return start, trail.start() if trail else stop


def _classify(value: str, between: str, behind: str, kind: int) -> str | None:
    has_mark, words = _MARK.search(between) is not None, len(_WORD.findall(between))
    if _CODE.match(value):
        return _classify_code(value, behind, kind, has_mark, words)
    if kind != PASSWORD:
        is_key = _HEX.match(value) is not None or is_random_key(value)
        return "token" if is_key and not is_id(value) and words <= MOST_WORDS else None
    if len(value) < LEAST_MIXED or value.isdigit() or is_harmless(value):
        return None
    is_near = words <= MOST_WORDS and (is_mixed(value) or (has_mark and not value.isascii()))
    if words and is_public_name(value) and not introduces(between, "password"):
        return None
    return "password" if is_near or is_strong(value) else None


def _classify_code(value: str, behind: str, kind: int, has_mark: bool, words: int) -> str | None:
    """Return the family of a number behind a word for a password or a code; a year needs a mark, a count has a unit behind it."""
    if kind not in (PASSWORD, CODE) or words > (MOST_WORDS if has_mark or kind == CODE else 0):
        return None
    is_alone = _CLOSED.match(behind) is not None or len(value) >= CERTAIN_DIGITS
    return "pin" if is_alone and (has_mark or not _YEAR.match(value)) else None
