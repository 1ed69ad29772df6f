"""English numerals."""

from __future__ import annotations

from transforms.words.number_words import NUMBER_OF, SPELLED


def test_each_numeral_to_twelve_stands_for_its_number() -> None:
    """ "one" is also a pronoun, so it is no numeral where words alone decide."""
    assert list(NUMBER_OF.values()) == list(range(1, 13))
    assert tuple(NUMBER_OF)[1:] == SPELLED
