"""Days and times that a server sends to a flow: read, or refused with the name of the parameter and the right form."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effects.config.stated_parameters import Day, Moment, read_day, read_moment
from effects.system.errors import UsageError
from tests.each_case import each_case


def find_pattern(form: object) -> str:
    """Return the form that the schema of a deployment demands."""
    return str(get_args(form)[1].json_schema_extra["pattern"])


@given(st.dates(date(1971, 1, 1), date(9998, 12, 31)))
def test_each_day_is_read_as_it_is_written_and_has_the_form_of_the_schema(day: date) -> None:
    assert read_day("since", day.isoformat()) == read_day("since", day) == day
    assert re.search(find_pattern(Day), day.isoformat())


@given(st.datetimes(timezones=st.just(UTC)).filter(lambda moment: 1971 <= moment.year <= 9998))
def test_each_time_is_read_as_it_is_written_and_has_the_form_of_the_schema(moment: datetime) -> None:
    for text in (moment.isoformat(), moment.isoformat().removesuffix("+00:00"), moment.date().isoformat()):
        assert re.search(find_pattern(Moment), text), text
        read = read_moment("as_of", text)
        assert read is not None
        assert read.date() == moment.date()
    assert read_moment("as_of", moment) == moment


def test_nothing_stated_is_nothing() -> None:
    assert read_day("since", None) is None
    assert read_moment("as_of", None) is None


@each_case("value", ["yesterday", "2026-02-30", "1.3.2026", "", 12, "0001-01-01", "2026-05"])
def test_what_is_no_day_is_refused_with_the_parameter_and_the_form(value: object) -> None:
    with pytest.raises(UsageError, match=r"^since: .*for example 2026-05-17") as refused:
        read_day("since", value)
    assert "since=2026-05-17" in refused.value.hint
