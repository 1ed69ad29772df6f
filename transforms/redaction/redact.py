"""Removes secrets from texts and JSON values before anything is stored, logged or shown.

The same secret always gives the same placeholder `[redacted:family:hash]`, so that a conversation stays readable. Hashes,
ids, UUIDs, paths and prose stay: an assignment counts only when its value looks random or its name says password.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from transforms.redaction.secret_rules import (
    ASSIGNMENT,
    BARE_CHARS,
    BARE_TOKEN,
    BRIDGED,
    FLAG,
    FLAG_COMMANDS,
    GENERIC_KEY,
    KEY_END,
    KEY_TAIL,
    SECRET_NAME,
    SHAPES,
    SPOKEN,
    SPOKEN_WORDS,
    WORD_STARTS,
    filter_bits,
)

Family = Callable[[re.Match[str], str], str | None]
"""Returns the family of a secret that a pattern found; None when the value is harmless."""

ASSIGNED, COMMANDS = 1, 2
EVERYTHING = -1
Mode = tuple[bool, int, int]
"""Whether a person wrote the words, then the bits of `find_secret_candidates`: shapes and assignments."""

_SHAPES = [(filter_bits(shape), shape.literals, shape.pattern, shape.name) for shape in SHAPES]
_KEY_BITS = next(bits for bits, _, _, name in _SHAPES if name == "private-key")

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]")
KEPT_KEYS = frozenset(
    {"id", "parentId", "toolCallId", "timestamp", "type", "role", "responseId", "targetId", "fromId", "firstKeptEntryId"}
)
"""Members that hold ids and types: they are never secret, and other entries refer to them."""

LEAST_NAME = 20
"""Names of members are searched from this length on: no token is shorter, and few names of pi are longer."""

_PASSWORD_NAME = re.compile(r"(?i)pass(?:word|wd|phrase|code)?$|pwd$|password|passwort")
_HARMLESS = re.compile(
    r"(?i)^(?:[x*.•_-]+|<.*|.*>|\$.*|%\w+%|\{.*|.*\}|your[\w-]*|my[_-].*|changeme\w*|example\w*|dummy\w*|placeholder\w*|redacted\w*"
    r"|none|null|nil|true|false|undefined|string|str|text|number|int|bool(?:ean)?|optional|required|missing|invalid|empty|unset|hidden"
    r"|pass(?:word|wort)?s?|secrets?|tokens?|api[_-]?keys?|process\.env.*|os\.environ.*|env\..*|import\.meta.*|self\..*|this\..*|config\..*|args\..*"
    r"|[\w.$]+\(.*|\w+\[.*|[a-z][a-z+]{2,20}://[^@?]*|https?://[^@]*|file://.*"
    r"|(?-i:[A-ZÄÖÜ])[^\W\d]*[!?.:]?(?: [^\W\d]+[!?.:]?)+|[~.]?/.*|\.\.\.|sk-ant-\.\.\.|.*\.\.\.|.*…)$"
)
IDENTIFIER = re.compile(r"^[A-Za-z_$][A-Za-z_$]*(?:[.:_/-][A-Za-z_$]+)*[!?]?$")
_VARIABLE = re.compile(r"(?i)^(?=.*_|.*(?:pass|pwd|secret|token|key))[a-z_.]+$")
"""The name of a variable after `password=` in code: `Client(password=encoded_pwd)`."""
_HASHLIKE = re.compile(
    r"(?i)^(?:[0-9a-f]{6,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha\d{1,3}[-:=].*|\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+[\w.+-]*|[\d.,:+-]+)$"
)
_UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
_BASE64 = re.compile(r"^(?=.*\d)[A-Za-z0-9+/]+={0,2}$")
_KEYWORD = re.compile(r"[A-Za-z_]\w*=[A-Za-z0-9]")
_JOINTS = re.compile(r"[-_.:]")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CONSONANTS = re.compile(r"(?i)[bcdfghjklmnpqrstvwxz]{5}")
_NUMBERS = re.compile(r"^[\d.,:+-]+$")
_NAME_CHAR = re.compile(r"[A-Za-z0-9_.-]")
_FILE_OR_TIME = re.compile(r"\.[A-Za-z]{1,5}$|\d{4}-\d\d-\d\d[T_-]?\d\d|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
_ID_PREFIX = re.compile(
    r"^(?:toolu|call|msg|req|resp|chatcmpl|fc|rs|run|thread|asst|file|item|cus|evt|in|pi|prod|price|sub|srvtoolu|ws)_"
)


def redact(text: str, is_user: bool = False) -> str:
    """Return the text with placeholders for secrets. In a user's own words (`is_user`) bare random tokens count too."""
    return _redact(text, (is_user, EVERYTHING, EVERYTHING), {})


