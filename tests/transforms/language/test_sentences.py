"""Ends of sentences in several scripts, and sentences that are joined again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.language.sentences import join_sentences, split_sentences


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
