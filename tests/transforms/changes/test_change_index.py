"""What is looked up for a text, or for a value, decides as if everything had been read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from transforms.changes.change_index import ChangeIndex, DatedChange, NumberIndex
from transforms.changes.changed_numbers import ChangedNumber, find_later_numbers, names_value

START = datetime(2026, 10, 1, 9, tzinfo=UTC)
VALUES = ("5", "20", "8077", "8190", "0.5", "1.2.3", "check", "timestamp", "22:15", "CC-44")
WORDS = ("port", "batch", "drain", "lookback", "wards")
texts = st.lists(st.sampled_from((*VALUES, *WORDS, "twenty", "five.", "x8077", "the")), max_size=8).map(" ".join)
words = st.frozensets(st.sampled_from(WORDS), max_size=3)
changes = st.builds(
    ChangedNumber, st.sampled_from(VALUES), st.sampled_from(VALUES), st.sampled_from(["", "s"]), words, words, words
)


@given(texts, st.lists(changes, max_size=12), st.integers(0, 12))
def test_changes_that_are_left_out_tell_nothing_of_a_text(text: str, history: list[ChangedNumber], since: int) -> None:
    """A value may become another one, which becomes the next, or the first again."""
    dated: list[DatedChange] = [(START + timedelta(hours=hour), change) for hour, change in enumerate(history)]
    moment = START + timedelta(hours=since)
    chosen = ChangeIndex(dated).list_about(text, moment)
    assert find_later_numbers(text, chosen) == find_later_numbers(text, [item for item in dated if item[0] > moment])
    assert chosen == [item for item in dated if item in chosen]


@given(st.lists(texts, max_size=6), st.sampled_from(VALUES), st.integers(0, 6))
def test_no_text_with_a_value_is_passed_over(lines: list[str], value: str, first: int) -> None:
    places = list(NumberIndex(lines).list_places(value, first))
    assert {place for place in range(first, len(lines)) if names_value(lines[place], value)} <= {*places}
    assert places == sorted(place for place in set(places) if place >= first)
