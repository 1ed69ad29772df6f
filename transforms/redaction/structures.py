"""Finds secrets by their structure alone: groups of letters, blocks of key material, lists of bytes, seed phrases, dumps of hashes."""

# ruff: noqa: E501 - a pattern or a made text is read best on one line

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction import structure_signs as signs
from transforms.redaction.seed_words import SEED_BEGINNINGS
from transforms.redaction.value_judge import compute_surprise

_GROUPS = compile_late(r"(?<![\w.-])[A-Za-z0-9]{4}(?P<joint>[ -])(?:[A-Za-z0-9]{4}(?P=joint)){2,10}[A-Za-z0-9]{4}(?![\w-])")
LEAST_GROUP_SURPRISE, LEAST_CODE_LINE, LONGEST_CODE_LINE = 6.3, 8, 80
_PRODUCT_KEY = compile_late(r"(?<![\w-])(?=[A-Z-]*\d)(?:[A-Z0-9]{5}-){3,5}[A-Z0-9]{5}(?![\w-])")
_DIGIT_GROUPS = compile_late(r"(?<![\d-])(?:[0-9]{6}-){7}[0-9]{6}(?![\d-])")
_UUID_KEY = compile_late(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx\b")
_PRIVATE_ADDRESS = compile_late(r"/private-(?P<secret>[0-9a-f]{20,64})/")
_BECH32 = compile_late(r"(?<![\w])(?:nsec1|[a-z]{2,10}_sk1|AGE-SECRET-KEY-1)[02-9ac-hj-np-zAC-HJ-NP-Z]{40,70}(?!\w)")
_WALLET_KEY = compile_late(
    r"(?<![\w])(?:[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}|[KL5][1-9A-HJ-NP-Za-km-z]{50,51}(?=[\"'\s`]|\Z))(?!\w)"
)
_STATIC_KEY = compile_late(
    r"-----BEGIN (?![^-\n]*(?:PUBLIC|CERTIFICATE|SIGNATURE|MESSAGE|PARAMETERS|REQUEST|CRL))[^-\n]{0,40}(?i:key)[^-\n]{0,20}-----(?P<secret>[\s>|│*#A-Za-z0-9+/=:,.-]{40,8000}?)(?=-----END|\Z)"
)
_PAPER_LINES = compile_late(r"(?m)^[ \t>]*\d{1,3}: (?:[0-9a-f]{6} {1,3}){2,7}- [0-9a-f]{2}[ \t]*$")
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_BYTE_LIST = compile_late(
    rf"(?i)(?:key|secret|seed|token|psk)\w{{0,12}}[\"']?\s*[:=]\s*(?:[\w.]{{1,24}}\(\s*)?\[\s*(?P<secret>{_BYTE}(?:\s*,\s*{_BYTE}){{15,63}})\s*\]"
)
_BYTE_LINES = compile_late(
    rf"(?i)(?:key|secret|seed)\w{{0,12}}[\"']?\s*:[ \t]*\n(?P<secret>(?:[ \t]*- {_BYTE}[ \t]*(?:\n|\Z)){{16,64}})"
)
_KEY_PAIR = compile_late(rf"(?<![\w,])\[(?P<secret>{_BYTE}(?:,\s?{_BYTE}){{63}})\]")
_HEX_BYTES = compile_late(
    r"(?:[Kk]ey|KEY|PSK|PMK)\b[^\n]{0,24}[:=][ \t]*(?P<secret>[0-9A-Fa-f]{2}(?:[ :][0-9A-Fa-f]{2}){15}(?:\s+[0-9A-Fa-f]{2}(?:[ :][0-9A-Fa-f]{2}){15})?)(?![ :]?[0-9A-Fa-f]{2}\b)"
)
_CRACKED = compile_late(r"(?m)^(?P<hash>[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9A-F]{32}):(?P<secret>[^\s:]{4,64})$")
_ACCOUNT_HASH = compile_late(r"(?<![0-9A-Fa-f])(?:X{32}|[0-9A-Fa-f]{32}):(?P<secret>[0-9A-F]{32})(?=:\[)")
_DOUBLED_HASH = compile_late(r"\$\$(?:2[abxy]|apr1|[156y])\$\$(?:\d{2}\$\$)?[\w./$]{20,140}")
_INSERTED_HASH = compile_late(
    r"(?i)\bINSERT INTO [^\n]{0,80}(?:user|account|member|login|auth|usuario|uye|client)[^\n]{0,40}VALUES[^\n]{0,20000}"
)
_QUOTED_HASH = compile_late(r"'(?P<secret>[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})'")
_CODE_LINE = compile_late(r"[ \t>|*•]{0,4}(?:\d{1,2}[.)] ?)?(?P<secret>[a-z0-9]{4,6}(?:[- ][a-z0-9]{4,6}){1,2})[ \t]*\Z")
_DIGIT_LINE = compile_late(r"[ \t]*(?P<secret>\d{4} \d{4}(?: {2,8}\d{4} \d{4})*|\d{8}(?: +\d{8})*)[ \t]*\Z")
LEAST_CODES, LEAST_DIGIT_LINES = 4, 3
_SEED_WORD = compile_late(r"[a-z]{3,8}(?![a-zA-Z])")
_SEED_GAP = compile_late(r"(?:[\s,|\"'\[\]]|(?<!\d)\d{1,2}(?!\d)[.):]?)*\Z")
LEAST_SEED_WORDS = 12
"""Words of a phrase."""
_BASE64 = compile_late(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{15,400}={0,2}(?![A-Za-z0-9+/=_-])")
_ACCOUNT = compile_late(r"[\w.@+-]{2,60}:[^\s:/\\]{5,80}\Z")

_CERTAIN: tuple[tuple[re.Pattern[str], str, signs.Signs], ...] = (
    (_PRODUCT_KEY, "secret", signs.PRODUCT_KEY), (_DIGIT_GROUPS, "recovery-code", signs.DIGIT_GROUPS), (_UUID_KEY, "token", signs.UUID_KEY),
    (_PRIVATE_ADDRESS, "token", ()), (_BECH32, "private-key", signs.LONG_KEY), (_WALLET_KEY, "private-key", signs.LONG_KEY), (_STATIC_KEY, "private-key", ()),
    (_PAPER_LINES, "private-key", signs.PAPER_LINES), (_ACCOUNT_HASH, "password-hash", signs.ACCOUNT_HASH), (_DOUBLED_HASH, "password-hash", ()),
)  # fmt: skip
"""Patterns whose matches are secrets, their family, and the signs that they cannot do without; one that begins with a literal is fast without."""


def find_structures(text: str, is_user: bool) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets that their structure tells begin and end, and their family."""
    letters = signs.map_letters(text)
    for pattern, family in _choose_patterns(text, letters):
        for match in pattern.finditer(text):
            yield *(match.span("secret") if "secret" in pattern.groupindex else match.span()), family
    if signs.has_sign(letters, signs.LETTER_GROUPS):
        for match in _GROUPS.finditer(text):
            if not _are_words(match[0].split(" ")) and is_random_groups(re.sub(r"[ -]", "", match[0])):
                yield *match.span(), "password"
    yield from _find_lists(text, is_user)
    yield from _find_hashes(text, letters)
    yield from find_seed_phrases(text)
    if signs.has_sign(signs.map_joined_letters(letters), signs.ENCODED):
        yield from find_encoded(text)


def _choose_patterns(text: str, letters: bytes) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield the patterns that may find something in a text, by its signs."""
    for pattern, family, needed in _CERTAIN:
        if not needed or signs.has_sign(letters, needed):
            yield pattern, family
    if signs.NUMBER_LIST.search(text):
        yield _BYTE_LIST, "private-key"
        yield _KEY_PAIR, "private-key"
    if signs.NUMBER_LINES.search(text):
        yield _BYTE_LINES, "private-key"
    if signs.has_sign(letters.replace(b":", b" "), signs.HEX_BYTES):
        yield _HEX_BYTES, "private-key"


_SPEAKABLE = compile_late(r"(?i)(?=.*[aeiouy])(?!.*[^aeiouy]{3})[a-z]+\Z")


def _are_words(groups: list[str]) -> bool:
    """Whether groups between spaces are words of some language: all of them can be spoken, or one is repeated.

    Of four random groups one in twenty-seven can be spoken.
    """
    return len(groups) > 1 and (len({group.lower() for group in groups}) < len(groups) or all(map(_SPEAKABLE.match, groups)))


def is_random_groups(letters: str) -> bool:
    """Whether groups of four hold random letters; card numbers, dumps of bytes and words are none."""
    if letters.startswith("GHSA") or letters.isdigit() or re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", letters):
        return False
    return compute_surprise(letters)[0] >= LEAST_GROUP_SURPRISE


def _find_lists(text: str, is_user: bool) -> Iterator[tuple[int, int, str]]:
    """Yield recovery codes: lines of the same form below each other."""
    if text.count("\n") < LEAST_DIGIT_LINES - 1:
        return
    codes: list[tuple[int, int]] = []
    digits: list[tuple[int, int]] = []
    start = 0
    for line in (*text.split("\n"), ""):
        may_match = LEAST_CODE_LINE <= len(line) <= LONGEST_CODE_LINE
        code = _CODE_LINE.match(line) if may_match else None
        digit = _DIGIT_LINE.match(line) if may_match and is_user else None
        if code is not None:
            codes.append((start + code.start("secret"), start + code.end("secret")))
        elif codes:
            yield from _tell_codes(text, codes)
            codes = []
        if digit is not None:
            digits.append((start + digit.start("secret"), start + digit.end("secret")))
        elif digits:
            yield from ((*span, "recovery-code") for span in digits if len(digits) >= LEAST_DIGIT_LINES)
            digits = []
        start += len(line) + 1


def _tell_codes(text: str, codes: list[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Yield codes of lines below each other when most of them mix letters and digits."""
    mixed = sum(any(map(str.isdigit, text[start:end])) and any(map(str.isalpha, text[start:end])) for start, end in codes)
    if len(codes) >= LEAST_CODES and 10 * mixed >= 7 * len(codes):
        yield from ((*span, "recovery-code") for span in codes)


def _find_hashes(text: str, letters: bytes) -> Iterator[tuple[int, int, str]]:
    for match in _CRACKED.finditer(text) if signs.has_sign(letters, signs.CRACKED) else ():
        if not re.fullmatch(r"\d+|[\w./-]+\.\w{1,5}|sha\d+.*", match["secret"]):
            yield *match.span(), "password"
    for statement in _INSERTED_HASH.finditer(text) if signs.has_sign(letters, signs.QUOTED_HASH) else ():
        yield from ((*match.span("secret"), "password-hash") for match in _QUOTED_HASH.finditer(text, *statement.span()))


def find_seed_phrases(text: str, least: int = LEAST_SEED_WORDS) -> Iterator[tuple[int, int, str]]:
    """Yield runs of at least `least` words of the list of BIP-39, also numbered and over lines."""
    if not signs.may_hold_seed_phrase(text, least):
        return
    run: list[re.Match[str]] = []
    for word in _SEED_WORD.finditer(text):
        is_next = bool(run) and _SEED_GAP.match(text, run[-1].end(), word.start()) is not None
        is_word = word[0][:4] in SEED_BEGINNINGS and not text[word.start() - 1 : word.start()].isalpha()
        if is_next and is_word:
            run.append(word)
            continue
        if _is_seed_phrase(run, least):
            yield run[0].start(), run[-1].end(), "seed-phrase"
        run = [word] if is_word else []
    if _is_seed_phrase(run, least):
        yield run[0].start(), run[-1].end(), "seed-phrase"


def _is_seed_phrase(run: list[re.Match[str]], least: int) -> bool:
    """Whether so many words of the list may be a phrase: one word said again and again is none."""
    return len(run) >= least and 4 * len({word[0].lower() for word in run}) >= 3 * least


def find_encoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield base64 that decodes to an account with its password, and the decoded text where it is shown."""
    for match in _BASE64.finditer(text):
        if (account := decode_account(match[0])) is not None:
            yield *match.span(), "basic-auth"
            if (at := text.find(account)) >= 0:
                yield at, at + len(account), "basic-auth"


def decode_account(word: str) -> str | None:
    """Return the account and password that a word of base64 holds; None when it holds anything else."""
    if len(word) < 16 or len(word) % 4 == 1 or not any(map(str.isupper, word)) or not any(map(str.islower, word)):
        return None
    try:
        decoded = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("ascii")
    except ValueError:
        return None
    if not decoded.isprintable():
        return None
    if _ACCOUNT.match(decoded):
        return decoded
    return decoded if re.match(r'\{"[a-z]{1,3}":"[^"]{16,}","[a-z]{1,3}":"[^"]{16,}"', decoded) else None
