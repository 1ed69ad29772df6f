"""Removes secrets that were recognised in one string, or in one form of it, from all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.value_forms import PLACEHOLDER

KEPT_KEYS = frozenset(
    {"id", "parentId", "toolCallId", "timestamp", "type", "role", "responseId", "targetId", "fromId", "firstKeptEntryId"}
)
"""Members that hold ids and types: they are never secret, and other entries refer to them."""

ID_NAME = compile_late(
    r"(?:[iI]d|ID|uuid|Uuid|UUID)\Z|^(?:data|version|timestamp|slug|cwd|gitBranch|encrypted_content)\Z|[sS]ignature\Z"
)
"""Names of members that hold an id, a picture or a place, which look like values without a name."""

LEAST_NAME = 20
"""Names of members are searched from this length on: no token is shorter, and few names of pi are longer."""

LEAST_TEXT = 6
"""Characters of a text that is searched."""

LEAST_KNOWN, MOST_ALTERNATIVES = 8, 40
"""Characters of a secret that is removed from all other strings, and secrets that one pattern may search for at once."""


def replace_known(value: Any, placeholders: Mapping[str, str], is_certain: bool = False) -> Any:
    """Replace known secrets in all strings; short ones, and plain words unless `is_certain`, stay where no pattern found them."""
    distinctive = (
        secret
        for secret in placeholders
        if len(secret) >= LEAST_KNOWN and (is_certain or not (secret.isalpha() and secret.islower()))
    )
    known = sorted(distinctive, key=lambda secret: (-len(secret), secret))
    if not known:
        return value
    if len(known) > MOST_ALTERNATIVES:
        by_start: dict[str, list[str]] = {}
        for secret in known:
            by_start.setdefault(secret[:LEAST_KNOWN], []).append(secret)
        return map_strings(value, lambda text: _replace_many(text, by_start, placeholders))
    pattern = re.compile("|".join(map(re.escape, known)))
    return map_strings(value, lambda text: pattern.sub(lambda match: placeholders[match[0]], text))


def unfold_text(text: str, folded: str, cleaned: str, placeholders: dict[str, str]) -> str:
    """Return a text without the secrets that were taken out of its folded form, each character of which has its place.

    `cleaned` is the folded form with placeholders; secrets as the text writes them are added to `placeholders`.
    """
    secrets: dict[str, list[str]] = {}
    for secret, mark in placeholders.items():
        secrets.setdefault(mark, []).append(secret)
    pieces, place, done = [], 0, 0
    for match in PLACEHOLDER.finditer(cleaned):
        kept = match.start() - done
        pieces.append(text[place : place + kept])
        place, done = place + kept, match.end()
        if folded.startswith(match[0], place):  # it was there before
            secret = match[0]
        else:
            secret = max((some for some in secrets.get(match[0], ()) if folded.startswith(some, place)), key=len, default="")
        if not secret:  # a rule replaced more than the secret: then the folded form is the safe one
            return cleaned
        pieces.append(match[0])
        if secret != match[0]:
            placeholders[text[place : place + len(secret)]] = match[0]
        place += len(secret)
    return "".join([*pieces, text[place:]])


def _replace_many(text: str, by_start: Mapping[str, Sequence[str]], placeholders: Mapping[str, str]) -> str:
    """Replace the first of the secrets that begins at each place; they are filed under their first characters.

    A pattern with thousands of alternatives would try all of them at each place.
    """
    pieces, done, place = [], 0, 0
    while place <= len(text) - LEAST_KNOWN:
        secrets = by_start.get(text[place : place + LEAST_KNOWN], ())
        secret = next((secret for secret in secrets if text.startswith(secret, place)), None)
        if secret is None:
            place += 1
            continue
        pieces += [text[done:place], placeholders[secret]]
        done = place = place + len(secret)
    return "".join([*pieces, text[done:]]) if pieces else text


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with its strings and long names changed; ids and types stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            (change(name) if len(name) >= LEAST_NAME else name): item if name in KEPT_KEYS else map_strings(item, change)
            for name, item in value.items()
        }
    return [map_strings(item, change) for item in value] if isinstance(value, list) else value
