"""A finding of `recollect doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

Level = Literal["ok", "note", "wrong"]

OVERDUE = timedelta(hours=36)
"""A night may be late by half a day (a laptop asleep) before it counts as missed."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; only `wrong` makes `doctor` fail."""

    name: str
    level: Level
    detail: str
    next: str = ""
