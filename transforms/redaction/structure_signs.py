"""Tells by the bytes of a text which structures can be in it at all, so that most patterns need not be searched."""

from __future__ import annotations

import string

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.seed_words import SEED_BEGINNINGS

Signs = tuple[bytes, ...]
"""Pieces of `map_letters` of which one stands in every text with the structure."""

_ALNUM = (string.ascii_letters + string.digits).encode()
_LETTER_MAP = bytes.maketrans(_ALNUM, b"a" * len(_ALNUM))
_BASE64_MAP = bytes.maketrans(b"+/", b"aa")
_DIGIT_MAP = bytes.maketrans(b"123456789", b"0" * 9)
_WORD_MAP = bytes(
    code if code < 128 and (chr(code).isalpha() or chr(code) in "_-+=*&%$#@<>{}~^\\") else 32 for code in range(256)
)
_SEED_BYTES = frozenset(beginning.encode() for beginning in SEED_BEGINNINGS)

PRODUCT_KEY: Signs = (b"-aaaaa-aaaaa-",)
DIGIT_GROUPS: Signs = (b"-aaaaaa-aaaaaa-",)
UUID_KEY: Signs = (b"-aaaa-aaaaaaaaaaaa:aa",)
LONG_KEY: Signs = (b"a" * 41,)
"""Keys of wallets, of age and in bech32."""
PAPER_LINES: Signs = tuple(b"aaaaaa" + b" " * blanks + b"- aa" for blanks in (1, 2, 3))
HEX_BYTES: Signs = (b" aa" * 14 + b" ",)
"""In the letters of a text whose colons are blanks."""
ACCOUNT_HASH: Signs = (b"a" * 32 + b":" + b"a" * 32 + b":[",)
CRACKED: Signs = (b"a" * 32 + b":",)
QUOTED_HASH: Signs = (b"'" + b"a" * 32,)
LETTER_GROUPS: Signs = (b"aaaa aaaa aaaa aaaa", b"aaaa-aaaa-aaaa-aaaa")
ENCODED: Signs = (b"a" * 15,)
"""In the letters of a text with `+` and `/` among them."""

NUMBER_LIST = compile_late(r"\[\s*[0-9]{1,3}\s*,\s*[0-9]{1,3}\s*,")
NUMBER_LINES = compile_late(r"\n[ \t]*- [0-9]{1,3}[ \t]*\n[ \t]*- [0-9]")


def map_letters(text: str) -> bytes:
    """Return the bytes of a text with an `a` for each letter and digit of ASCII."""
    return text.encode("utf-8", "surrogatepass").translate(_LETTER_MAP)


def map_joined_letters(letters: bytes) -> bytes:
    """Return the letters with an `a` for the other two characters of base64, too."""
    return letters.translate(_BASE64_MAP)


def has_sign(letters: bytes, signs: Signs) -> bool:
    """Whether one of the pieces stands in the letters of a text."""
    return any(sign in letters for sign in signs)


def may_hold_digit_lines(json: str) -> bool:
    """Whether raw JSON may hold a line of eight digits."""
    digits = json.encode("utf-8", "surrogatepass").translate(_DIGIT_MAP)
    return b"00000000" in digits or b"0000 0000" in digits


def may_hold_seed_phrase(text: str, least: int) -> bool:
    """Whether so many words in a row may be of the list of BIP-39; the first and the last may stand beside any mark."""
    if len(text) < 4 * least - 1:
        return False
    words = text.encode("utf-8", "surrogatepass").translate(_WORD_MAP).split()
    is_listed = bytes(map(_SEED_BYTES.__contains__, [word[:4] for word in words]))
    return b"\x01" * (least - 2) in is_listed
