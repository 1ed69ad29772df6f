"""Which paragraphs count as typed, by their probabilities and their places."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.each_case import each_case
from transforms.classify.paragraphs import Paragraph
from transforms.classify.turn_classifier import TurnClassifier, move_probability

CHANCES = {"surely": 0.95, "maybe": 0.35, "hardly": 0.1, "never": 0.01}
"""Words that decide about a paragraph, and its probability."""


class JudgeByWord(TurnClassifier):
    """A classifier that judges a paragraph by one word."""

    def __init__(self) -> None:
        """Nothing was fitted."""

    def _judge(self, text: str, parts: list[Paragraph], number: int, before: str) -> float:
        words = text[parts[number].start : parts[number].end]
        return next(chance for word, chance in CHANCES.items() if word in words)


def judge(text: str, *, is_formal: bool = False, habits: Callable[[str], float] | None = None) -> list[bool]:
    """Return which paragraphs count as typed."""
    return [is_typed for _, is_typed in JudgeByWord().judge_paragraphs(text, "", is_formal=is_formal, habits=habits)]


POINTS = "1. hardly a word of the one thing\n2. and of the other"


@each_case(
    ("text", "typed"),
    [
        (f"surely this is the plan for the week\n\n{POINTS}", [True, True]),
        (f"surely this is the plan for the week\n\n{POINTS}\n3. so I want:\n   hardly any of it, as ever", [True, True, True]),
        ("surely this is the plan for the week\n\nhardly a word of the one thing and of the other", [True, False]),
        ("surely this is the plan for the week\n\n1. never a word of the one thing\n2. and of the other", [True, False]),
        (f"never was this the plan for the week\n\n{POINTS}", [False, False]),
        (f"surely a colleague's review of the earlier one:\n\n{POINTS}", [True, False]),
        (f"{POINTS}\n\nsurely this is what they sent to us", [False, True]),
    ],
)
def test_points_below_typed_words_need_less(text: str, typed: list[bool]) -> None:
    """Plans and reviews have one register; a list that is surely no typed one stays a paste, and one above a remark or
    below a line that announces it, too."""
    assert judge(text) == typed


def test_next_to_typed_words_less_will_do() -> None:
    """On both sides; alone, or next to pasted words, the same words are a paste."""
    words = "maybe this was written by them, or not"
    assert judge(f"{words}\n\nsurely this is mine, every word of it\n\n{words}") == [True, True, True]
    assert judge(f"{words} at all, who can say") == [False]
    assert judge(f"{words}\n\nnever was this mine, not a word of it") == [False, False]
    assert judge(f"{words} at all, who can say", is_formal=True) == [True]


def test_habits_decide_inside_of_a_message_and_give_a_whole_one_where_they_are_clear() -> None:
    """They never take a whole one; the owner begins with small letters."""
    pasted, typed = "This is maybe theirs, in sentences. It may be so.", "maybe this is mine, who can say. it may be so"
    assert judge(f"surely this is mine and nobody else's\n\n{pasted}", habits=small) == [True, False]
    assert judge(f"surely this is mine and nobody else's\n\n{pasted}") == [True, True]
    assert judge(typed) == [False]
    assert judge(typed, habits=small) == [True]
    assert judge(typed.replace("maybe", "hardly"), habits=small) == [False]
    assert judge(pasted.replace("maybe", "surely"), habits=small) == [True]


def small(text: str) -> float:
    """Return what the habits of an owner of small letters say."""
    return -3.0 if text[:1].isupper() else 1.2


def test_log_odds_move_a_probability() -> None:
    """Not at all by nothing, and never out of its bounds."""
    assert move_probability(0.3, 0.0) == pytest.approx(0.3)
    assert move_probability(0.3, 1.0) == pytest.approx(0.5381)
    assert move_probability(0.0, 4.8) < 0.01
    assert move_probability(1.0, -4.8) > 0.99
