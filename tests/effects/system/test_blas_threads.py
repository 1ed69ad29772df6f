"""Matrix products use one thread each, so that two processes on two cores do not wait for each other."""

from __future__ import annotations

import time

import numpy as np
import pytest

from effects.system.blas_threads import one_thread_each, workers


def test_a_matrix_product_takes_no_more_processor_time_than_time() -> None:
    """With one thread the process cannot use more than its one core; with two it uses nearly twice the time."""
    if not one_thread_each():
        pytest.skip("numpy has another BLAS here")
    matrix = np.ones((900, 900), dtype=np.float32)
    wall, used = time.perf_counter(), time.process_time()
    for _ in range(8):
        matrix @ matrix
    assert time.process_time() - used <= (time.perf_counter() - wall) * 1.1 + 0.01


def test_at_least_one_core_may_be_used() -> None:
    """Whatever the system says."""
    assert workers() >= 1
