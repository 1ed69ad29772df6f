from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.tables.tokens import count_tokens, count_utf16_units, count_words


def test_a_token_is_four_utf16_units_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "😀", "😀😀x", "你可以")] == [0, 1, 1, 2, 1, 2, 1]


def test_a_lone_surrogate_counts_as_one_unit() -> None:
    assert count_utf16_units("a\ud83d") == 2


@given(st.text())
def test_length_is_never_below_the_number_of_characters_and_never_above_twice_it(text: str) -> None:
    assert len(text) <= count_utf16_units(text) <= 2 * len(text)


def test_words_stand_between_spaces_and_are_three_for_four_tokens_where_a_script_has_none() -> None:
    """`split` counted sixty Japanese lines as sixty words, and a model was asked for an eighth of the room."""
    spaced = ("", "two words", "naïve Überstunden — drei", "회의는 수요일에 열립니다")
    assert [count_words(text) for text in spaced] == [0, 2, 4, 3]
    line = "水曜日の報告書は港の委員会に必ず送ることになりました、理由は委員長が毎週確認するからです。"
    thai = "ประชุมทุกวันพุธที่ท่าเรือและส่งรายงานให้คณะกรรมการทุกครั้งเสมอ"
    for text in (line, thai):
        assert abs(count_words(text) - count_tokens(text) * 3 / 4) <= 1
    assert count_words(f"make deploy {line}") == count_words(line) + 2


@given(st.text())
def test_a_text_never_has_fewer_words_than_its_parts_between_spaces_in_any_script_with_spaces(text: str) -> None:
    spaced = "".join(sign for sign in text if sign.isascii())
    assert count_words(spaced) == len(spaced.split())
    assert 0 <= count_words(text) <= len(text)
