"""Makes text storable: JSON and file names may hold halves of surrogate pairs, which Parquet and strict readers refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.patterns.late_pattern import compile_late

_UNREAD_BYTE = compile_late("[\0\udc80-\udcff]")
_ESCAPED_BYTE = compile_late("\0([0-9a-f]{2})")
LONE_SURROGATE = compile_late("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD in place of every lone surrogate."""
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)


def replace_surrogates_within(value: Any) -> Any:
    """Return a value of JSON with U+FFFD in place of every lone surrogate of its texts and names."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, Mapping):
        return {replace_surrogates_within(name): replace_surrogates_within(part) for name, part in value.items()}
    return [replace_surrogates_within(part) for part in value] if isinstance(value, list | tuple) else value


def escape_bytes(text: str) -> str:
    """Return a text that was read with `surrogateescape` so that it can be stored: NUL and two digits for a byte of no UTF-8."""
    return _UNREAD_BYTE.sub(lambda match: f"\0{ord(match[0]) & 0xFF:02x}", text)


def restore_bytes(text: str) -> str:
    """Return the text that `escape_bytes` made storable as it was read."""
    return _ESCAPED_BYTE.sub(lambda match: bytes.fromhex(match[1]).decode("utf-8", "surrogateescape"), text)
