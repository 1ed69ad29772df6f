"""Finds numbers of payment cards and IBANs: the issuer or country tells the length, a checksum the rest."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late

_EDGE, _END = r"(?<![\w.+/#@-])", r"(?![\w+/@]|[.,:-]\d)"
_CARD = compile_late(
    rf"{_EDGE}(?:(?P<card>[2-6]\d{{3}}(?P<joint>[ -]?)\d{{4}}(?P=joint)\d{{4}}(?P=joint)\d{{4}})"
    rf"|(?P<amex>3[47]\d{{2}}(?P<gap>[ -]?)\d{{6}}(?P=gap)\d{{5}})|(?P<diners>3[0689]\d{{2}}(?P<space>[ -])\d{{6}}(?P=space)\d{{4}})){_END}"
)
_ISSUERS = {
    16: compile_late(r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|6(?:011|4[4-9]|5|2|0[48])"),
    15: compile_late(r"3[47]"),
    14: compile_late(r"30[0-5]|3[689]"),
}
"""By length: Visa, Mastercard, JCB, Discover, UnionPay, RuPay; American Express; Diners Club."""
_OF_ID = compile_late(
    r"(?i)(?:id|uid|ids|hash|seed|nonce|offset|cursor|snowflake|size|bytes|ns|time|timestamp|ts)[\\\"']{0,3}\s*[:=]\s*[\\\"'\[]{0,3}\Z"
)
_GROUP_BEFORE, _GROUP_BEHIND = compile_late(r"(?:[0-9A-Fa-f]{4}[ -]){2}\Z"), compile_late(r"(?:\s[0-9A-Fa-f]{4}){3}(?!\w)")
"""Several more groups of four: a table of codes, not the number of a card (behind which its year may stand)."""
_CHECK_DIGITS = bytes(sum(divmod(2 * digit, 10)) for digit in range(10))
LEAST_DIFFERENT = 6
"""Different digits in a card's number; the numbers that payment services publish for tests have fewer, most of them."""

_IBAN = compile_late(r"(?<![A-Za-z0-9_./+-])(?:[A-Z]{2}\d\d|[a-z]{2}\d\d(?=[ \d]))(?:[ -]?[A-Za-z0-9]){11,30}")
_LENGTHS = (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28"
    "HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25"
    "QA29RO24RS22SA24SC31SD18SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"
)
IBAN_LENGTHS = {_LENGTHS[at : at + 2]: int(_LENGTHS[at + 2 : at + 4]) for at in range(0, len(_LENGTHS), 4)}
"""The length of an IBAN of each country (SWIFT's registry)."""

NUMBER_HINT = (
    r"(?:[^A-Za-z0-9_.+/#@-]|\\[nrt])(?:[2-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}"
    r"|3[0-9]{3}[ -]?[0-9]{6}[ -]?[0-9]{4}|[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2}[ -]?[A-Z0-9]{3}|[a-z]{2}[0-9]{2}(?: ?[0-9]{4}){2} ?[0-9]{3})"
)
"""Regex over raw JSON: it finds something in every row with such a number."""


def find_account_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where numbers of cards and IBANs begin and end, and their family."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        start, end = match.span()
        is_id = match[0].isdigit() and _OF_ID.search(text, max(0, start - 24), start)
        is_row = bool(match["joint"]) and (
            _GROUP_BEFORE.search(text, max(0, start - 10), start) or _GROUP_BEHIND.match(text, end)
        )
        if is_card_number(digits) and not is_id and not is_row:
            yield start, end, "card-number"
    for match in _IBAN.finditer(text):
        end = _find_iban_end(text, match.start())
        if end:
            yield match.start(), end, "iban"


def is_card_number(digits: str) -> bool:
    """Whether digits are of an issuer and keep its checksum (Luhn's), and are not one digit again and again."""
    issuer = _ISSUERS.get(len(digits))
    if issuer is None or not issuer.match(digits) or len(set(digits)) < LEAST_DIFFERENT:
        return False
    total = sum(int(digit) for digit in digits[-1::-2]) + sum(_CHECK_DIGITS[int(digit)] for digit in digits[-2::-2])
    return total % 10 == 0


def is_iban(letters: str) -> bool:
    """Whether letters and digits without gaps have the length of their country and keep the checksum (ISO 7064, mod 97)."""
    if len(letters) != IBAN_LENGTHS.get(letters[:2]):
        return False
    return int("".join(str(int(char, 36)) for char in letters[4:] + letters[:4])) % 97 == 1


def _find_iban_end(text: str, start: int) -> int:
    """Return where an IBAN that may begin at a place ends, 0 when none does; its gaps stand between groups of four."""
    length = IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
    letters, position = "", start
    while len(letters) < length:
        if letters and len(letters) % 4 == 0 and text[position : position + 1] in (" ", "-"):
            position += 1
        if not text[position : position + 1].isascii() or not text[position : position + 1].isalnum():
            return 0
        letters += text[position]
        position += 1
    is_cased = letters.isupper() or letters.islower()
    is_end = not text[position : position + 1].isalnum() and text[position : position + 1] != "_"
    return position if is_cased and is_end and is_iban(letters.upper()) else 0
