"""One thread per matrix product: whoever has many texts computes batches side by side instead.

OpenBLAS' threads wait for each other by spinning, which on shared cores costs more than the second core gives. Measured on
2 cores with three busy neighbours: a query's vector 80–470 ms with two threads, 9–20 ms with one.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

import numpy as np

_SETTERS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")


@cache
def one_thread_each() -> bool:
    """Numpy's OpenBLAS uses one thread from now on; False where numpy has another BLAS, which is left as it is."""
    beside = Path(np.__file__).parent
    for library in sorted([*beside.parent.glob("numpy.libs/*openblas*"), *beside.glob(".dylibs/*openblas*")]):
        try:
            loaded = ctypes.CDLL(str(library))  # numpy has it open: this is the same one
        except OSError:
            continue
        for name in _SETTERS:
            if setter := getattr(loaded, name, None):
                setter(ctypes.c_int(1))
                return True
    return False


def workers() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
