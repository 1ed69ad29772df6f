"""What people leave out when they type is restored, and values stay."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.speech.spelling import restore_spelling


@each_case(
    ("typed", "restored"),
    [
        ("dont push", "don't push"),
        ("lets keep it", "let's keep it"),
        ("pls fix it, im late", "please fix it, i'm late"),
        ("the wont of kings", "the won't of kings"),
        ("it's fine", "it's fine"),
    ],
)
def test_short_forms_are_written_out(typed: str, restored: str) -> None:
    """By form alone: a rare word that looks like a short form becomes one."""
    assert restore_spelling(typed) == restored
