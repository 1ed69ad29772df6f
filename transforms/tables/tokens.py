"""pi's unit of length: UTF-16 code units; a token is four of them, rounded up."""

from __future__ import annotations

from codecs import utf_16_le_encode


def count_utf16_units(text: str) -> int:
    """Length as JavaScript counts it: characters beyond U+FFFF are two units, a lone surrogate is one."""
    return len(text) if text.isascii() else len(utf_16_le_encode(text, "surrogatepass")[0]) // 2


def count_tokens(text: str) -> int:
    """pi's estimate of a text's tokens: ceil(UTF-16 code units / 4). The same number everywhere in the lake."""
    return convert_units_to_tokens(count_utf16_units(text))


def convert_units_to_tokens(units: int) -> int:
    """The estimate for a length that is already known in UTF-16 code units."""
    return -(-units // 4)
