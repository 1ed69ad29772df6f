"""A quotation holds what was written: what is left out is marked, and a few letters that may decide stay."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.dialogue_acts import analyse_message
from transforms.offline.quotation_context import join_quotation


@each_case(
    ("typed", "quote"),
    [
        ("Node 22に上げた？だめ。12月末までは20のままで。", "Node 22に上げた？だめ。12月末までは20のままで。"),
        ("Ты в мастер запушил? Нет. Только ветки и MR до декабря.", "Ты в мастер запушил? Нет. Только ветки и MR до декабря."),
        ("Are there mocks in the parser's tests? Kein Mock.", "Are there mocks in the parser's tests? Kein Mock."),
        ("Can you fix the parser's tests? thanks!", "Can you fix the parser's tests?"),
    ],
)
def test_a_short_answer_to_the_own_question_stays_in_the_quotation(typed: str, quote: str) -> None:
    """In any language; thanks are no answer."""
    assert join_quotation(list(analyse_message(typed, "").informative), typed) == quote
