"""Makes text storable: JSON and file names may hold halves of surrogate pairs, which Parquet and strict readers refuse."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

LONE_SURROGATE = compile_late("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD in place of every lone surrogate."""
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)
