"""Finds passwords that stand right behind the name of an account: `log in with ada/…`, "the account is ada, …"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.apart.value_kinds import is_password, is_scrambled
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.named_values import SECRET_NAMES, SHORT_NAMES, is_git_hash
from transforms.redaction.names.account_words import ACCOUNT_WORDS
from transforms.redaction.names.introductions import is_of_one_sentence

BEFORE_CHARS, BEHIND_CHARS = 80, 40
"""Characters before and behind a pair in which a word says that somebody signs in with it."""
PAIR_CHARS = 120
"""Characters of a pair that are looked at."""
_ENGLISH = (
    "user", "login", "log in", "logged in", "logging in", "logon", "sign in", "signin", "account", "auth", "access", "ssh",
    "sftp", "vpn", "rdp", "inlog", "einlog", "anmeld", "connect as", "creden", "wifi", "wi-fi", "wlan",
)  # fmt: skip
_OTHER_NAMES = frozenset(
    {"signature", "hmac", "salt", "pepper", "webhook", "seed", "mnemonic", "phrase", "community", "unlock", "cookie"}
)
_QUOTE = r"[\"'`*“”„«»]{0,2}"
_QUOTES = "\"'`*“”„«»"
_ACCOUNT = r"[A-Za-z][\w.+-]{1,40}(?:@[\w.-]{2,60})?"
_JOINT = r"(?:\s?[/|→]\s?|:|(?<![\"'`]),\s|\s(?:->|=>|–|-)\s|,?\s(?i:pass|password|pw|pwd)\s)"
_PAIR = compile_late(
    rf"(?<![\w/.~@:\\=&?-]){_QUOTE}{_ACCOUNT}{_QUOTE}{_JOINT}{_QUOTE}"
    r"(?P<secret>[^\s\"'`“”„«»<>,;()\[\]{}|/\\:=\u2e80-\uffff]{5,64})(?=[\s\"'`”»,;)!?|*]|\.(?:\s|\Z)|\Z)"
)
_AS_PAIR = compile_late(
    rf"(?<![^\W\d_])(?i:as|als|comme|como|come)\s{_QUOTE}{_ACCOUNT}{_QUOTE}\s(?i:with|using|mit|avec|con|com|met|med)\s{_QUOTE}"
    r"(?P<secret>[^\s\"'`“”„«»<>,;()\[\]{}|/\\:=\u2e80-\uffff]{5,64})(?=[\s\"'`”»,;)!?|*]|\.(?:\s|\Z)|\Z)"
)
_QUOTED_PAIR = compile_late(rf"`{_ACCOUNT}`\s?(?:[/:→]|->|with)\s?`(?P<secret>[^\s\"'`<>,;()\[\]{{}}|/\\:=]{{5,64}})(?=`)")
PAIR_SIGNS = ("` / `", "`/`", "`: `", "` : `", "`:`", "` → `", "` -> `", "` with `")
"""One stands in every text with a pair that is quoted as code."""
_LABELLED = compile_late(
    rf"(?m)(?<![\w-])[^\W\d_]{{3,24}}\s?[:=]\s?{_ACCOUNT}[ \t]*\n[ \t]*(?P<secret>[^\s\"'`<>|\\/]{{5,64}})[ \t]*$"
)
_PLACE = compile_late(
    r"(?i)(?<![^\W\d_])(?:to|at|on|in|from|of|into|onto|via|zu|auf|bei|an|von|nach|à|sur|dans|en|a|su|da|w|na|do|para|naar|op|till|på|til)\s\Z"
)
"""A preposition of place: what follows it is a host, a group or a project, not an account."""
PLACE_CHARS = 8
_AS = compile_late(r"(?i)(?<![^\W\d_])(?:as|als|comme|como|come)\s\Z")
_TRAILING = compile_late(r"[.,:;?)\]*_]+\Z")
_DIGITS = compile_late(r"\d")
_MARK = compile_late(r"[!#$%&*?^~]|[A-Za-z0-9]@[A-Za-z0-9!]")
_TELLING = compile_late(r"[^\W\d][!#$%&*?^~@_.-]?\d|\d[!#$%&*?^~@_.-]?[^\W\d]|[!#$%&*?^~]\w|\w@\w")
_WORDS = compile_late(r"\s\S*[^\W\d_]{2}|[^\W\d_]{2}\S*\s")
"""A word beside another one: ids, paths and names have none."""
_NUMBER_END = compile_late(r"\d{2,}[!?.]?\Z")
_NAME = compile_late(
    r"(?:[A-Za-z]+[-_.])*(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)[-_]\d{1,3}\Z|[A-Za-z]+\d\Z|[0-9a-f]{7,64}\Z|[A-Z]{2,8}-?\d+\Z"
    r"|(?:[A-Za-z]+\d*[-.]){2,}|0[ox]\d|[A-Za-z]{1,4}-?\d{1,4}\Z|[a-z]\d+\Z|[0-9a-f]{8}-[0-9a-f]{4}-"
)
"""Counted names (`worker-12`, `team2`), hashes, tickets and parts (`ABC-1234`), names of several words, octal numbers, UUIDs."""


def find_account_pairs(text: str, is_user: bool, words: Iterable[str] | None = None) -> Iterator[SecretSpan]:
    """Yield the second word of each pair in a sentence about signing in, when its form is a password's.

    Of words that no person typed only pairs of which both are quoted as code count. `words` are those of `list_sign_in_words`
    that stand in the text, when they are known.
    """
    if _TELLING.search(text) is None or _WORDS.search(text) is None:
        return
    if not is_user and _QUOTED_PAIR.search(text) is None:  # faster than to look for all words
        return
    lower = lower_keeping_length(text)
    signs = _list_words() if words is None else words
    places = [at for at in sorted(set(find_places(lower, *signs))) if _begins_word(lower, at)]
    for start, stop in _join_windows(places, len(text)):
        for pattern in (_PAIR, _AS_PAIR, _LABELLED) if is_user else (_QUOTED_PAIR,):
            yield from _find_pairs(text, pattern, start, stop, places)


def _find_pairs(text: str, pattern: re.Pattern[str], position: int, stop: int, places: list[int]) -> Iterator[SecretSpan]:
    while match := pattern.search(text, position, stop):
        position = match.start() + 1
        start, end = match.span("secret")
        if trailing := _TRAILING.search(text, start, end):
            end = trailing.start()
        is_tight = text[start - 1] in "/:"
        if not may_be_password(text[start:end], is_tight) or is_git_hash(text, start, end):
            continue
        if _is_misplaced(text, match, start, end, pattern is _AS_PAIR):
            continue
        position = end
        near = places[bisect_left(places, match.start() - BEFORE_CHARS) : bisect_left(places, end + BEHIND_CHARS + 1)]
        if any(_is_about(text, at, match.start(), start, end) for at in near):
            yield start, end, "password"


def _is_misplaced(text: str, pair: re.Match[str], start: int, end: int, is_loose: bool) -> bool:
    """Whether a value that reads as a public name stands in a list or behind "with", or its pair behind a place."""
    if not is_public_name(text[start:end]):
        return False
    is_listed = (
        text[:start].rstrip(_QUOTES).endswith(", ") and _AS.search(text, max(0, pair.start() - PLACE_CHARS), pair.start()) is None
    )
    if is_loose or is_listed:
        return not is_scrambled(text[start:end])
    return text[start - 1] in "/:" and _PLACE.search(text, max(0, pair.start() - PLACE_CHARS), pair.start()) is not None


def _join_windows(places: list[int], size: int) -> list[tuple[int, int]]:
    """Return the pieces of a text in which a pair may stand near one of the places."""
    windows: list[tuple[int, int]] = []
    for at in places:
        first, last = max(0, at - BEHIND_CHARS - PAIR_CHARS), min(size, at + BEFORE_CHARS + PAIR_CHARS)
        if windows and windows[-1][1] >= first:
            windows[-1] = windows[-1][0], last
        else:
            windows.append((first, last))
    return windows


def may_be_password(value: str, is_tight: bool = False) -> bool:
    """Whether a value is a password for its form: two digits among letters, or a digit and both cases, or a mark inside.

    `is_tight`: nothing but a slash or a colon stands before it, as in a path; then digits stand at its end, or it is no word.
    """
    if not is_password(value) or _NAME.match(value):
        return False
    if _MARK.search(value[:-1]):
        return True
    digits = len(_DIGITS.findall(value))
    if is_tight:
        return _NUMBER_END.search(value) is not None or is_scrambled(value) or not is_public_name(value)
    return digits >= 2 or (digits == 1 and any(map(str.isupper, value[1:])) and any(map(str.islower, value)))


def _begins_word(lower: str, at: int) -> bool:
    return at == 0 or not lower[at - 1].isalpha() or not lower[at].isascii()


def _is_about(text: str, at: int, first: int, start: int, end: int) -> bool:
    """Whether a word at `at` stands in the sentence of the pair from `first` on, or right behind it."""
    if at <= first:
        return first - at <= BEFORE_CHARS and is_of_one_sentence(text[at:first].replace("\n", " "))
    return at < start or (at >= end and at - end <= BEHIND_CHARS and is_of_one_sentence(text[end:at]) and "," not in text[end:at])


@cache
def _list_words() -> tuple[str, ...]:
    """Return the beginnings of words for accounts, signing in and its secrets, in lower case."""
    secrets = (word for kind in ("password", "secret", "weak") for word in SECRET_NAMES[kind] if word not in _OTHER_NAMES)
    short = (name for name, kind in SHORT_NAMES.items() if kind == "password")
    return tuple(dict.fromkeys((*_ENGLISH, *ACCOUNT_WORDS, *secrets, *short)))


def list_sign_in_words() -> list[str]:
    """Return the words of which one stands in every text with a pair, in lower case."""
    return list(_list_words())
