"""A value is like a password by its form: random parts, marks and changing kinds of characters."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.redaction.bare.password_forms import cut_ending, has_random_part, is_mixed, is_strong

MADE_UP = "kT7" + "wQ2xZ" + "9vB"


@each_case(
    ("value", "is_like_one"),
    [(MADE_UP, True), ("deploy-friday", False), ("main.py", False), ("1.2.3", False), ("database", False)],
)
def test_a_word_a_file_and_a_version_are_no_password(value: str, is_like_one: bool) -> None:
    assert is_mixed(value) == is_like_one
    assert has_random_part(value) == is_like_one
    assert is_strong(value) == is_like_one


def test_a_password_may_end_with_the_mark_of_a_sentence() -> None:
    assert cut_ending(f"{MADE_UP}!") == f"{MADE_UP}!"
    assert cut_ending(f"{MADE_UP}).") == MADE_UP
