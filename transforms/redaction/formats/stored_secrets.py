"""Secrets that stand in files made for them (`.env`, `.netrc`, …): known values, which need no name or form in a session.

A value is taken from such a file by the same rules as from any text. It is searched for in sessions only when nobody would write
it as a word.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import unquote

import polars as pl

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.known_secrets import LEAST_KNOWN
from transforms.redaction.redact import find_secrets, make_placeholder
from transforms.redaction.value_forms import is_harmless, is_random_key
from transforms.redaction.value_judge import compute_surprise

WORD_SURPRISE = 6.0
"""Bits a letter from which letters alone are no word: words of sessions have 4.7, random ones 7.4 (`value_judge`)."""

_ASSIGNED = compile_late(r"(?m)^\s*(?:export\s+)?[A-Za-z_][\w.]*\s*=\s*([\"']?)(?P<value>[^\s\"'#]+)\1\s*$")
_HEXADECIMAL = compile_late(r"[0-9a-fA-F]+\Z")


def list_stored_secrets(text: str) -> dict[str, str]:
    """Return the secrets of a file made for secrets, each with its placeholder; words and numbers that sessions may use are none.

    In such a file a value counts by its form alone: as long and random as a key. Hexadecimal does not: it may be a commit.
    """
    secrets = find_secrets(text)
    for match in _ASSIGNED.finditer(text):
        value = match["value"]
        if value not in secrets and is_random_key(value) and not _HEXADECIMAL.match(value):
            secrets[value] = make_placeholder("secret", value)
    plain = {unquote(secret): placeholder for secret, placeholder in secrets.items()}  # in an address a password is quoted
    return {secret: placeholder for secret, placeholder in (secrets | plain).items() if is_distinctive(secret)}


def is_distinctive(secret: str) -> bool:
    """Whether a secret can be told from an ordinary word or number wherever it stands."""
    if len(secret) < LEAST_KNOWN or "\n" in secret or is_harmless(secret):
        return False
    if secret.isalpha():
        return compute_surprise(secret)[0] >= WORD_SURPRISE
    return any(map(str.isalpha, secret))


def find_rows_with_secrets(raw_json: pl.Series, secrets: Collection[str]) -> list[int]:
    """Return the rows of JSON that hold one of the secrets, as written or with the escapes of JSON."""
    if not secrets or not len(raw_json):
        return []
    forms = sorted({form for secret in secrets for form in _list_forms(secret)})
    return raw_json.str.contains_any(forms).arg_true().to_list()


def choose_secrets(line: str, secrets: Mapping[str, str]) -> dict[str, str]:
    """Return those of the secrets that a line of JSON holds."""
    return {secret: mark for secret, mark in secrets.items() if any(form in line for form in _list_forms(secret))}


def join_secrets(groups: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the secrets of several files, in order, whichever file came first."""
    joined = {secret: mark for group in groups for secret, mark in group.items()}
    return dict(sorted(joined.items()))


def _list_forms(secret: str) -> set[str]:
    return {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
