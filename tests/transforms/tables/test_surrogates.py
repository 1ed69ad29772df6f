"""A text with halves of surrogate pairs becomes storable; every other text stays."""

from __future__ import annotations

import pytest

from transforms.tables.surrogates import replace_surrogates


@pytest.mark.parametrize("half", [0xD83D, 0xDE00, 0xDCFF])
def test_a_half_is_replaced_and_the_rest_stays(half: int) -> None:
    cleaned = replace_surrogates(f"ab{chr(half)}ü")
    assert cleaned == "ab\ufffdü"
    assert cleaned.encode()


@pytest.mark.parametrize("text", ["", "plain", "größer 😀"])
def test_whole_characters_stay(text: str) -> None:
    assert replace_surrogates(text) == text
