"""Makes this process search for reference cycles less often, and give memory back. Only recollect's own processes call this."""

from __future__ import annotations

import ctypes
import gc
import sys
from functools import cache
from typing import Any

NEW_OBJECTS = 200_000
"""New objects between two searches; Python's own number is 700."""


def collect_garbage_rarely() -> None:
    """Search for reference cycles rarely: reading and distilling make many objects and hardly any cycles."""
    gc.set_threshold(NEW_OBJECTS)


def give_memory_back() -> None:
    """Return what earlier work has freed to the system: after an index was built, half of what the process holds.

    Arrow's pool keeps freed memory until `release_unused`, and glibc keeps freed blocks between used ones until its `malloc_trim`
    (malloc_trim(3)); other C libraries have no such function, and nothing is called.
    """
    if pyarrow := sys.modules.get("pyarrow"):
        pyarrow.default_memory_pool().release_unused()
    if trim := _find_trim():
        trim(0)


@cache
def _find_trim() -> Any | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
