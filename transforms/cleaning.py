"""Entries without secrets and bulk, and their JSON as it is stored.

Rust searches the lines as they were written; Python looks only at rows with something to take out. All others keep their
bytes, which saves writing them anew: 97 % of the rows of real sessions.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from transforms.entry_text import cut_bulk
from transforms.raw_lines import Lines
from transforms.redact import redact_value
from transforms.suspects import may_be_told, suspects

BULK = r'Signature"|"signature"|encrypted_content|"image"|"truncation"|\\u|\\/|\x{FFFD}'
"""What may have to be cut, or is written in a way that hides things from a search: escapes, replaced characters."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The values as stored, how many secrets were taken out of each, and the column `raw_json`."""

    values: list[dict[str, Any]]
    secrets: list[int]
    raw_json: pl.Series


def cleaned(values: list[dict[str, Any]], lines: Lines) -> Cleaned:
    """Bulk cut and secrets redacted. `lines` are how the values stand in their files, or empty; they are changed."""
    values = list(values)
    raw_json = lines.series()
    is_bulky = raw_json.str.contains(BULK) | (raw_json.str.len_bytes() == 0)
    anew: dict[int, bytes] = {}
    for at in is_bulky.arg_true().to_list():
        values[at], anew[at] = _renewed(cut_bulk(values[at]))
    lines.change(anew)
    secrets = [0] * len(values)
    redacted: dict[int, bytes] = {}
    for at, (shapes, assigned) in _suspects(lines.series(), values).items():
        value, secrets[at] = redact_value(values[at], _is_user(values[at]), shapes, assigned)
        # Written anew also when nothing was found: a member that is there twice has its first value in the line only.
        values[at], redacted[at] = _renewed(value)
    lines.change(redacted)
    return Cleaned(values, secrets, lines.series())


def _suspects(lines: pl.Series, values: list[dict[str, Any]]) -> dict[int, tuple[int, int]]:
    """Rows that Python has to look at, with their bits (see `suspects`).

    In what a person typed a spoken secret and a bare token count too.
    """
    found = suspects(lines)
    users = [at for at, value in enumerate(values) if _is_user(value) and at not in found]
    if users:
        told = may_be_told(lines.gather(users))
        found |= {users[at]: (0, 0) for at in told}
    return dict(sorted(found.items()))


def _is_user(value: dict[str, Any]) -> bool:
    message = value.get("message")
    return type(message) is dict and message.get("role") in ("user", "bashExecution") and value.get("type") == "message"


def _renewed(value: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The value and its compact JSON. Lone surrogates become U+FFFD in both: neither Parquet nor strict readers accept them."""
    try:
        return value, orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        data = _SURROGATE.sub("\ufffd", text).encode()
        try:
            return orjson.loads(data), data
        except orjson.JSONDecodeError:  # nested deeper than orjson reads
            return json.loads(data), data
