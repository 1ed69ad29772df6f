"""Reads the peak memory of a process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def read_peak_mb() -> int:
    """Return the peak memory of this process in MB. Linux keeps `ru_maxrss` over exec, so it could be the parent's."""
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20)
