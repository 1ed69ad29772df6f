"""The most memory that a process ever held."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak_mb() -> int:
    """Of this process, in MB. `ru_maxrss` would be the parent's when that was larger: Linux keeps it over exec."""
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20)
