"""A finding of `recollect doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
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


def word_moment(moment: datetime, zone: tzinfo) -> str:
    """Return a moment as findings name it: in the owner's zone, whose name stands behind it."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}"