def redact_value(value: Any, is_user: bool = False, shapes: int = EVERYTHING, assigned: int = EVERYTHING) -> tuple[Any, int]:
    """Return a JSON value with placeholders for the secrets in its strings, and the number of different secrets.

    A secret that is recognised in one string, by name or shape, is removed from all other strings as well. `shapes` and
    `assigned` are bits of `transforms.reading.secret_prefilter`: patterns that they exclude are not searched for.
    """
    placeholders: dict[str, str] = {}
    cleaned = _redact_strings(value, "", (is_user, shapes, assigned), placeholders)
    if placeholders:
        cleaned = _replace_known(cleaned, placeholders)
    return cleaned, len(placeholders)


def make_placeholder(family: str, secret: str) -> str:
    """Return the text that replaces a secret. Its hash is too short to reveal the secret."""
    return f"[redacted:{family}:{blake2b(secret.encode('utf-8', 'surrogatepass'), digest_size=2).hexdigest()}]"


def compute_entropy(text: str) -> float:
    """Return the Shannon entropy in bits per character."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())


def _redact(text: str, mode: Mode, placeholders: dict[str, str]) -> str:
    is_user, shapes, assigned = mode
    if len(text) < 6:
        return text
    if shapes:
        text = _redact_shapes(text, shapes, placeholders)
    if assigned & COMMANDS and any(command in text for command in FLAG_COMMANDS):
        text = _replace_matches(FLAG, text, lambda _match, secret: None if is_harmless(secret) else "password", placeholders)
    if assigned & ASSIGNED:
        text = _redact_assignments(text, placeholders)
    if is_user and any(word in text.lower() for word in SPOKEN_WORDS):
        text = _replace_matches(SPOKEN, text, _classify_spoken, placeholders)
    if is_user and max(map(len, text.split()), default=0) >= BARE_CHARS:
        text = _replace_matches(
            BARE_TOKEN, text, lambda _match, secret: "token" if _is_bare_token(secret) else None, placeholders
        )
    return text


def _redact_shapes(text: str, bits: int, placeholders: dict[str, str]) -> str:
    for needed, literals, pattern, name in _SHAPES:
        if bits & needed and any(literal in text for literal in literals):
            text = _replace_matches(pattern, text, partial(_classify_shape, name), placeholders)
    return _redact_key_ends(text, placeholders) if bits & _KEY_BITS and "PRIVATE KEY" in text else text


def _redact_key_ends(text: str, placeholders: dict[str, str]) -> str:
    """Replace private keys whose beginning was cut off."""
    at = 0
    while end := KEY_END.search(text, at):
        start = match.start() if (match := KEY_TAIL.search(text, max(at, end.start() - 8000), end.start())) else end.start()
        at = end.end()
        if end.start() - start >= 60:
            placeholders[text[start : end.end()]] = mark = make_placeholder("private-key", text[start : end.end()])
            text, at = text[:start] + mark + text[end.end() :], start + len(mark)
    return text


def _redact_assignments(text: str, placeholders: dict[str, str]) -> str:
    """Replace assigned secrets. The patterns are tried only where one of their words begins, which is faster than `sub`."""
    lower = text.lower()
    if len(lower) != len(text):  # "İ" becomes two characters: offsets would shift
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    starts = {at for word in WORD_STARTS for at in _find_starts(lower, word)}
    kept, done = [], 0
    for at in sorted(starts):
        for pattern, family in _ASSIGNMENTS if at >= done else ():
            match = pattern.match(text, at)
            if match and (replacement := _replace_secret(match, family, placeholders)) != match[0]:
                kept += [text[done:at], replacement]
                done = match.end()
                break
    return "".join([*kept, text[done:]]) if kept else text


def _find_starts(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _replace_matches(pattern: re.Pattern[str], text: str, family: Family, placeholders: dict[str, str]) -> str:
    return pattern.sub(lambda match: _replace_secret(match, family, placeholders), text)


def _replace_secret(match: re.Match[str], family: Family, placeholders: dict[str, str]) -> str:
    names = match.re.groupindex
    group: str | int = next((name for name in ("secret", "quoted", "bare") if name in names and match[name] is not None), 0)
    secret = match[group]
    if "[redacted:" in secret or (name := family(match, secret)) is None:
        return match[0]
    placeholders[secret] = make_placeholder(name, secret)
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return match[0][:start] + placeholders[secret] + match[0][end:]


def _classify_shape(name: str, _match: re.Match[str], secret: str) -> str | None:
    """Return the family of a match by shape; None for a placeholder in a URL or header, which has the same shape."""
    if name == "cookie":
        values = (cookie.partition("=")[2] for cookie in re.split(r"[;\s]+", secret))
        return name if any(is_random_key(value.replace(".", "").replace("%", "")) for value in values) else None
    is_loose = name in ("url-password", "url-user", "auth-header", "bearer")
    return None if is_loose and is_harmless(secret) else name


def _classify_assignment(match: re.Match[str], value: str) -> str | None:
    """Return the family of `name = value`; None when the name or the value is harmless."""
    separator = match["separator"]
    is_flag = not separator.strip()
    name = _extract_name(match)
    if is_flag and not name.startswith("--"):
        return None
    if separator == "=" and match["quoted"] is None and name.islower() and _VARIABLE.match(value):
        return None
    return _classify_named_value(name, value, is_code=match["quoted"] is None and separator != "=" and not is_flag)


def _extract_name(match: re.Match[str]) -> str:
    start = match.start()
    while start and match.start() - start < 60 and _NAME_CHAR.match(match.string[start - 1]):
        start -= 1
    return match.string[start : match.start()] + match["word"]


def _classify_distant_value(match: re.Match[str], value: str) -> str | None:
    """Return the family of a value some words after its name; None when it may be anything else."""
    name = _extract_name(match)
    if _KEYWORD.match(value):
        return None
    is_password, is_secret = bool(_PASSWORD_NAME.search(name)), bool(SECRET_NAME.search(name.lstrip("-")))
    if is_password and match["open"] and looks_random(value, 8):
        return "password"
    if is_password and looks_random(value, 10) and "." not in value and _compute_change_rate(value) >= 0.3:
        return "password"
    if is_secret and match["open"] and looks_random(value, 12) and _compute_change_rate(value) >= 0.3:
        return "secret"
    return ("password" if is_password else "secret") if (is_secret or GENERIC_KEY.search(name)) and is_random_key(value) else None


_ASSIGNMENTS = ((ASSIGNMENT, _classify_assignment), (BRIDGED, _classify_distant_value))


def _classify_named_value(name: str, value: str, is_code: bool = False) -> str | None:
    is_secret = bool(SECRET_NAME.search(name.lstrip("-")))
    if not (is_secret or GENERIC_KEY.search(name)) or is_harmless(value):
        return None
    if _PASSWORD_NAME.search(name):
        return "password" if len(value) >= 4 and (not is_code or looks_random(value, 6)) else None
    if not is_secret:
        return "secret" if is_random_key(value) else None
    is_env = name.isupper() and len(value) >= 8 and not IDENTIFIER.match(value) and not _NUMBERS.match(value)
    return "secret" if is_env or looks_random(value, 12) or _is_secret_hex(value) else None


def _classify_spoken(_match: re.Match[str], secret: str) -> str | None:
    is_mixed_hex = re.fullmatch(r"(?i)(?=.*\d)(?=.*[a-f])[0-9a-f]{6,128}", secret)
    return "spoken" if is_mixed_hex or looks_random(secret, 6) else None


def is_harmless(value: str) -> bool:
    """Whether a value cannot be a secret: a placeholder, an expression, a path, several words."""
    if value.count(" ") > 3 or "[redacted:" in value:
        return True
    return bool(_HARMLESS.match(value)) and not (value[0] in "/~." and _is_base64(value))


def _is_base64(value: str) -> bool:
    """Whether a value that begins like a path is a random key: base64 contains slashes."""
    return (
        len(value) >= 32 and bool(_BASE64.match(value)) and compute_entropy(value) >= 4.2 and _compute_change_rate(value) >= 0.35
    )


def _is_made_of_words(value: str) -> bool:
    """Whether a value is a name made of words and numbers: `color-accent-500-hover-v2`."""
    parts = _JOINTS.split(value)
    words = sum(len(part) >= 4 and part.isalpha() for part in parts)
    return (
        len(parts) >= 3
        and words >= 2
        and value in (value.lower(), value.upper())
        and 4 * sum(map(str.isdigit, value)) < len(value)
    )


def _has_random_letters(value: str) -> bool:
    """Whether the letters of a value form no words: many short parts, and consonants in a row."""
    parts = _CAMEL.findall(value)
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
        and not _UUID.search(value)
        and _compute_change_rate(value) >= 0.25
    )


def _is_secret_hex(value: str) -> bool:
    """Whether a value is long hexadecimal or a UUID. After the name of a secret that is no hash."""
    return bool(re.fullmatch(r"(?i)[0-9a-f]{24,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", value))


def looks_random(value: str, minimum: int) -> bool:
    """Whether a value of at least `minimum` characters looks like a key or password, and not like a word, name, path or hash."""
    if len(value) < minimum or _HASHLIKE.match(value) or " " in value or is_harmless(value):
        return False
    if IDENTIFIER.match(value):
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


def _is_bare_token(value: str) -> bool:
    """Whether a word without context is a token: long, with three classes of characters, and no path, id, hash or name."""
    if len(value) < 32 or _HASHLIKE.match(value) or _ID_PREFIX.match(value) or PLACEHOLDER.search(value):
        return False
    kinds = [any(map(test, value)) for test in (str.isupper, str.islower, str.isdigit)]
    if not all(kinds) or value.count("/") > 2 or value.count(".") > 2 or _FILE_OR_TIME.search(value):
        return False
    return compute_entropy(value) >= 4.2 and _compute_change_rate(value) >= 0.3


def _compute_change_rate(value: str) -> float:
    """Return the changes of character class, per character."""
    return sum(_find_char_class(char) != _find_char_class(following) for char, following in pairwise(value)) / len(value)


def _find_char_class(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.isupper() else 2 if char.islower() else 3


def _redact_strings(value: Any, key: str, mode: Mode, placeholders: dict[str, str]) -> Any:
    if isinstance(value, str):
        if key in KEPT_KEYS:
            return value
        if key and len(value) >= 4 and (family := _classify_named_value(key, value)):
            placeholders[value] = make_placeholder(family, value)
            return placeholders[value]
        return _redact(value, mode, placeholders)
    if isinstance(value, dict):
        return {
            _redact_name(name, mode, placeholders): _redact_strings(item, name, mode, placeholders)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_redact_strings(item, key if isinstance(item, str) else "", mode, placeholders) for item in value]
    return value


def _redact_name(name: str, mode: Mode, placeholders: dict[str, str]) -> str:
    """Return the name of a member without secrets: some objects have tokens as keys."""
    return name if len(name) < LEAST_NAME else _redact(name, (False, *mode[1:]), placeholders)


def _replace_known(value: Any, placeholders: dict[str, str]) -> Any:
    """Replace known secrets in all strings. Short ones and plain words stay where no pattern recognised them."""
    distinctive = (secret for secret in placeholders if len(secret) >= 8 and not (secret.isalpha() and secret.islower()))
    known = sorted(distinctive, key=lambda secret: (-len(secret), secret))
    if not known:
        return value
    pattern = re.compile("|".join(map(re.escape, known)))
    return _map_strings(value, lambda text: pattern.sub(lambda match: placeholders[match[0]], text))


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            (change(name) if len(name) >= LEAST_NAME else name): item if name in KEPT_KEYS else _map_strings(item, change)
            for name, item in value.items()
        }
    return [_map_strings(item, change) for item in value] if isinstance(value, list) else value
