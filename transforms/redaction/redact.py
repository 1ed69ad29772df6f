"""Removes secrets from texts and JSON values before anything is stored, logged or shown.

The same secret always gives the same placeholder `[redacted:family:hash]`, so that a conversation stays readable. Hashes,
ids, UUIDs, paths and prose stay: an assignment counts only when its value looks random or its name says password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from transforms.patterns.folding import fold_signs
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.apart.asked_answers import AskedBefore, find_answers
from transforms.redaction.apart.login_flags import find_login_flags
from transforms.redaction.apart.recovery_codes import find_recovery_codes
from transforms.redaction.bare.bare_judge import find_bare_secrets
from transforms.redaction.bare.printed_judge import find_printed_secrets
from transforms.redaction.command_secrets import find_command_secrets
from transforms.redaction.context import (
    BARE,
    LISTS,
    PASSWORDS,
    PRINTED,
    RUNS,
    STRUCTURES,
    TRANSLATED,
    SecretSpan,
    find_bare_passwords,
    find_context_secrets,
    lower_keeping_length,
)
from transforms.redaction.formats.command_answers import find_command_answers
from transforms.redaction.formats.form_fields import find_entered_secret
from transforms.redaction.formats.known_formats import find_known_formats
from transforms.redaction.formats.open_values import is_open
from transforms.redaction.known_secrets import ID_NAME, KEPT_KEYS, LEAST_NAME, LEAST_TEXT, map_strings, replace_known, unfold_text
from transforms.redaction.named_values import find_name_at, is_id
from transforms.redaction.names.assignments import ASSIGNMENTS, classify_named_value
from transforms.redaction.names.field_labels import is_field_label
from transforms.redaction.names.network_keys import find_network_keys
from transforms.redaction.names.translated_secrets import find_translated_secrets
from transforms.redaction.numbers.access_codes import find_access_codes
from transforms.redaction.numbers.account_numbers import find_account_numbers
from transforms.redaction.secret_rules import (
    BARE_CHARS,
    BARE_TOKEN,
    FLAG,
    FLAG_COMMANDS,
    KEY_END,
    KEY_TAIL,
    SHAPES,
    SPOKEN,
    SPOKEN_WORDS,
    WORD_STARTS,
    Shape,
    filter_bits,
)
from transforms.redaction.structures import find_structures
from transforms.redaction.table_secrets import find_table_secrets
from transforms.redaction.value_forms import (
    find_long_end,
    is_bare_token,
    is_harmless,
    is_made_up,
    is_random_key,
    looks_random,
)
from transforms.redaction.written.label_lines import find_label_lines
from transforms.redaction.written.written_values import find_written_secrets, holds_written_secret

ChooseFamily = Callable[[re.Match[str], str], str | None]
"""Returns the family of a secret that a pattern found; None when the value is harmless."""

_WRAPPED = r"(?!\w+=[^=\s])(?P<rest>[A-Za-z0-9_=-]{12,400})(?=\s|\Z)"
WRAPPED_END = compile_late(rf"(?P<before>\[redacted:[a-z-]+:[0-9a-f]{{4}}\]\r?\n){_WRAPPED}")
ASSIGNED, COMMANDS = 1, 2
"""Bits of assignments; those of surroundings follow them (`transforms/redaction/context.py`)."""
EVERYTHING = -1
MEMO_CHARS = 200
"""Characters of the longest text of which it is remembered that it holds no secret."""
NO_SECRETS: Mapping[str, str] = MappingProxyType({})
SearchBits = tuple[bool, int, int]
"""Whether a person wrote the words, then the bits of `find_secret_candidates`: shapes and assignments."""

_SHAPES = [(filter_bits(shape), shape) for shape in SHAPES]
_KEY_BITS = next(bits for bits, shape in _SHAPES if shape.name == "private-key")

_STRUCTURED = (find_command_secrets, find_known_formats, find_table_secrets, find_command_answers, find_login_flags)
_OPENED = "[redacted:"
MOST_PLACEHOLDER = 40
"""Characters of the longest placeholder."""


def redact(text: str, is_user: bool = False) -> str:
    """Return the text with placeholders for secrets. In a user's own words (`is_user`) bare tokens and passwords count too."""
    return _redact(text, (is_user, EVERYTHING, EVERYTHING), {})


def find_secrets(text: str) -> dict[str, str]:
    """Return the secrets of a text that no person typed, each with its placeholder."""
    placeholders: dict[str, str] = {}
    _redact(text, (False, EVERYTHING, EVERYTHING), placeholders)
    return placeholders


