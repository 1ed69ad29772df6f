"""One thread per matrix product: whoever has many texts computes batches side by side instead.

OpenBLAS' threads wait for each other by spinning, which on shared cores costs more than the second core gives. Measured on
2 cores with three busy neighbours: a query's vector 80–470 ms with two threads, 9–20 ms with one.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_PREFIXES_SUFFIXES = (("scipy_openblas_", "64_"), ("openblas_", "64_"), ("openblas_", ""))
_WITH_SMALL_PRODUCTS = frozenset({"skylakex", "cooperlake", "sapphirerapids"})


@cache
def one_thread_each() -> bool:
    """Numpy's OpenBLAS uses one thread from now on; False where numpy has another BLAS, which is left as it is."""
    for setter in _found("set_num_threads"):
        setter(ctypes.c_int(1))
        return True
    return False


@cache
def has_small_products() -> bool:
    """Whether numpy's BLAS multiplies small matrices without copying them first: OpenBLAS does with AVX-512."""
    for teller in _found("get_corename"):
        teller.restype = ctypes.c_char_p
        return (teller() or b"").decode("ascii", "replace").lower() in _WITH_SMALL_PRODUCTS
    return False


def _found(name: str) -> Iterator[Any]:
    """A function of numpy's OpenBLAS, by its name without prefix and suffix."""
    beside = Path(np.__file__).parent
    for library in sorted([*beside.parent.glob("numpy.libs/*openblas*"), *beside.glob(".dylibs/*openblas*")]):
        try:
            loaded = ctypes.CDLL(str(library))  # numpy has it open: this is the same one
        except OSError:
            continue
        for before, after in _PREFIXES_SUFFIXES:
            if found := getattr(loaded, f"{before}{name}{after}", None):
                yield found


def workers() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
