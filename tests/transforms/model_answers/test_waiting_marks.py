"""What an answer says of waiting lines, in the forms in which small models write it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.each_case import each_case
from transforms.model_answers.waiting_marks import (
    Remark,
    make_mark,
    move_marks,
    read_places,
    read_remark,
    read_remarks,
    says_again,
)


@each_case(
    ("text", "places"),
    [
        ("w3", (2,)), ("W3", (2,)), ('"w3"', (2,)), ("[w3]", (2,)), ("w3: the line as it waits", (2,)),
        ("waiting line w3.", (2,)),
        ("w1, w4", (0, 3)), ("w1; w1", (0,)), ("w1/w2", (0, 1)), ("`w2` and **w3**", (1, 2)),
        ("", ()), ("w0", ()), ("w5", ()), ("w3c", ()), ("the weir listens on port 5433", ()), ("3", ()), ("w²", ()),
    ],
)  # fmt: skip
def test_marks_are_read_in_any_dress_and_none_that_was_not_given(text: str, places: tuple[int, ...]) -> None:
    """Four lines wait; a fifth mark is a slip and names nothing."""
    assert read_places(text, 4) == places


@each_case(
    ("text", "remark"),
    [
        ("w3: outdated, #12", Remark((2,), "outdated", (12,))),
        ("w3 (wrong, see #12 #14)", Remark((2,), "wrong", (12, 14))),
        ('"w3" WRONG', Remark((2,), "wrong", ())),
        ("w3", Remark((2,), "outdated", ())),
        ("w1, w2: outdated since #7", Remark((0, 1), "outdated", (7,))),
        ("w3: eight pages since 2026-11-12, not 12 (#47)", Remark((2,), "outdated", (47,))),
        ("#12 replaces w3", Remark((2,), "outdated", (12,))),
    ],
)
def test_a_remark_has_its_verdict_and_its_rows(text: str, remark: Remark) -> None:
    """A number without a `#` belongs to the reason."""
    assert read_remark(text, 4) == remark


@pytest.mark.parametrize("text", ["w3: still holds", "w1: OK", "w2 is not outdated", "w2 isn't wrong", "w1 says what w2 says"])
def test_praise_is_no_doubt(text: str) -> None:
    """A small model goes through all waiting lines and says of each that it holds."""
    assert read_remark(text, 4) is None


@each_case(
    ("value", "moved"),
    [
        ({"refs": ["w3", 12]}, {"refs": [12], "replaces": ["w3"]}),
        ({"refs": ["#12", "[w3]"], "replaces": "w1"}, {"refs": ["#12"], "replaces": ["w1", "[w3]"]}),
        ({"refs": [12], "replaces": ""}, {"refs": [12], "replaces": ""}),
        ({"refs": "w3"}, {"refs": "w3"}), ("w3", "w3"),
    ],
)  # fmt: skip
def test_a_mark_among_the_references_names_the_line_whose_place_is_taken(value: Any, moved: Any) -> None:
    """Read as a number it would cite the third row."""
    assert move_marks(value) == moved


@pytest.mark.parametrize("text", ["- (2026-01-02) The job store is SQLite", "w9: outdated", ""])
def test_a_line_of_the_page_is_no_remark(text: str) -> None:
    assert read_remark(text, 4) is None


@each_case(
    ("value", "texts"),
    [
        (["- (2026-01-02) The job store is SQLite", "w3"], ["- (2026-01-02) The job store is SQLite", "w3"]),
        ("w3: outdated", ["w3: outdated"]),
        ([{"line": "w3", "verdict": "wrong", "refs": [12, "#14"]}], ["w3 wrong #12 #14"]),
        ({"line": "w3", "verdict": "wrong", "refs": [12]}, ["w3 wrong #12"]),
        ({"w3": "outdated, #12", "w4": {"verdict": "wrong", "refs": [5]}}, ["w3: outdated, #12", "w4: wrong #5"]),
        (None, []), ([None, True], []), ([], []),
    ],
)  # fmt: skip
def test_remarks_may_be_texts_or_objects(value: Any, texts: list[str]) -> None:
    """Llama and Qwen answer a list of texts with objects, or with one object, as often as with texts."""
    assert read_remarks(value) == texts


def test_a_mark_is_read_back() -> None:
    assert [read_places(make_mark(place), 20) for place in range(20)] == [(place,) for place in range(20)]


def test_a_line_that_is_said_again_is_no_better_one() -> None:
    """A small model repeats each waiting line with its mark; other words are another line."""
    line = "**flood** — The report has twelve pages"
    assert says_again("The report has twelve pages.", [line])
    assert says_again(line, ["Tests run in Docker", line])
    assert not says_again("The report has eight pages", [line])
    assert not says_again("The report has twelve pages", [])
