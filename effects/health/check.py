"""A finding of `recollect doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; only `wrong` makes `doctor` fail."""

    name: str
    level: Level
    detail: str
    next: str = ""
