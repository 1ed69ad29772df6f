"""A text with halves of surrogate pairs becomes storable; every other text stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.tables.surrogates import escape_bytes, replace_surrogates, replace_surrogates_within, restore_bytes


@each_case("half", [0xD83D, 0xDE00, 0xDCFF])
def test_a_half_is_replaced_and_the_rest_stays(half: int) -> None:
    cleaned = replace_surrogates(f"ab{chr(half)}ü")
    assert cleaned == "ab\ufffdü"
    assert cleaned.encode()


@each_case("text", ["", "plain", "größer 😀"])
def test_whole_characters_stay(text: str) -> None:
    assert replace_surrogates(text) == text


@given(st.binary() | st.lists(st.sampled_from([b"\0", b"fc", b"\xfc", b"a", "\u00e9".encode()])).map(b"".join))
def test_a_file_of_any_bytes_is_stored_and_comes_back(data: bytes) -> None:
    stored = escape_bytes(data.decode("utf-8", "surrogateescape"))
    assert stored.encode().decode() == stored
    assert restore_bytes(stored).encode("utf-8", "surrogateescape") == data


def test_a_value_of_json_is_storable_whatever_it_is_nested_in() -> None:
    half = chr(0xDCFF)
    value = {f"a{half}": [{"b": (f"c{half}", 1)}, None]}
    assert replace_surrogates_within(value) == {"a\ufffd": [{"b": ["c\ufffd", 1]}, None]}
