"""One bar over a whole run: it only goes forward, and says what is left when that can be known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.pages.run_progress import StepTimes, format_duration, format_progress, measure_progress

NAMES = ["ingest", "distil", "embed", "index"]


def test_a_line_names_step_units_rate_and_the_time_left() -> None:
    """Ten windows a second, 90 of them left, and the later steps by their usual share."""
    progress = measure_progress("nightly", NAMES, 1, StepTimes(2.3, 1.0), "windows", 10, 100)
    assert format_progress(progress).startswith("nightly 2/4 distil, 10/100 windows, 10 a second, ")
    assert progress.seconds_left is not None
    assert 9 + 20 < progress.seconds_left < 9 + 24


def test_nothing_is_promised_at_the_beginning() -> None:
    """A rate of the first moment says nothing about the end."""
    assert format_progress(measure_progress("nightly", NAMES, 0, StepTimes(0.1, 0.1))) == "nightly 1/4 ingest"
    assert "left" not in format_progress(measure_progress("nightly", NAMES, 1, StepTimes(1.0, 0.5), "windows", 50, 100))


def test_a_step_with_a_limit_ends_with_it() -> None:
    """A night may spend ten minutes on vectors, however many texts wait."""
    endless = measure_progress("nightly", NAMES[:3], 2, StepTimes(60, 30), "texts", 10, 100_000)
    limited = measure_progress("nightly", NAMES[:3], 2, StepTimes(60, 30, at_most=20), "texts", 10, 100_000)
    assert endless.seconds_left is not None
    assert endless.seconds_left > 100_000
    assert limited.seconds_left == 20


def test_slow_units_are_counted_by_the_minute() -> None:
    """A model that reads a window takes seconds for it."""
    assert "6 a minute" in format_progress(measure_progress("nightly", ["distil"], 0, StepTimes(10, 10), "windows", 1, 8))


def test_durations_are_readable() -> None:
    """Seconds, minutes, hours."""
    assert [format_duration(seconds) for seconds in (12, 200, 4800)] == ["12 s", "3 min", "1 h 20 min"]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20))
def test_the_share_never_goes_back(dones: list[int]) -> None:
    """Within a step and from one to the next, also when a step reports nothing; it ends below or at the whole."""
    moments = [(position, done) for position in range(len(NAMES)) for done in sorted(dones)]
    shares = [measure_progress("nightly", NAMES, position, StepTimes(9, 3), "x", done, 50).share for position, done in moments]
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] <= 1
