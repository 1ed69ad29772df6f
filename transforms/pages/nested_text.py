"""Values of a query as text and as JSON: lists, structs and maps are written as DuckDB writes them, not as Python does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time

from transforms.patterns.late_pattern import compile_late

LARGEST_NUMBER = 2**64 - 1
SMALLEST_NUMBER = -(2**63)
"""Whole numbers of JSON that readers and our encoder take; sums of DuckDB (HUGEINT) may be beyond them."""

_QUOTED = compile_late(r"""["'\\,\[\]{}():=]|\A[ \t-\r]|[ \t-\r]\Z|\A(?i:null)?\Z""")
"""Words inside of a list that DuckDB puts between quotation marks."""
_ZEROS = compile_late(r"(\.\d*?[1-9])0+(?=\D|$)")
_WHOLE_HOURS = compile_late(r"([+-]\d\d):00$")


def format_value(value: object) -> str:
    """Return a value as the text of a cell: bytes as hexadecimal digits, nested values as DuckDB's cast to text writes them."""
    if isinstance(value, bytes):
        return value.hex()
    return _format_part(value) if isinstance(value, list | tuple | dict) else str(value)


def encode_value(value: object) -> object:
    """Return a value for JSON: bytes as hexadecimal digits, whole numbers beyond 64 bits as text, keys of maps as text."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int) and not SMALLEST_NUMBER <= value <= LARGEST_NUMBER:
        return str(value)
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else format_value(key): encode_value(part) for key, part in value.items()}
    return [encode_value(part) for part in value] if isinstance(value, list | tuple) else value


def name_columns(names: Sequence[str]) -> list[str]:
    """Return names that no two columns share: a second `a` is `a_1`, unless a column has that name."""
    taken, unique = set(names), list[str]()
    for name in names:
        fresh, number = name, 0
        while fresh in unique or (number and fresh in taken):
            number += 1
            fresh = f"{name}_{number}"
        unique.append(fresh)
    return unique


def _format_part(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return "{" + ", ".join(f"'{_escape(str(key))}': {_format_part(part)}" for key, part in value.items()) + "}"
        return "{" + ", ".join(f"{_format_part(key)}={_format_part(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_format_part, value)) + "]"
    text = _format_time(value) if isinstance(value, datetime | time) else format_value(value)
    return f"'{_escape(text)}'" if _QUOTED.search(text) else text


def _format_time(value: datetime | time) -> str:
    """Return a time without zeros at the end of its fraction, and an offset of whole hours without minutes."""
    text = value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    return _WHOLE_HOURS.sub(r"\1", _ZEROS.sub(r"\1", text))


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
