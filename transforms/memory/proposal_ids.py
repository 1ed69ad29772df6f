"""Ids of proposals: p-YYYYMMDD-NNN (memory) and f-YYYYMMDD-NNN (friction), never used twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date


def allocate_ids(known: Iterable[str], ever: Iterable[str], day: date, count: int, letter: str = "p") -> list[str]:
    """Return the next `count` ids of a day, above every id that the table or the history of events has for it."""
    pattern = re.compile(rf"^{letter}-{day:%Y%m%d}-(\d{{3,}})$")
    used = [int(match[1]) for name in (*known, *ever) if (match := pattern.match(name))]
    first = max(used, default=0) + 1
    return [f"{letter}-{day:%Y%m%d}-{number:03d}" for number in range(first, first + count)]
