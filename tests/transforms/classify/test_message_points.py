"""Where the points of a message begin, and in which of them a sentence stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.message_points import MIN_POINTS, find_points, number_sentences

POINT = st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=4, max_size=30)


@pytest.mark.parametrize("mark", ["- ", "* ", "{n}. ", "{n}) ", "\u2022 "])
@given(st.lists(POINT, min_size=MIN_POINTS, max_size=9, unique=True))
def test_each_point_of_a_list_is_found_whatever_its_mark_and_language(mark: str, points: list[str]) -> None:
    lines = [mark.format(n=number) + point for number, point in enumerate(points, 1)]
    typed = "Today:\n" + "\n".join(lines)
    starts = find_points(typed)
    assert [typed[start:].split("\n")[0] for start in starts] == ["Today:", *points]


@given(st.lists(POINT, min_size=1, max_size=MIN_POINTS - 1))
def test_a_message_of_a_line_or_two_is_no_list(lines: list[str]) -> None:
    assert find_points("\n".join(lines)) == []
    assert number_sentences(lines, "\n".join(lines)) == [0] * len(lines)


def test_paragraphs_are_points_where_nothing_marks_them() -> None:
    typed = "Dates: 14 days.\n\nTests: only with the real door.\n\nRest is fine. Thanks."
    sentences = ["Dates: 14 days.", "Tests: only with the real door.", "Rest is fine.", "Thanks."]
    assert number_sentences(sentences, typed) == [0, 1, 2, 2]


def test_a_sentence_that_does_not_stand_in_the_message_goes_with_the_one_before() -> None:
    typed = "1. The pool is 12.\n2. Timeout 3 s.\n3. No retries."
    assert number_sentences(["The pool is 12.", "Timeout 3 s.", "nobody typed this", "No retries."], typed) == [0, 1, 1, 2]
