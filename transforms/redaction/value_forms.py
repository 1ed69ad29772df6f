"""Judges the form of a value: a placeholder, a word or a hash, or a key, a token, a password."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from transforms.patterns.late_pattern import compile_late

PLACEHOLDER = compile_late(r"\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]")
_HARMLESS_VALUE = compile_late(
    r"(?i)^(?:[x*.•_-]+|<.*|.*>|\$.*|%\w+%|\{.*|.*\}|your[\w-]*|my[_-].*|changeme\w*|example\w*|dummy\w*|placeholder\w*|redacted\w*"
    r"|none|null|nil|true|false|undefined|string|str|text|number|int|bool(?:ean)?|optional|required|missing|invalid|empty|unset|hidden"
    r"|pass(?:word|wort)?s?|secrets?|tokens?|api[_-]?keys?|process\.env.*|os\.environ.*|env\..*|import\.meta.*|self\..*|this\..*|config\..*|args\..*"
    r"|[\w.$]+\(.*|\w+\[.*|[a-z][a-z+]{1,20}://[^@?]*|https?://[^@]*|file://.*"
    r"|(?-i:.+EXAMPLE(?:KEY)?)|vault:[\w./-]+(?:#\w+)?|arn:[\w-]*:\S*|[~^<>=]{0,2}v?\d{1,4}(?:\.\d{1,4}){1,3}(?:[-+][\w.]+)?"
    r"|(?-i:[A-ZÄÖÜ])[^\W\d]*[!?.:]?(?: [^\W\d]+[!?.:]?)+|[~.]?/.*|\.\.\.|sk-ant-\.\.\.|.*\.\.\.|.*…)$"
)
_NAME_OF_SECRET = compile_late(
    r"[#.]?(?:[a-z]+[_-])+(?:password|passwd|pwd|pw|secret|token|key)\Z"
    r"|[#.]?(?:[a-z]+[_-])*(?:password|passwd|pwd|pw|secret|token|key)(?:(?:[_-][a-z]+)+|(?:[_-][a-z]+)*[_-]v?)\d\Z"
)
LONG_SECRET = 380
"""Patterns and judges look at 400 characters of a value or less: the rest of a longer one belongs to it."""
_LONG_REST = compile_late(r"[A-Za-z0-9+/=_%-]*")
LEAST_MADE_UP, MOST_OF_RUNS = 16, 3
"""Characters of the shortest value that may be made up, and of its runs on average."""
LEAST_ONE_CASE = 3.9
"""Bits a character of a random word of letters and digits in one case."""
_NAMED_DIGEST = compile_late(r"[A-Za-z]+(?:-[A-Za-z]{2,}|-\d{1,4})+-(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
"""A name with the digest of what it is the version of, as the key of a cache has: `Linux-node-22-…`."""
_KEY_TYPE = compile_late(r"(?:[A-Za-z_][\w.]*)?(?:Private|Public)Key(?:s|[A-Z][A-Za-z]*)?\Z")
CODE_NAME = compile_late(r"^[A-Za-z_$][A-Za-z_$]*(?:[.:_/-][A-Za-z_$]+)*[!?]?$")
_HASHLIKE = compile_late(
    r"(?i)^(?:[0-9a-f]{6,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha\d{1,3}[-:=].*|\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+[\w.+-]*|[\d.,:+-]+)$"
)
_UUID_START = compile_late(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
_BASE64 = compile_late(r"^(?=.*\d)[A-Za-z0-9+/]+={0,2}$")
_NAME_JOINTS = compile_late(r"[-_.:]")
CAMEL_PART = compile_late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CONSONANTS = compile_late(r"(?i)[bcdfghjklmnpqrstvwxz]{5}")
NUMBER_LIKE = compile_late(r"^[\d.,:+-]+$")
_FILE_OR_TIME = compile_late(r"\.[A-Za-z]{1,5}$|\d{4}-\d\d-\d\d[T_-]?\d\d|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
_ID_PREFIX = compile_late(
    r"^(?:(?:toolu|call|msg|req|resp|chatcmpl|fc|rs|run|thread|asst|file|item|cus|evt|in|pi|prod|price|sub|srvtoolu|ws)[_-]"
    r"|AAAA[BCE][23]N|MII[A-Za-z]|iVBORw0KGgo|R0lGOD|/9j/|UEsDB|PD94b|PHN2Z)"
)


def is_key_type(value: str) -> bool:
    """Whether a value is the name of a type of keys in code: `x25519.X25519PrivateKey`."""
    return _KEY_TYPE.match(value) is not None


def compute_entropy(text: str) -> float:
    """Return the Shannon entropy in bits per character."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())


def is_name_of_secret(value: str) -> bool:
    """Whether a value names a variable, a field or a secret of a store: `billing-db-secret`, `password_v2`."""
    return _NAME_OF_SECRET.match(value) is not None


