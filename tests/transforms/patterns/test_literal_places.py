"""The places of words in a text are all of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.patterns.literal_places import find_places


@given(st.text(alphabet="ab"), st.lists(st.text(alphabet="ab", min_size=1, max_size=3), max_size=3))
def test_every_place_is_found_also_where_two_share_letters(text: str, words: list[str]) -> None:
    expected = [place for word in words for place in range(len(text)) if text.startswith(word, place)]
    assert list(find_places(text, *words)) == expected
