"""Ends of sentences in several scripts, and sentences that are joined again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.language.sentences import cut_at_word, join_sentences, shorten, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "「今後は直接pushします。レビューは不要です。」これは別の話です。",
            ["「今後は直接pushします。レビューは不要です。」", "これは別の話です。"],
        ),
        ("彼は“好。”然后走了", ["彼は“好。”", "然后走了"]),
        ("閉じない「かっこ。次の文。", ["閉じない「かっこ。", "次の文。"]),
        ("nein! die scanner senden ortszeit", ["nein!", "die scanner senden ortszeit"]),
        ("یہ غلط ہے۔ دوبارہ کرو", ["یہ غلط ہے۔", "دوبارہ کرو"]),
    ],
)
def test_a_closing_mark_stays_with_its_sentence(text: str, sentences: list[str]) -> None:
    """A quotation in wide brackets is one sentence, whatever ends inside."""
    assert split_sentences(text) == sentences


@given(st.text(alphabet="あ。「」！a.! ；", max_size=40))
def test_splitting_loses_no_character(text: str) -> None:
    """Only white space is lost between sentences."""
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_sentences_are_joined_without_a_mark_that_nobody_typed() -> None:
    """A semicolon stands only where a line break was the mark."""
    assert join_sentences(["直します。", "「はい。」", "次です"]) == "直します。「はい。」次です"
    assert join_sentences(["No!", "It is local time.", 'He said "go."', "Now"]) == 'No! It is local time. He said "go." Now'
    assert join_sentences(["یہ غلط ہے۔", "دوبارہ"]) == "یہ غلط ہے۔ دوبارہ"
    assert join_sentences(["dark theme", "run foo()", "tests"]) == "dark theme; run foo(); tests"
    assert join_sentences([]) == ""


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("pg_bigm " + "検索の索引を作り直した" * 10, 30, "pg_bigm " + ("検索の索引を作り直した" * 10)[:22]),
        ("one two three four", 10, "one two"),
        ("日本語の文字がならぶ👩\u200d💻です", 11, "日本語の文字がならぶ"),
        ("日本語の文字がならぶか\u3099です", 11, "日本語の文字がならぶ"),
    ],
)
def test_a_cut_is_at_a_word_or_at_a_character(text: str, limit: int, cut: str) -> None:
    """A script without spaces is not cut back to its only space, and no picture or accent is cut in two."""
    assert cut_at_word(text, limit) == cut


def test_a_long_text_without_spaces_keeps_its_sentences() -> None:
    """It is cut at the end of a sentence, or nearly at the limit."""
    assert shorten("貸出期間は二十一日。延滞料は十円で上限は五百円になる予定", 14) == "貸出期間は二十一日。"
    assert len(shorten("検索の索引を作り直した" * 20, 80)) == 80


@given(st.text(alphabet="aä é。、日本か\u3099👩\u200d💻.,", max_size=60), st.integers(2, 40))
def test_a_shortened_text_is_within_its_limit(text: str, limit: int) -> None:
    """In every script."""
    assert len(shorten(text, limit)) <= max(limit, 2)
    assert len(cut_at_word(text, limit)) <= limit
