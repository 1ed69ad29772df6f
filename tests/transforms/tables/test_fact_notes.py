"""Notes behind a fact can be cut as they were written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.tables.fact_notes import LABELS, add_note, cut_notes

WORDS = st.text("abc xyz", min_size=1, max_size=30).map(str.strip).filter(bool)


@given(WORDS, st.lists(st.tuples(st.sampled_from(LABELS), WORDS), max_size=3))
def test_what_is_left_without_notes_is_the_fact(text: str, notes: list[tuple[str, str]]) -> None:
    """Any notes in any order: the text comes back."""
    noted = text
    for label, note in notes:
        noted = add_note(noted, label, note)  # type: ignore[arg-type]
    assert cut_notes(noted) == text


def test_a_bracket_inside_a_text_is_no_note() -> None:
    """Only what ends with a note has one."""
    assert cut_notes("It said (wrong: no) and went on") == "It said (wrong: no) and went on"
