"""pi's unit of length: UTF-16 code units; a token is four of them, rounded up."""

from __future__ import annotations

from codecs import utf_16_le_encode

UNITS_PER_TOKEN = 4
BRIEFING_TOKENS = 2000
"""Budget of a briefing, unless somebody asks for another one."""


def count_utf16_units(text: str) -> int:
    """Return the length as JavaScript counts it: characters beyond U+FFFF are two units, a lone surrogate is one."""
    return len(text) if text.isascii() else len(utf_16_le_encode(text, "surrogatepass")[0]) // 2


def count_tokens(text: str) -> int:
    """Return pi's estimate of a text's tokens, ceil(UTF-16 code units / UNITS_PER_TOKEN); all tables use it."""
    return convert_units_to_tokens(count_utf16_units(text))


def convert_units_to_tokens(units: int) -> int:
    """Return the same estimate for a length in UTF-16 code units."""
    return -(-units // UNITS_PER_TOKEN)