def redact_value(
    value: Any,
    is_user: bool,
    shapes: int,
    assigned: int,
    stored: Mapping[str, str] = NO_SECRETS,
    given_away: dict[str, str] | None = None,
) -> tuple[Any, int]:
    """Return a JSON value with placeholders for the secrets in its strings, and the number of different secrets.

    A secret that is recognised in one string, by name or shape, is removed from all other strings as well. `shapes` and
    `assigned` are bits of `transforms.reading.secret_prefilter`: patterns that they exclude are not searched for. `stored` are
    secrets that are known from elsewhere to stand in it, with their placeholders. The patterns add to `given_away`.
    """
    placeholders: dict[str, str] = {}
    cleaned = replace_known(_redact_strings(value, "", (is_user, shapes, assigned), placeholders), placeholders)
    (given_away if given_away is not None else {}).update(placeholders)
    if stored:  # after the patterns: one of them may know that a secret is longer than the stored one
        cleaned = replace_known(cleaned, stored, is_certain=True)
    return cleaned, len({*placeholders, *stored})


def redact_answer(value: Any, request: AskedBefore, is_user: bool, given_away: dict[str, str]) -> tuple[Any, int]:
    """Return an entry's JSON without the secrets that answer a request, and their number; they are added to `given_away`."""
    placeholders: dict[str, str] = {}

    def change(text: str) -> str:
        is_answer = text in request.answers
        return _replace_spans(text, find_answers(text, request, is_user), placeholders) if is_answer else text

    cleaned = map_strings(value, change)
    given_away.update(placeholders)
    return cleaned, len(placeholders)


def make_placeholder(family: str, secret: str) -> str:
    """Return the text that replaces a secret. Its hash is too short to reveal the secret."""
    return f"[redacted:{family}:{blake2b(secret.encode('utf-8', 'surrogatepass'), digest_size=2).hexdigest()}]"


def _redact(text: str, mode: SearchBits, placeholders: dict[str, str]) -> str:
    """Return the text without its secrets. All rules look at one form of signs and digits; what is no secret keeps its own."""
    if len(text) < LEAST_TEXT or (len(text) <= MEMO_CHARS and _is_clean(text, mode)):
        return text
    folded = fold_signs(text)
    cleaned = _apply_rules(folded, mode, placeholders)
    if folded == text:
        return cleaned
    return text if cleaned == folded else unfold_text(text, folded, cleaned, placeholders)


@lru_cache(maxsize=1 << 14)
def _is_clean(text: str, mode: SearchBits) -> bool:
    """Whether a short text holds no secret; the same ones stand in thousands of entries."""
    folded = fold_signs(text)
    placeholders: dict[str, str] = {}
    return _apply_rules(folded, mode, placeholders) == folded and not placeholders


def _apply_rules(text: str, mode: SearchBits, placeholders: dict[str, str]) -> str:
    is_user, shapes, assigned = mode
    text = _redact_structures(text, is_user, assigned, placeholders)
    if shapes:
        text = _redact_shapes(text, shapes, placeholders)
    if "[redacted:" in text and "\n" in text:
        text = _redact_wrapped_ends(text, placeholders)
    if assigned & COMMANDS:
        places = sorted(set(find_places(text, *FLAG_COMMANDS)))
        text = _replace_at(places, FLAG, text, lambda _match, secret: None if is_harmless(secret) else "password", placeholders)
    if assigned & ASSIGNED:
        text = _redact_assignments(text, placeholders)
    if assigned >= PASSWORDS or assigned < 0:
        text = _replace_spans(text, find_context_secrets(text, assigned), placeholders)
    if is_user:
        text = _replace_at(_find_words(text, SPOKEN_WORDS), SPOKEN, text, _classify_spoken, placeholders)
    if is_user and assigned & RUNS and max(map(len, text.split()), default=0) >= BARE_CHARS:
        text = _replace_matches(BARE_TOKEN, text, lambda _match, secret: "token" if is_bare_token(secret) else None, placeholders)
    if is_user:
        text = _replace_spans(text, find_bare_passwords(text), placeholders)
    return _redact_bare(text, is_user, assigned, placeholders)


def _redact_structures(text: str, is_user: bool, assigned: int, placeholders: dict[str, str]) -> str:
    if assigned & (ASSIGNED | PASSWORDS):  # before the rules that read a value up to its first mark
        text = _replace_spans(text, find_written_secrets(text), placeholders)
    if is_user and assigned & STRUCTURES:
        text = _replace_spans(text, (*find_label_lines(text), *find_network_keys(text)), placeholders)
    if assigned & STRUCTURES:
        for find in (*_STRUCTURED, partial(find_structures, is_user=is_user), find_account_numbers):
            text = _replace_spans(text, find(text), placeholders)
    if is_user or assigned & LISTS:
        text = _replace_spans(text, find_recovery_codes(text, is_user), placeholders)
    if is_user or assigned & STRUCTURES:
        text = _replace_spans(text, find_access_codes(text, is_user), placeholders)
    if assigned & (STRUCTURES | (TRANSLATED if is_user else 0)):
        text = _replace_spans(text, find_translated_secrets(text, is_user), placeholders)
    return text


