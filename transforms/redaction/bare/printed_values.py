"""Finds the values in outputs and files that may be secrets although no name of one stands near, block by block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.bare.value_tokens import CODE_TOKEN, HEX, find_key_before, split_token
from transforms.redaction.named_values import is_id
from transforms.redaction.value_forms import is_name_of_secret

BLOCK_CHARS = 2000
"""A long text is judged in blocks of whole lines of about this size, so that the time grows with its length only."""
LEAST_VALUE, MOST_VALUE, LEAST_HEX = 8, 200, 20
MOST_REPEATED = 8
"""Different characters of a long value that somebody made up: `abcd1234abcd1234abcd1234`."""

_TOKEN = compile_late(r"[!#$%&*+\-./0-9:=?@A-Z^_a-z~À-ſ]{8,600}")
_HAS_DIGIT = compile_late(r"[0-9]")
_TAG_BEFORE = compile_late(r"<([\w:.-]{1,30})(?:\s[^<>]{0,40})?>\s*$|name=\"([\w.-]+)\"[^<>]{0,20}$")
_NO_VALUE = compile_late(
    r"\d+\*|0[ox]\w+\Z|[\w]*(?:msg|req|tooluse|toolu)_\w+\Z|[&+][A-Za-z]"
    r"|(?:[a-z]+|[a-zA-Z]\d[a-zA-Z])(?:[-_.](?:[a-z]+|[a-zA-Z]\d[a-zA-Z]))*[?!*]*\Z|[A-Z0-9]+(?:_[A-Z0-9]+)+\Z"
    r"|[a-z]+\d{0,2}(?:_[a-z]+\d?)+\Z|(?:[a-z]+_){2,}[a-z]+\d{0,2}\Z|[A-Za-z]+-\d+(?:\.\d+)*\+?\Z|\d{1,2}m[A-Z]|\d{1,3}-[A-Z]"
    r"|[a-z]+\d[a-z]*\.[A-Za-z]+\Z|[a-z]{2,12}_01[A-Za-z0-9]{20,}\Z|\d+m[\d.]+s\Z|[A-Z]\d+k\Z|[0-9a-f]{7,40}\.\.+[0-9a-f]{7,40}\Z"
    r"|v?\d+(?:\.\d+)+[\w.+-]*\Z|[\d.,:+\-/%xT]+[a-zA-Z]{0,3}\Z|\d{4}-\d\d-\d\d.*|[A-Za-z]+\d{1,2}\Z|\$?\d+:"
    r"|[\w.-]+\.(?:[a-z]{2,5}|mp[34]|h5|7z|rs|sh|d|js|c|h|py)(?::\d+)*\Z|\$\d"
    r"|[a-z]+\d*(?:[A-Z][a-z]{2,}\d{0,2})+\Z|(?:[A-Z][a-z]{2,}\d{0,3}){2,}\Z(?<!\d\d)"
)
"""Products, numbers, times, files, versions, variables, ids of messages, names in camel case."""
_OPEN = compile_late(
    r"(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|pk_(?:live|test)_|(?:ch|pm|pi|cs|dpl|acct|seti|src|txn|re|po|ba|card|btok|cn|ii|il|sub|prod|price|plan|evt|cus|run|prj)_[A-Za-z0-9]"
    r"|Qm[1-9A-HJ-NP-Za-km-z]{44}\Z|baf[ky][a-z2-7]{40}|01[A-HJKMNP-TV-Z0-9]{24}\Z|age1[a-z0-9]{50}|eyJ|RW[QR][A-Za-z0-9+/]{50}|AwEAA[A-Za-z]|npub1|did:"
    r"|(?:rsa|dsa|ed)\d{3,5}|uid=|arn:|urn:|sha\d{1,3}[-:]|md5|h1:"
)
"""Forms of public keys, of addresses by content, UUIDs, and ids of services."""
ORDINARY = (
    r"[nrt]?(?:[0-9a-fA-F-]{1,19}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:toolu|call|msg|req|chatcmpl|resp)_\w+|[\d.,:+\-/%xTZ]+[a-zA-Z]{0,3}[.:]?|[\w./-]*\.[a-z]{1,5}(?:[:\-]\d+[:\-]?)*|[~$]*\d[\d.,$~-]*[.)]?"
    r"|#[0-9a-f]{3,8}|[A-Za-z]+\d{1,2}[.,:]?|[a-z_]+\d{0,3}(?:[_-][a-z]+\d{0,3})*[.:=]?|.{1,7})\Z"
)
"""Words that are no value, whatever stands around them: most words with a digit are one."""
_ORDINARY = compile_late(ORDINARY)


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """A value in its text, and the name right before it: of an assignment, a member, a tag or a parameter of an address."""

    start: int
    end: int
    key: str
    is_in_address: bool


class ValueBlock:
    """A part of a text with its values, and how many there are of each kind, name and word."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.values = list(_find_values(text, start, end))
        words = [text[value.start : value.end] for value in self.values]
        self.words, self.kinds = Counter(words), Counter(map(name_kind, words))
        self.keys = Counter(value.key for value in self.values)
        self.placeholders = text.count("[redacted:", start, end)


def cut_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the blocks of a text begin and end; a line that is longer than a block is cut."""
    start = 0
    while start < len(text):
        end = start + BLOCK_CHARS
        if end < len(text) and (line_end := text.rfind("\n", start + BLOCK_CHARS // 2, end)) >= 0:
            end = line_end + 1
        yield start, min(end, len(text))
        start = end


def is_ordinary_word(word: str) -> bool:
    """Whether a word holds no value, whatever stands around it."""
    return _HAS_DIGIT.search(word) is None or _ORDINARY.match(word) is not None


def name_kind(word: str) -> str:
    """Return the kind of a value: hexadecimal or not, and how long it is."""
    if HEX.match(word):
        return f"h{len(word)}"
    return f"m{len(word)}" if len(word) >= 16 else f"p{len(word) // 4}"


def scale_count(count: float) -> float:
    """Return the logarithm of a count, from 0 to 1."""
    return min(math.log2(1 + max(count, 0)), 8) / 8


def _find_values(text: str, start: int, end: int) -> Iterator[PrintedValue]:
    for token in _TOKEN.finditer(text, start, end):
        for first, last, key, is_in_address in split_printed(token[0]):
            at = token.start() + first
            is_named = key or is_in_address
            yield PrintedValue(at, token.start() + last, key if is_named else _find_name_before(text, at), is_in_address)


@lru_cache(maxsize=1 << 15)
def split_printed(token: str) -> tuple[tuple[int, int, str, bool], ...]:
    """Return where the values of a word begin and end, their names in it, and whether they stand in an address."""
    if is_ordinary_word(token):
        return ()
    return tuple(value for value in split_token(token) if _may_be_secret(token[value[0] : value[1]]))


def _find_name_before(text: str, start: int) -> str:
    if key := find_key_before(text, start):
        return key
    tag = _TAG_BEFORE.search(text[max(0, start - 60) : start])
    return (tag[1] or tag[2]) if tag else ""


def _may_be_secret(value: str) -> bool:
    """Whether a value has letters and digits and is no number, code, id or name."""
    if not LEAST_VALUE <= len(value) <= MOST_VALUE or not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if len(value) >= LEAST_HEX and len(set(value)) <= MOST_REPEATED:
        return False
    if HEX.match(value):
        return len(value) >= LEAST_HEX
    return not (
        CODE_TOKEN.search(value) or _NO_VALUE.match(value) or _OPEN.match(value) or is_id(value) or is_name_of_secret(value)
    )
