"""Marks of sentences."""

from __future__ import annotations

from unicodedata import name

from transforms.words.sentence_marks import QUESTION_MARKS


def test_every_mark_is_one_of_a_question() -> None:
    """Unicode says so, but for those of Armenian, Chinese and Japanese form that have the same name."""
    assert len(set(QUESTION_MARKS)) == len(QUESTION_MARKS)
    assert all("QUESTION" in name(mark) or "INTERROGATIVE" in name(mark) for mark in QUESTION_MARKS if mark not in "⹔𑅃")