def is_made_up(value: str) -> bool:
    """Whether a long value is written in runs, of one character or in the order of the alphabet: `ghp_xxxx…`, `0123456789…`.

    Of random letters and digits hardly two in a row are such a run.
    """
    if len(value) < LEAST_MADE_UP:
        return False
    runs, most = 1, len(value) // MOST_OF_RUNS
    for first, second in pairwise(map(ord, value)):
        if second - first not in (0, 1):
            runs += 1
            if runs > most:  # after a third of a random value: its rest decides nothing
                return False
    return True


def is_harmless(value: str) -> bool:
    """Whether a value cannot be a secret: a placeholder, an expression, a path, several words."""
    if value.count(" ") > 3 or "[redacted:" in value:
        return True
    if is_key_type(value) or is_name_of_secret(value) or is_made_up(value) or _NAMED_DIGEST.match(value):
        return True
    return bool(_HARMLESS_VALUE.match(value)) and not (value[0] in "/~." and _is_base64(value))


def find_long_end(text: str, start: int, end: int) -> int:
    """Return where a secret ends that may be longer than patterns and judges look at."""
    if end - start < LONG_SECRET:
        return end
    return end + len(_LONG_REST.match(text, end)[0])  # type: ignore[index]  # it matches nothing, too


def _is_base64(value: str) -> bool:
    """Whether a value that begins like a path is a random key: base64 contains slashes."""
    return (
        len(value) >= 32 and bool(_BASE64.match(value)) and compute_entropy(value) >= 4.2 and compute_change_rate(value) >= 0.35
    )


def _is_made_of_words(value: str) -> bool:
    """Whether a value is a name made of words and numbers: `color-accent-500-hover-v2`."""
    parts = _NAME_JOINTS.split(value)
    words = sum(len(part) >= 4 and part.isalpha() for part in parts)
    return (
        len(parts) >= 3
        and words >= 2
        and value in (value.lower(), value.upper())
        and 4 * sum(map(str.isdigit, value)) < len(value)
    )


def _has_random_letters(value: str) -> bool:
    """Whether the letters of a value form no words: many short parts, and consonants in a row."""
    parts = CAMEL_PART.findall(value)
    small = sum(len(part) <= 2 for part in parts)
    return len(value) >= 12 and 0.3 * len(value) <= len(parts) <= 2 * small and bool(_CONSONANTS.search(value))


def is_random_key(value: str) -> bool:
    """Whether the value of a key is a secret: long, no name, path or id, and it often changes between letters and digits."""
    if re.fullmatch(r"(?i)[0-9a-f]{32,128}", value):
        return True
    if value.startswith("base64:"):
        return len(value) >= 40
    return (
        looks_random(value, 20)
        and "." not in value
        and ":" not in value
        and not _UUID_START.search(value)
        and compute_change_rate(value) >= 0.25
    )


def is_secret_hex(value: str) -> bool:
    """Whether a value is long hexadecimal or a UUID. After the name of a secret that is not a hash."""
    return bool(re.fullmatch(r"(?i)[0-9a-f]{24,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", value))


def looks_random(value: str, minimum: int) -> bool:
    """Whether a value of at least `minimum` characters looks like a key or password, and not like a word, name, path or hash."""
    if len(value) < minimum or _HASHLIKE.match(value) or " " in value or is_harmless(value):
        return False
    if CODE_NAME.match(value):
        return _has_random_letters(value)
    if _is_made_of_words(value):
        return False
    has_digit = any(char.isdigit() for char in value)
    has_upper, has_lower = any(map(str.isupper, value)), any(map(str.islower, value))
    has_mark = any(not char.isalnum() for char in value[:-1])
    if "/" in value and re.fullmatch(r"[\w@.-]*(?:/[\w@.:-]+)+", value) and compute_entropy(value) < 4.3:
        return False
    if not has_digit:
        return has_upper and has_lower and has_mark and compute_entropy(value) >= 3.3 and len(value) >= 10
    return (has_upper or has_lower) and compute_entropy(value) >= min(3.0, math.log2(len(value)) * 0.8)


def is_bare_token(value: str) -> bool:
    """Whether a word without context is a token: long, with three classes of characters, and no path, id, hash or name."""
    if len(value) < 32 or _HASHLIKE.match(value) or _NAMED_DIGEST.match(value):
        return False
    if _ID_PREFIX.match(value) or PLACEHOLDER.search(value):
        return False
    kinds = [any(map(test, value)) for test in (str.isupper, str.islower, str.isdigit)]
    if value.isalnum() and kinds[2] and kinds[0] != kinds[1]:  # in one case: "HJ2K…", no hash
        return compute_entropy(value) >= LEAST_ONE_CASE and compute_change_rate(value) >= 0.3
    if not all(kinds) or value.count("/") > 2 or value.count(".") > 2 or _FILE_OR_TIME.search(value):
        return False
    return compute_entropy(value) >= 4.2 and compute_change_rate(value) >= 0.3


def compute_change_rate(value: str) -> float:
    """Return the changes of character class, per character."""
    return sum(_find_char_class(char) != _find_char_class(following) for char, following in pairwise(value)) / len(value)


def _find_char_class(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.isupper() else 2 if char.islower() else 3
