"""Tells what letters alone are: a word, a name of source code, words joined as in no name, or letters of no word.

The words are in `word_list.py`, which `benchmarks/safety/plain_words.py` writes.
"""

from __future__ import annotations

import base64
import lzma
from functools import cache, lru_cache

from transforms.patterns.late_pattern import compile_late

LEAST_PART, MOST_PART = 4, 9
"""Letters of a word that is joined with another one."""
LEAST_WORDS = 3
"""Words of a password whose words have a hyphen or a line between them."""
SHARE_COMMON = 0.6
_NAME_PART = compile_late(
    r"(?i)(?:pass|pwd|secret|token|cred|auth|key|login|user|name|field|value|file|path|hash|test|prod|default|service|server|config|admin)"
)
"""Words of which names of secrets, fields and files are made."""
_JOINTS = compile_late("[-_ ]+")


@lru_cache(maxsize=4096)
def is_joined(value: str) -> bool:
    """Whether small letters are two common words joined, which no source code joins so: `velvetharbor`, not `filename`."""
    if not (value.isascii() and value.isalpha() and value.islower()) or value in _read_words(1):
        return False
    words = _read_words(0)
    parts = ((value[:at], value[at:]) for at in range(LEAST_PART, len(value) - LEAST_PART + 1))
    return any(first in words and last in words for first, last in parts) and not holds_name_part(value)


def are_words(value: str, least: int = LEAST_WORDS) -> bool:
    """Whether a value is at least `least` words in small letters, most of them common, and none of which names are made."""
    parts = _JOINTS.split(value)
    common = sum(part in _read_words(0) for part in parts)
    is_common = len(parts) >= least and common >= SHARE_COMMON * len(parts) and value.islower()
    return is_common and min(map(len, parts)) >= LEAST_PART and not holds_name_part(value)


def holds_name_part(value: str) -> bool:
    """Whether a word stands in a value of which names of secrets, fields and files are made."""
    return _NAME_PART.search(value) is not None


@cache
def _read_words(number: int) -> frozenset[str]:
    """Return the common words (0) or the joined words of source code (1), read when the first value is judged."""
    from transforms.redaction.apart.word_list import PACKED_COMPOUNDS, PACKED_WORDS  # 50 KB that few runs need

    packed = "".join((PACKED_WORDS, PACKED_COMPOUNDS)[number])
    return frozenset(lzma.decompress(base64.b85decode(packed)).decode().split("\n"))
