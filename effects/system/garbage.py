"""Makes this process search for reference cycles less often. Only recollect's own processes call this."""

from __future__ import annotations

import gc

NEW_OBJECTS = 200_000
"""New objects between two searches; Python's own number is 700."""


def collect_garbage_rarely() -> None:
    """Search for reference cycles rarely: reading and distilling make many objects and hardly any cycles."""
    gc.set_threshold(NEW_OBJECTS)
