"""Faster searches of redaction, which find the same as the patterns alone."""

from __future__ import annotations

import base64
import json
import random
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.redaction.context import _match_at_words, find_surroundings
from transforms.redaction.context_rules import CODE_LIST_WORDS, CODE_LISTS, SEED_PHRASE, SEED_PHRASE_WORDS, SURROUNDINGS
from transforms.redaction.known_secrets import _replace_many
from transforms.redaction.redact import (
    _classify_spoken,
    _find_words,
    _replace_at,
    _replace_at_literals,
    _replace_matches,
    _replace_shape,
    redact,
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


@given(
    st.lists(
        st.sampled_from(
            ["host", "[::1]", "db.example.com", ":5432", ":", " ", "\t", "   ", "bob", "a.b+c@", "@", "10.0.0.1:", "x9K2vQ7m",
             "é", "/", '"', " root@10.0.0.7:hX9kd83Lq", "x" * 70, "\n"]
        ),
        max_size=14,
    ).map("".join)
)  # fmt: skip
def test_surroundings_near_blanks_are_those_that_the_pattern_finds(text: str) -> None:
    for surroundings in SURROUNDINGS:
        found = [match.span() for match in find_surroundings(surroundings, text)]
        assert found == [match.span() for match in surroundings.pattern.finditer(text)]


@given(
    st.lists(st.text("ab", min_size=8, max_size=11), min_size=1, max_size=12, unique=True),
    st.lists(st.one_of(st.text("ab", max_size=12), st.just("é")), max_size=9).map("".join),
)
def test_many_known_secrets_are_replaced_as_few_are(secrets: list[str], text: str) -> None:
    placeholders = {secret: f"[{number}]" for number, secret in enumerate(secrets)}
    known = sorted(secrets, key=lambda secret: (-len(secret), secret))
    by_start = {start: [secret for secret in known if secret.startswith(start)] for start in {secret[:8] for secret in known}}
    pattern = re.compile("|".join(map(re.escape, known)))
    expected = pattern.sub(lambda match: placeholders[match[0]], text)
    assert _replace_many(text, by_start, placeholders) == expected


def _write_line(kind: str) -> str:
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(2000)]
    data = chance.randbytes(125_000)
    pieces = {
        "base64": [base64.b64encode(data).decode()],
        "hex": [data.hex()],
        "dots": ["." * 250_000],
        "words without spaces": chance.choices(words, k=45_000),
        "names": [f"{word}_" for word in chance.choices(words, k=37_500)],
        "minified code": [f"function {word}(a,b){{return a.{word}||b[{len(word)}]}}" for word in chance.choices(words, k=6_250)],
        "JSON": [json.dumps({word: word, "id": number}) for number, word in enumerate(chance.choices(words, k=7_500))],
    }
    return "".join(pieces[kind])


@each_case("kind", ["base64", "hex", "dots", "words without spaces", "names", "minified code", "JSON"])
def test_a_line_of_a_quarter_of_a_megabyte_takes_a_second_at_most(kind: str) -> None:
    line = _write_line(kind)
    started = time.process_time()
    assert redact(line)
    assert time.process_time() - started < 1, "before its search was bound to blanks, one pattern alone took a second of hex"
