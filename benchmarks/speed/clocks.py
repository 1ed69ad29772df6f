"""Reads wall and processor seconds of this process and of its children that ended."""

from __future__ import annotations

import resource
import time

Clocks = tuple[float, float]


def read_clocks() -> Clocks:
    """Return wall and processor seconds now."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime


def measure_clocks(started: Clocks) -> Clocks:
    """Return wall and processor seconds since then."""
    wall, cpu = read_clocks()
    return wall - started[0], cpu - started[1]
