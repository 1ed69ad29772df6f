"""Words without a topic."""

from __future__ import annotations

from transforms.words.function_words import FUNCTION_WORDS
from transforms.words.word_classes import ARTICLES, AUXILIARIES, FIRST_PERSONS, POINTERS


def test_function_words_have_the_classes_of_grammar_and_nothing_that_names_a_thing() -> None:
    """What a list of content words leaves out is grammar, whatever its other words are."""
    assert FUNCTION_WORDS > ARTICLES | AUXILIARIES | FIRST_PERSONS | POINTERS
    assert FUNCTION_WORDS.isdisjoint({"use", "want", "agent", "tests"})
