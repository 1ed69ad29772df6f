"""Entries without secrets and bulk, and their JSON as it is stored.

Rust searches the lines as they were written; Python looks only at rows with something to take out. All others keep their
bytes, which saves writing them anew: 97 % of the rows of real sessions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from transforms.reading.arrow_views import Lines
from transforms.reading.entry_text import cut_bulk
from transforms.reading.secret_prefilter import may_be_told, rows_with, suspects
from transforms.redaction.redact import redact_value
from transforms.tables.surrogates import storable

BULK = r'Signature"|"signature"|encrypted_content|"image"|"truncation"|\\u|\\/|\x{FFFD}'
"""What may have to be cut, or is written in a way that hides things from a search: escapes, replaced characters."""

USER_ROLES = ("user", "bashExecution")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Entries that were changed, by their row; how many secrets were taken out of each; and the column `raw_json`."""

    changed: dict[int, dict[str, Any]]
    secrets: dict[int, int]
    raw_json: pl.Series


def cleaned(lines: Lines, value_of: Callable[[int], dict[str, Any]], users: Sequence[int]) -> Cleaned:
    """Bulk cut and secrets redacted.

    `lines` are how the entries stand in their files, or empty; they are changed. `value_of` gives the entry of a row; `users`
    are the rows of what a person typed, in which a spoken secret and a bare token count, too.
    """
    (bulky,) = rows_with(lines.series(), (BULK,), lines.spans())
    changed: dict[int, dict[str, Any]] = {}
    anew: dict[int, bytes] = {}
    for at in sorted({*bulky, *lines.unwritten()}):
        changed[at], anew[at] = _renewed(cut_bulk(value_of(at)))
    lines.change(anew)
    typed = frozenset(users)
    secrets: dict[int, int] = {}
    redacted: dict[int, bytes] = {}
    for at, (shapes, assigned) in _suspects(lines, users).items():
        before = changed[at] if at in changed else value_of(at)
        value, secrets[at] = redact_value(before, at in typed, shapes, assigned)
        # Written anew also when nothing was found: a member that is there twice has its first value in the line only.
        changed[at], redacted[at] = _renewed(value)
    lines.change(redacted)
    return Cleaned(changed, secrets, lines.series())


def _suspects(lines: Lines, users: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Rows that Python has to look at, with their bits (see `suspects`)."""
    raw_json = lines.series()
    found = suspects(raw_json, lines.spans())
    typed = [at for at in users if at not in found]
    if typed:
        told = may_be_told(raw_json.gather(typed))
        found |= {typed[at]: (0, 0) for at in told}
    return dict(sorted(found.items()))


def is_user(value: dict[str, Any]) -> bool:
    """Whether a person typed the entry."""
    message = value.get("message")
    return type(message) is dict and message.get("role") in USER_ROLES and value.get("type") == "message"


def _renewed(value: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The value and its compact JSON. Lone surrogates become U+FFFD in both: neither Parquet nor strict readers accept them."""
    try:
        return value, orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        data = storable(text).encode()
        try:
            return orjson.loads(data), data
        except orjson.JSONDecodeError:  # nested deeper than orjson reads
            return json.loads(data), data
