"""Matrix products use one thread each, so that two processes on two cores do not wait for each other."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

from effects.system.cores import count_usable_cores, use_one_blas_thread


def test_numpy_uses_one_thread_until_the_context_ends() -> None:
    """Afterwards the number is as before."""
    assert np.ones(1) is not None
    before = _blas_threads()
    with use_one_blas_thread():
        assert set(_blas_threads()) <= {1}
    assert _blas_threads() == before


def test_at_least_one_core_may_be_used() -> None:
    """This holds whatever the system reports."""
    assert count_usable_cores() >= 1


def _blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
