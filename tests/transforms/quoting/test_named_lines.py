"""Notes that name lines by their ids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.quoting.named_lines import FORGOTTEN_LINE, fill_note, list_named_lines, name_line

NOTE = f"In the place of {name_line('p-1')}, since 2026-05-17; {name_line('p-2')}, since 2026-05-18:"


def test_a_note_has_the_words_of_the_lines_that_it_names_and_of_no_forgotten_one() -> None:
    assert list_named_lines(NOTE) == ["p-1", "p-2"]
    assert fill_note(NOTE, {"p-1": "Twelve pages"}) == (
        f"In the place of “Twelve pages”, since 2026-05-17; {FORGOTTEN_LINE}, since 2026-05-18:"
    )


@each_case("words", [name_line("p-2"), "a “[note]” of its own", "[p-1]"])
def test_words_that_look_like_a_name_are_put_in_as_they_are(words: str) -> None:
    assert fill_note(f"You turned down {name_line('p-1')}.", {"p-1": words}) == f"You turned down “{words}”."


@given(st.text(alphabet="“[]”p-1 a"))
def test_a_note_that_names_no_line_stays_as_it_is(note: str) -> None:
    """Also one that has the beginning of a name."""
    if not list_named_lines(note):
        assert fill_note(note, {"p-1": "Twelve pages"}) == note
