"""Faster searches of redaction, which find the same as the patterns alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.redaction.context import _match_at_words
from transforms.redaction.context_rules import CODE_LIST_WORDS, CODE_LISTS, SEED_PHRASE, SEED_PHRASE_WORDS
from transforms.redaction.redact import (
    _classify_spoken,
    _find_words,
    _replace_at,
    _replace_at_literals,
    _replace_matches,
    _replace_shape,
)
from transforms.redaction.secret_rules import SHAPES, SPOKEN, SPOKEN_WORDS

LITERAL_SHAPES = [shape for shape in SHAPES if shape.begins_with_literal]


@given(
    st.lists(
        st.sampled_from(
            [
                *(literal for shape in LITERAL_SHAPES for literal in shape.literals),
                "aB3" * 9,
                "0f" * 17,
                "A1" * 8,
                ".",
                " ",
                "\\n",
                "-",
                "é",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_a_search_from_literals_finds_what_the_pattern_does(text: str) -> None:
    for shape in LITERAL_SHAPES:
        assert _replace_at_literals(shape, text, {}) == _replace_shape(shape, text, {})


@given(
    st.lists(
        st.sampled_from(
            ["my password", "Token", "api key", " is ", ":", " = ", "密码是", "x9K2vQ7m", "0f3a9b1c", "\n", "é", "İ"]
        ),
        max_size=9,
    )
)
def test_a_search_from_words_finds_what_the_spoken_pattern_does(parts: list[str]) -> None:
    text = "".join(parts)
    found = _replace_at(_find_words(text, SPOKEN_WORDS), SPOKEN, text, _classify_spoken, {})
    assert found == _replace_matches(SPOKEN, text, _classify_spoken, {})


@given(
    st.lists(
        st.sampled_from(["recovery codes\n", "Backup key\n", "a1b2c-3d4e\n", "seed phrase: ", "apple river ", "stone, ", "x"]),
        max_size=20,
    )
)
def test_a_search_from_words_finds_the_lists_that_the_patterns_do(parts: list[str]) -> None:
    text = "".join(parts)
    for pattern, words in ((CODE_LISTS, CODE_LIST_WORDS), (SEED_PHRASE, SEED_PHRASE_WORDS)):
        found = [match.span() for match in _match_at_words(pattern, words, text, text.lower())]
        assert found == [match.span() for match in pattern.finditer(text)]
