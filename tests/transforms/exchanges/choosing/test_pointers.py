"""Labels, ordinals and quantifiers of a clause point at options, and nothing else does."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.choosing.pointers import has_label, read_labels, read_ordinals, read_quantifier
from transforms.exchanges.offers import Offer, Option

WORDS = ("the memory map", "a plain file", "the old index")
OFFER = Offer("How shall it be stored?", tuple(Option(str(index + 1), text) for index, text in enumerate(WORDS)))


@each_case(
    ("clause", "labels", "ordinals", "quantified"),
    [
        ("2 please", [1], None, None),
        ("1 and 3", [0, 2], None, None),
        ("the last one", None, [2], None),
        ("o segundo", None, [1], None),
        ("all of them", None, None, [0, 1, 2]),
        ("none", None, None, []),
        ("5 please", None, None, None),
        ("2 tests fail", None, None, None),
    ],
)
def test_a_clause_points_by_one_class_of_words(
    clause: str, labels: list[int] | None, ordinals: list[int] | None, quantified: list[int] | None
) -> None:
    """A label that the offer lacks and a number that counts point at nothing."""
    assert read_labels(clause, OFFER) == labels
    assert read_ordinals(clause, OFFER) == ordinals
    assert read_quantifier(clause, OFFER) == quantified


def test_a_number_inside_of_a_word_is_no_label() -> None:
    assert has_label("take 2")
    assert not has_label("utf8 it is")
