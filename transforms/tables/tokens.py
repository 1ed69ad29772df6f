"""pi's unit of length: UTF-16 code units; a token is four of them, rounded up."""

from __future__ import annotations

from codecs import utf_16_le_encode

UNITS_PER_TOKEN = 4
UNSPACED_RANGES = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3001", "\u9fff"),
    ("\U00020000", "\U0003ffff"),
)
"""Thai and Lao, Burmese, Khmer, Chinese and Japanese: scripts that put no spaces between words. Korean does."""
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


def count_words(text: str) -> int:
    """Return the words of a text as a model is told its length: those between spaces, and of a script without spaces three for
    four tokens, as for the length that a model is asked for."""
    if text.isascii():
        return len(text.split())
    signs = "".join(sign for sign in text if is_unspaced(sign))
    spaced = "".join(" " if is_unspaced(sign) else sign for sign in text) if signs else text
    return len(spaced.split()) + count_tokens(signs) * 3 // 4


def is_unspaced(sign: str) -> bool:
    """Whether a sign belongs to a script that sets no spaces between words."""
    return any(first <= sign <= last for first, last in UNSPACED_RANGES)
