"""How the processor time of a search grows with its text: a ratio, so that neither a slow nor a busy machine decides."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

FACTOR = 16
MOST_GROWTH = 40.0
"""Sixteen times the text takes sixteen times as long, or, if the rest is read from each place, up to 256 times as long."""
TRIES = 3


def grows_with_text(search: Callable[[str], object], part: str, count: int) -> bool:
    """Return whether a search of a repeated part takes time in proportion to the text. The processor's own time of the best of
    three tries counts: only work that is always there is seen three times."""
    few, many = (_measure(search, part * repeated) for repeated in (count, FACTOR * count))
    return many() < MOST_GROWTH * few() or any(many() < MOST_GROWTH * few() for _ in range(TRIES - 1))


def _measure(search: Callable[[str], object], text: str) -> Callable[[], float]:
    def measure() -> float:
        gc.disable()  # a search for garbage looks at all objects of all tests, and only the long text makes enough to start one
        try:
            began = time.process_time()
            search(text)
            return time.process_time() - began
        finally:
            gc.enable()

    return measure