def _redact_bare(text: str, is_user: bool, assigned: int, placeholders: dict[str, str]) -> str:
    """Replace values that no name tells; a placeholder changes the words around the next value, so that they are judged again."""
    if assigned & PRINTED and assigned > 0:
        text = _replace_spans(text, find_printed_secrets(text), placeholders)
    if not (assigned & BARE and (is_user or assigned > 0)):
        return text
    while (cleaned := _replace_spans(text, find_bare_secrets(text, is_user), placeholders)) != text:
        text = cleaned
    return text


def _replace_spans(text: str, secrets: Iterable[SecretSpan], placeholders: dict[str, str]) -> str:
    """Replace secrets at their places; of two that overlap the first and longer one counts."""
    pieces, done = [], 0
    for start, end, family in sorted(secrets, key=lambda span: (span[0], -span[1])):
        if start < done or "[redacted:" in text[start:end] or _is_in_placeholder(text, start):
            continue
        if is_made_up(text[start:end]) or is_open(text, start, end) or is_field_label(text[start:end]):
            continue
        done_before, done = done, find_long_end(text, start, end)
        secret = text[start:done]
        placeholders[secret] = make_placeholder(family, secret)
        pieces += [text[done_before:start], placeholders[secret]]
    return "".join([*pieces, text[done:]]) if pieces else text


def _is_in_placeholder(text: str, place: int) -> bool:
    """Whether a place is inside of a placeholder, which no rule may change."""
    opened = text.rfind(_OPENED, max(0, place - MOST_PLACEHOLDER), place + len(_OPENED) - 1)
    return opened >= 0 and "]" not in text[opened:place]


def _redact_wrapped_ends(text: str, placeholders: dict[str, str]) -> str:
    """Replace the rest of a token that a terminal wrapped: the next line begins with it."""
    return WRAPPED_END.sub(lambda match: match["before"] + _replace_rest(match["rest"], placeholders), text)


def _replace_rest(rest: str, placeholders: dict[str, str]) -> str:
    if not (looks_random(rest, 12) and any(map(str.isupper, rest)) and any(map(str.islower, rest))):
        return rest
    placeholders[rest] = make_placeholder("token", rest)
    return placeholders[rest]


def _redact_shapes(text: str, bits: int, placeholders: dict[str, str]) -> str:
    for shape in _list_shapes(bits):
        if any(literal in text for literal in shape.literals):
            replace = _replace_at_literals if shape.begins_with_literal else _replace_shape
            text = replace(shape, text, placeholders)
    return _redact_key_ends(text, placeholders) if bits & _KEY_BITS and "PRIVATE KEY" in text else text


@lru_cache(maxsize=4096)
def _list_shapes(bits: int) -> tuple[Shape, ...]:
    """Return the shapes that a row may hold."""
    return tuple(shape for needed, shape in _SHAPES if bits & needed)


def _replace_shape(shape: Shape, text: str, placeholders: dict[str, str]) -> str:
    return _replace_matches(shape.pattern, text, partial(_classify_shape, shape.name), placeholders)


def _replace_at_literals(shape: Shape, text: str, placeholders: dict[str, str]) -> str:
    """Replace the same matches as `_replace_shape`, of a shape whose matches begin with its literals."""
    places = sorted(find_places(text, *shape.literals))
    return _replace_at(places, shape.pattern, text, partial(_classify_shape, shape.name), placeholders)


def _replace_at(
    places: Iterable[int], pattern: re.Pattern[str], text: str, family: ChooseFamily, placeholders: dict[str, str]
) -> str:
    """Replace the same matches as `_replace_matches`, of a pattern whose matches begin at the places, which is faster."""
    pieces, done = [], 0
    for position in places:
        match = pattern.match(text, position) if position >= done else None
        if match:
            pieces += [text[done:position], _replace_secret(match, family, placeholders)]
            done = match.end()
    return "".join([*pieces, text[done:]]) if pieces else text


def _find_words(text: str, words: Sequence[str]) -> list[int]:
    """Return where the words, which are in lower case, begin in a text."""
    lower = lower_keeping_length(text)
    return sorted(set(find_places(lower, *words)))


def _redact_key_ends(text: str, placeholders: dict[str, str]) -> str:
    """Replace private keys whose beginning was cut off."""
    position = 0
    while end := KEY_END.search(text, position):
        start = match.start() if (match := KEY_TAIL.search(text, max(position, end.start() - 8000), end.start())) else end.start()
        position = end.end()
        if end.start() - start >= 60:
            placeholders[text[start : end.end()]] = mark = make_placeholder("private-key", text[start : end.end()])
            text, position = text[:start] + mark + text[end.end() :], start + len(mark)
    return text


