"""Pieces of a message in a language that no rule reads: cut by its form alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.language.dialogue_acts import analyse_message
from transforms.language.sentences import split_sentences
from transforms.quoting.unread_pieces import SHORT_PIECE, cut_by_form, cut_text

MOST = 200
LINES = "Der Zähler am Brunnen läuft über. Bitte den Takt auf zwölf Sekunden stellen, sonst fehlen wieder Werte im Bericht."


def cut(typed: str, most: int = MOST) -> list[str]:
    """Return the words of the pieces of a message."""
    return [words for _, words in cut_by_form(analyse_message(typed, "", "").informative, typed, most)]


def test_a_message_that_fits_a_row_stays_whole_with_its_short_words() -> None:
    """ "UTC." alone says nothing, and the sentence behind it nothing without it."""
    typed = "UTC. Ein für alle Mal, in beiden Projekten. Angezeigt wird Ortszeit, gespeichert UTC."
    assert cut(typed) == [typed]


def test_paragraphs_are_rows_of_their_own_but_for_a_few_words() -> None:
    assert cut(f"{LINES}\n\n{LINES}") == [LINES, LINES]
    assert cut(f"Morgen.\n\n{LINES}\n\nDas war's.") == [f"Morgen. {LINES} Das war's."]


def test_lines_without_a_mark_are_parted_as_quoted_lines_may_have_stood_between_them() -> None:
    assert cut("Der Kollege schreibt\n\nDer Takt geht auf zwölf, das passt so") == [
        "Der Kollege schreibt; Der Takt geht auf zwölf, das passt so"
    ]


@each_case("typed", ["Danke!", "", "👍"])
def test_what_says_nothing_is_no_piece(typed: str) -> None:
    assert cut(typed) == []


def test_a_long_paragraph_is_cut_in_parts_of_about_the_same_length() -> None:
    """No rest of one short sentence, which would have lost its subject."""
    sentences = [f"Die Station Nummer {number} meldet alle zehn Sekunden ihre Werte." for number in range(7)]
    lengths = [len(part) for part in cut_text(" ".join(sentences), MOST)]
    assert len(lengths) == 3
    assert max(lengths) - min(lengths) <= len(sentences[0]) + 1


@given(st.text(alphabet="aB. \n?。", max_size=400), st.integers(min_value=50, max_value=200))
def test_no_word_is_lost_and_none_is_said_twice(typed: str, most: int) -> None:
    parts = cut_text(typed, most)
    assert "".join("".join(parts).split()).replace(";", "") == "".join(typed.split()).replace(";", "")
    longest = max((len(sentence) for sentence in split_sentences(typed)), default=0)
    assert all(len(part) <= max(most, longest) + 2 * SHORT_PIECE for part in parts)
