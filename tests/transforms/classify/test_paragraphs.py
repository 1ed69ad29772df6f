"""Paragraphs of an entry."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.paragraphs import MAX_PARAGRAPHS, paragraph_features, paragraphs_of


@given(text=st.text(alphabet="ab \n\t", max_size=200))
def test_paragraphs_hold_every_visible_character_once_and_in_order(text: str) -> None:
    """Only blank space lies between them."""
    paragraphs = paragraphs_of(text)
    held = "".join(text[part.start : part.end] for part in paragraphs)
    assert "".join(held.split()) == "".join(text.split())
    assert len(paragraphs) <= MAX_PARAGRAPHS


def test_a_long_paste_has_no_more_than_the_largest_number_of_paragraphs() -> None:
    """The last one takes what is left."""
    text = "\n\n".join(f"line {number}" for number in range(500))
    assert len(paragraphs_of(text)) == MAX_PARAGRAPHS
    assert text[paragraphs_of(text)[-1].start :].endswith("line 499")


def test_the_place_of_a_paragraph_is_a_feature() -> None:
    """A line that ends with a colon announces what was pasted under it."""
    text = "got this review:\n\nThe function lacks tests."
    paragraphs = paragraphs_of(text)
    assert "place:ends with a colon" in paragraph_features(text, paragraphs, 0, "")
    assert "place:follows a colon" in paragraph_features(text, paragraphs, 1, "")