def _redact_assignments(text: str, placeholders: dict[str, str]) -> str:
    """Replace assigned secrets. The patterns are tried only where one of their words begins, which is faster than `sub`."""
    pieces, done = [], 0
    for position in _find_words(text, WORD_STARTS):
        for pattern, family in ASSIGNMENTS if position >= done else ():
            match = pattern.match(text, position)
            if match and (replacement := _replace_secret(match, family, placeholders)) != match[0]:
                pieces += [text[done:position], replacement]
                done = find_long_end(text, position, match.end())
                break
    return "".join([*pieces, text[done:]]) if pieces else text


def holds_assignment(text: str, start: int, stop: int) -> bool:
    """Whether the value of a name that begins between two places is a secret, in a text without placeholders."""
    lower = lower_keeping_length(text[: stop + LEAST_NAME])
    for position in _find_words(text[start:stop], WORD_STARTS):
        if holds_written_secret(text, start + position, find_name_at(text, lower, start + position)):
            return True
        for pattern, family in ASSIGNMENTS:
            match = pattern.match(text, start + position)
            if match and family(match, _choose_secret(match)[1]) is not None and _replace_secret(match, family, {}) != match[0]:
                return True
    return False


def _replace_matches(pattern: re.Pattern[str], text: str, family: ChooseFamily, placeholders: dict[str, str]) -> str:
    return pattern.sub(lambda match: _replace_secret(match, family, placeholders), text)


def _choose_secret(match: re.Match[str]) -> tuple[str | int, str]:
    """Return the group of a match that is its secret, and what it holds."""
    names = match.re.groupindex
    group: str | int = next((name for name in ("secret", "quoted", "bare") if name in names and match[name] is not None), 0)
    return group, match[group]


def _replace_secret(match: re.Match[str], family: ChooseFamily, placeholders: dict[str, str]) -> str:
    group, secret = _choose_secret(match)
    if "[redacted:" in secret or _is_in_placeholder(match.string, match.start(group)) or is_made_up(secret):
        return match[0]
    if is_open(match.string, *match.span(group)) or (name := family(match, secret)) is None:
        return match[0]
    placeholders[secret] = make_placeholder(name, secret)
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return match[0][:start] + placeholders[secret] + match[0][end:]


def _classify_shape(name: str, _match: re.Match[str], secret: str) -> str | None:
    """Return the family of a match by shape; None for a placeholder in a URL or header, which has the same shape."""
    if name == "cookie":
        values = (cookie.partition("=")[2] for cookie in re.split(r"[;\s]+", secret))
        return name if any(is_random_key(value.replace(".", "").replace("%", "")) for value in values) else None
    if name == "url-password" and secret.isalpha() and _match.string.endswith(f"{secret}:", 0, _match.start("secret")):
        return None  # the password that a program is delivered with: guest:guest
    is_loose = name in ("url-password", "url-user", "auth-header", "bearer")
    return None if is_loose and (is_harmless(secret) or is_field_label(secret)) else name


def _classify_spoken(match: re.Match[str], secret: str) -> str | None:
    if match.string.endswith("[redacted:", 0, match.start()) or is_id(secret):  # the first: the family of a placeholder
        return None
    is_mixed_hex = re.fullmatch(r"(?i)(?=.*\d)(?=.*[a-f])[0-9a-f]{6,128}", secret)
    return "spoken" if is_mixed_hex or looks_random(secret, 6) else None


def _redact_strings(value: Any, key: str, mode: SearchBits, placeholders: dict[str, str]) -> Any:
    if isinstance(value, str):
        if key in KEPT_KEYS:
            return value
        if key and len(value) >= 4 and (family := classify_named_value(key, value)):
            placeholders[value] = make_placeholder(family, value)
            return placeholders[value]
        return _redact(value, (*mode[:2], mode[2] & ~(BARE | PRINTED)) if ID_NAME.search(key) else mode, placeholders)
    if isinstance(value, dict):
        if entered := find_entered_secret(value):
            placeholders[value[entered]] = mark = make_placeholder("password", value[entered])
            value = value | {entered: mark}
        return {
            _redact_name(name, mode, placeholders): _redact_strings(item, name, mode, placeholders)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_redact_strings(item, key if isinstance(item, str) else "", mode, placeholders) for item in value]
    return value


def _redact_name(name: str, mode: SearchBits, placeholders: dict[str, str]) -> str:
    """Return the name of a member without secrets: some objects have tokens as keys."""
    return name if len(name) < LEAST_NAME else _redact(name, (False, *mode[1:]), placeholders)
