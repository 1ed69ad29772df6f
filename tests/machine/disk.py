"""The disk of the tests: nobody waits until it has what was written, because no test takes its power away."""

from __future__ import annotations

import os

sync_to_disk = os.fsync
"""The real one, for the tests of the functions that call it."""


def skip_sync(descriptor: int) -> None:
    """Refuse a descriptor that is not open, as `os.fsync` does, and write nothing out: that takes 3 ms, 64 times a night."""
    os.fstat(descriptor)
