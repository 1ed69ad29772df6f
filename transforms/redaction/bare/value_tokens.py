"""What both judges of values without a name read of a text: tokens with their names, lines, shapes, words around, and slots.

The weights of both were fitted to these features: a slot is the hash of a name, so one that is written otherwise is another one.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import lru_cache
from zlib import crc32

from transforms.patterns.late_pattern import compile_late

SLOTS = 1 << 13
"""Slots of the hashed features: words and shapes."""
NEAR_CHARS, LINE_CHARS, MOST_WORDS = 90, 400, 8
LEAST_TOKEN = 20
"""Characters from which a secret is called a token, else a password."""

HEX = compile_late(r"(?:[0-9a-f]+|[0-9A-F]+)\Z")
CODE_TOKEN = compile_late(
    r"\(|\)|->|=>|::|&&|\$\{|%[sd]|%[0-9A-Fa-f]{2}|\?\.|&\w+=|\w\?\w+=|^\$[A-Za-z_]|^\^\d|^[/~.]|^@|^#[0-9a-fA-F]{3,8}$|/.*/"
)
"""Signs of code, paths and colours in a value."""
_KEY = compile_late(r"([A-Za-z_$][\w.\-]{0,40})(=|:(?!//))(?=[^\s=])")
_WORD = compile_late(r"[^\W\d_]{1,24}|\d+")
_NAME_PART = compile_late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TRAIL = compile_late(r"[.,:;)=\]]+$")
_FLAG = compile_late(r"(?:^|[\s\"'])(--?[A-Za-z][\w-]{0,24})[\"']?[ =,]{0,3}[\"']?$")
_KEY_BEFORE = compile_late(r"([A-Za-z_$][\w.\- ]{0,40}?)[\"'`\]]{0,2}\s{0,12}(?:=>|:=|[:=])\s{0,12}[\"'`]?$")
_SEGMENT = compile_late(r"[^/?&=#]{8,200}")
_SHAPE_RUN = compile_late(r"[a-zß-ſ]+|[A-ZÀ-Þ]+|\d+")


def split_token(token: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield where the values of a token begin and end, their names in it, and whether they stand in an address."""
    if "redacted:" in token:
        return
    start, end = 0, len(token)
    if trail := _TRAIL.search(token):
        end = trail.start() + (trail[0].count("=") if len(token) >= 16 else 0)
    scheme = token.find("://", 0, end)
    if scheme >= 0:
        for part in _SEGMENT.finditer(token, scheme + 3, end):
            if "." not in part[0] and "@" not in part[0]:
                yield part.start(), part.end(), _name_part(token, part.start()), True
        return
    key = ""
    while pair := _KEY.match(token, start, end):
        key, start = pair[1], pair.end()
    while start < end and token[start] in "=:*~.":
        start += 1
    yield start, end, key, False


def _name_part(address: str, start: int) -> str:
    """Return the name of a parameter of an address, `/` for a part of its path."""
    before = address[max(0, start - 40) : start]
    return before[:-1].rsplit("/", 1)[-1].rsplit("&", 1)[-1].rsplit("?", 1)[-1] if before.endswith("=") else "/"


def find_key_before(text: str, start: int) -> str:
    """Return the name that is assigned or maps to the value at `start`; empty when there is none."""
    lead = text[max(0, start - 60) : start]
    mark = lead.rstrip(" \t\n\"'`")[-1:]
    named = _KEY_BEFORE.search(lead) if mark and mark in "=:>" else None
    return named[1] if named else ""


def find_flag(before: str) -> str:
    """Return the flag of a command right behind which a value stands; empty when there is none."""
    flag = _FLAG.search(before[-40:])
    return flag[1] if flag else ""


def cut_line(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the line of a value begins and ends; a long one is cut."""
    line_start = max(text.rfind("\n", 0, start) + 1, start - LINE_CHARS)
    line_end = text.find("\n", end, end + LINE_CHARS)
    return line_start, min(len(text), end + LINE_CHARS) if line_end < 0 else line_end


def split_words(text: str) -> list[str]:
    """Return the words and numbers of a text in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def split_name(key: str) -> list[str]:
    """Return the words of a name in lower case: those of `apiToken` are `api` and `token`."""
    return [part.lower() for part in _NAME_PART.findall(key)]


def write_shape(word: str) -> str:
    """Return the classes of the characters, runs as one: `Kaffee-12` is `Aa-9`."""
    return _SHAPE_RUN.sub(lambda run: "9" if run[0].isdigit() else "a" if run[0].islower() else "A", word)[:12]


def name_words(before: str, behind: str, above: str) -> list[str]:
    """Return the names of the slots of the characters and words before and behind a value, and of the line above."""
    before_words, behind_words = split_words(before[-NEAR_CHARS:]), split_words(behind[:NEAR_CHARS])
    return [
        f"b={before[-2:]}", f"a={behind[:2]}",
        *(f"p{at}={near}" for at, near in enumerate(before_words[:-4:-1])),
        *(f"n{at}={near}" for at, near in enumerate(behind_words[:2])),
        *(f"w={near[:7]}" for near in (*before_words[-10:], *behind_words[:6])), *(f"q={near[:6]}" for near in before_words[-4:]),
        *(f"l={near[:7]}" for near in split_words(above)[-MOST_WORDS:]),
    ]  # fmt: skip


@lru_cache(maxsize=1 << 14)
def hash_name(name: str) -> int:
    """Return the slot of a name."""
    return crc32(name.encode()) % SLOTS


def unpack_slots(packed: Sequence[str], scale: float) -> list[float]:
    """Return the weight of each slot."""
    return [(code - 128) * scale for code in base64.b85decode("".join(packed))]
