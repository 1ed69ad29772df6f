"""Paragraphs of an entry."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.transforms.growth import grows_with_text
from transforms.classify.paragraphs import MAX_PARAGRAPHS, list_paragraph_features, measure_said_before, split_paragraphs


@given(text=st.text(alphabet="ab \n\t", max_size=200))
def test_paragraphs_hold_every_visible_character_once_and_in_order(text: str) -> None:
    """Only blank space lies between them."""
    paragraphs = split_paragraphs(text)
    held = "".join(text[part.start : part.end] for part in paragraphs)
    assert "".join(held.split()) == "".join(text.split())
    assert len(paragraphs) <= MAX_PARAGRAPHS


def test_a_long_paste_has_no_more_than_the_largest_number_of_paragraphs() -> None:
    """The last one takes what is left."""
    text = "\n\n".join(f"line {number}" for number in range(500))
    assert len(split_paragraphs(text)) == MAX_PARAGRAPHS
    assert text[split_paragraphs(text)[-1].start :].endswith("line 499")


def test_the_words_before_the_first_colon_are_a_paragraph_when_much_follows() -> None:
    """A person types a few words and pastes behind them, on the same line."""
    text = "can you check this: " + "The handler ignores the error of the second call, and " * 2 + "nobody sees it."
    assert next(text[part.start : part.end] for part in split_paragraphs(text)) == "can you check this: "
    assert len(split_paragraphs("one thing: keep the port")) == 1


def test_words_of_the_agent_count_as_said_before() -> None:
    """Runs of four words, whatever their case and marks."""
    assert measure_said_before("use the smaller, faster cache", "I would Use the smaller faster cache here.") == 1.0
    assert measure_said_before("go", "go") == 0.0


def test_the_place_of_a_paragraph_is_a_feature() -> None:
    """A line that ends with a colon announces what was pasted under it."""
    text = "got this review:\n\nThe function lacks tests."
    paragraphs = split_paragraphs(text)
    assert "place:ends with a colon" in list_paragraph_features(text, paragraphs, 0, "")
    assert "place:follows a colon" in list_paragraph_features(text, paragraphs, 1, "")


def test_blanks_in_a_row_cost_what_they_are_long() -> None:
    """The blanks of a terminal were looked for from each blank again: 20,000 took seconds."""

    def list_features(text: str) -> dict[str, float]:
        return list_paragraph_features(text, split_paragraphs(text), 0, "")

    assert grows_with_text(lambda blanks: list_features(f"NAME  a{blanks}"), " ", 400)
    assert grows_with_text(lambda blanks: list_features(f"go{blanks}on"), "\t", 400)
    for text, is_terminal in (("a  b c  d", True), ("a  b c d", False), ("a \t\nb", True), ("a \nb", False), ("a  b", False)):
        assert ("form:terminal blanks" in list_features(text)) == is_terminal, text
