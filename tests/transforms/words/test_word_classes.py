"""The classes of function words."""

from __future__ import annotations

from transforms.words import word_classes


def test_classes_hold_lower_case_words_and_no_two_are_the_same() -> None:
    """A class that is another one by a second name would drift apart from it."""
    classes = [value for name, value in vars(word_classes).items() if name.isupper()]
    assert len(set(classes)) == len(classes) > 15
    assert all(word == word.casefold() and word.isalpha() for words in classes for word in words)


def test_a_copula_is_no_modal_and_an_article_points_at_nothing() -> None:
    """Classes that grammar parts do not overlap."""
    assert word_classes.AUXILIARIES.isdisjoint(word_classes.MODALS)
    assert word_classes.ARTICLES.isdisjoint(word_classes.POINTERS)
    assert word_classes.NEGATIONS.isdisjoint(word_classes.NOBODY)
