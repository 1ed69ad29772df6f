"""The processor cores that this process may use, and keeping numpy to one of them."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def count_usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_one_blas_thread() -> AbstractContextManager[object]:
    """Keep numpy's matrix products to one thread until the context ends.

    The threads of OpenBLAS wait for each other by spinning, which on shared cores costs more than a second core gives.
    """
    limits: AbstractContextManager[object] = _open_blas().limit(limits=1, user_api="blas")
    return limits


@cache
def _open_blas() -> ThreadpoolController:
    return ThreadpoolController()
