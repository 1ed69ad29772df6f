"""A prompt that waited stands with what follows it; every other entry keeps its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.windowing.talk_times import list_talk_times

START = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)


def list_minutes(entries: list[tuple[int, bool]]) -> list[int]:
    times = list_talk_times((START + timedelta(minutes=minute), is_users) for minute, is_users in entries)
    return [(time - START) // timedelta(minutes=1) for time in times]


@each_case(
    "entries, expected",
    [
        ([(0, True), (150, False), (5, True), (151, False)], [0, 150, 151, 151]),  # no pause behind it
        ([(0, True), (10, False), (5, True), (300, False)], [0, 10, 300, 300]),  # the pause stands before it
        ([(0, True), (10, False), (5, True), (6, True), (300, False)], [0, 10, 300, 300, 300]),  # two that left together
        ([(0, True), (10, False), (5, True)], [0, 10, 5]),  # nothing follows
        ([(0, True), (900, False), (5, True), (6, False), (7, True), (200, False)], [0, 900, 5, 6, 7, 200]),  # a clock set back
        ([(0, True), (10, False), (5, False), (300, False)], [0, 10, 5, 300]),  # no prompt
    ],
)  # fmt: skip
def test_a_prompt_that_is_older_than_what_stands_before_it_has_the_time_of_what_follows(
    entries: list[tuple[int, bool]], expected: list[int]
) -> None:
    assert list_minutes(entries) == expected


@given(st.lists(st.tuples(st.integers(0, 9000), st.booleans()), max_size=30))
def test_no_entry_is_ever_earlier_than_its_own_time_and_those_in_order_have_it(entries: list[tuple[int, bool]]) -> None:
    minutes = list_minutes(entries)
    assert all(time >= own for time, (own, _) in zip(minutes, entries, strict=True))
    assert list_minutes(sorted(entries)) == [minute for minute, _ in sorted(entries)]
