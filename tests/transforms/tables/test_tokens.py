from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.tables.tokens import count_tokens, count_utf16_units


def test_a_token_is_four_utf16_units_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "😀", "😀😀x", "你可以")] == [0, 1, 1, 2, 1, 2, 1]


def test_a_lone_surrogate_counts_as_one_unit() -> None:
    assert count_utf16_units("a\ud83d") == 2


@given(st.text())
def test_length_is_never_below_the_number_of_characters_and_never_above_twice_it(text: str) -> None:
    assert len(text) <= count_utf16_units(text) <= 2 * len(text)
