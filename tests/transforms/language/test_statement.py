"""A statement holds its words in little memory, whatever they are."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from transforms.language.statement import freeze_words, parse_statement


@given(st.sets(st.text(max_size=3), max_size=90))
def test_a_frozen_set_is_the_same_set_and_never_larger(words: set[str]) -> None:
    for given_words in (words, frozenset(words), dict.fromkeys(words).keys()):
        frozen = freeze_words(given_words)
        assert frozen == words
        assert sys.getsizeof(frozen) <= min(sys.getsizeof(frozenset(list(words))), sys.getsizeof(words))


def test_statements_share_one_empty_set() -> None:
    first, second = parse_statement("tests run"), parse_statement("nothing else")
    assert first.numbers is second.numbers is first.limits
