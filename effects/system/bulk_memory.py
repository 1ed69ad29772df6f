"""Memory while much is read: Python and the C library are kept from tidying up what is needed again at once.

Both are settings of the whole process, so they hold for the length of a `with` only.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's mallopt (malloc.h)."""

MOST_KEPT = 1 << 30
LEAST_MAPPED = 1 << 25
"""Bytes; glibc takes no larger one for what is mapped by itself."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Python does not search for reference cycles: 0.8 ms per MB of sessions, and reading them makes none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def memory_kept() -> Iterator[None]:
    """Freed memory is not given back to the system before the end: 7 % of the time of reading is for getting it anew.

    Without glibc nothing is changed.
    """
    glibc = _glibc()
    if glibc:
        glibc.mallopt(_TRIM_THRESHOLD, MOST_KEPT)
        glibc.mallopt(_MMAP_THRESHOLD, LEAST_MAPPED)
    try:
        yield
    finally:
        if glibc:
            glibc.mallopt(_TRIM_THRESHOLD, 2 * LEAST_MAPPED)
            glibc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if os.name != "posix":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
