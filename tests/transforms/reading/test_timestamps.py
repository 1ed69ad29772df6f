"""Times of entries and files, in whatever form they stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from transforms.reading.timestamps import EARLIEST, LATEST, parse_time, read_file_time

UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORMS = r"\d{4}-?(W?\d\d-?)?\d\d[T ]\d\d:?\d\d(:?\d\d)?([.,]\d+)?(Z|z| utc|[+−-]\d\d(:?\d\d)?)?"


@given(st.integers(-(2**62), 2**63 - 1))
@example(10**9)
@example(10**12)
@example(978_307_200_000_000)
def test_a_file_is_of_the_time_that_its_nanoseconds_tell_or_of_none(mtime_ns: int) -> None:
    """A store of built files, or an archive, has the first second of 1970 for all of them: that was a day of 2001."""
    time = read_file_time(mtime_ns)
    exact = UNIX_EPOCH + timedelta(microseconds=mtime_ns / 1000)
    assert (time is not None) == (EARLIEST <= exact < LATEST)
    assert time is None or abs(time - exact) < timedelta(milliseconds=1)


@given(
    st.from_regex(_FORMS, fullmatch=True)
    | st.text(max_size=40)
    | st.integers()
    | st.integers(0, 10**400)
    | st.integers(0, 10**30).map(str)
    | st.floats()
    | st.floats().map(str)
    | st.lists(st.integers(), max_size=2)
)
def test_any_value_is_a_time_of_a_session_or_none(value: object) -> None:
    time = parse_time(value)
    assert time is None or (EARLIEST <= time < LATEST and time.utcoffset() == timedelta())
