"""Text as it can be stored: JSON and file names can hold halves of surrogate pairs, Parquet and strict readers take none."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """The text, U+FFFD in place of every lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
