"""Finds numbers in lines of files and of people, and spells each in one way."""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late

WRITTEN_NUMBER = compile_late(r"(?<![\w.,-])(?<!\d:)\d+(?:[.,:_]\d+)*(?![\w]*[.,:]?\d)")
"""A number that is no part of a name, a time or a longer number: of `localhost:5010` the port."""


def normalise_number(number: str) -> str:
    """Return a number in one spelling: 0.80 as .8, 02:30 as 2:30, 15_000 as 15000."""
    plain = number.replace("_", "").lstrip("0") or "0"
    return plain.rstrip("0").rstrip(".") if re.fullmatch(r"\d*\.\d+", plain) else plain
