"""Tokens, words and slots of values without a name: the weights of both judges rest on how each is cut and written."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.learning.printed_secrets import describe_printed
from tests.each_case import each_case
from transforms.redaction.bare.bare_judge import describe_bare, list_bare_values
from transforms.redaction.bare.printed_values import ValueBlock
from transforms.redaction.bare.value_tokens import SLOTS, hash_name, split_token, write_shape

WRITTEN = (
    'deploy.sh --token "Kaffee7x9Qw2Zr4" \nthe line below',
    "above it stands a name\n  apiToken: r4Nd0mV4lue9876zz # comment",
    "https://hooks.example.org/services/T02AB9XQ/B7YQ?key=q9Zx81Lm4Pw0",
    "$ curl -H 'X-Key: 7fQ2mZ91xLw8' host\n<password>hV7!kz92Qp</password>",
)


def test_features_and_slots_are_those_that_the_weights_were_fitted_to() -> None:
    """Another digest means other features: then both judges are fitted again (`benchmarks/learning`)."""
    described: list[object] = []
    for text in WRITTEN:
        for value in list_bare_values(text):
            for is_user in (True, False):
                place, slots = describe_bare(text, value, is_user)
                described.append((place, sorted(slots)))
        block = ValueBlock(text, 0, len(text))
        for printed in block.values:
            features, places = describe_printed(block, printed)
            described.append(([round(feature, 6) for feature in features], places))
    assert len(described) > 10
    assert sha256(repr(described).encode()).hexdigest()[:16] == "e2305e45c3f2d34a"


@each_case(
    ("token", "values"),
    [
        ("apiToken=r4Nd0m9.", [("r4Nd0m9", "apiToken", False)]),
        ("https://a.io/T02AB9XQ?key=q9Zx81Lm4P", [("T02AB9XQ", "/", True), ("q9Zx81Lm4P", "key", True)]),
        ("r4Nd0mV4lue9876zz==)", [("r4Nd0mV4lue9876zz==", "", False)]),
        ("[redacted:token:1a2b]", []),
    ],
)
def test_a_token_is_cut_into_values_with_their_names(token: str, values: list[tuple[str, str, bool]]) -> None:
    found = [(token[start:end], key, is_in_address) for start, end, key, is_in_address in split_token(token)]
    assert found == values


@given(st.text(max_size=80))
def test_values_of_any_token_lie_in_it_in_order(token: str) -> None:
    places = [place for start, end, _, _ in split_token(token) for place in (start, end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(token) for place in places)


@given(st.text())
def test_every_name_has_a_slot(name: str) -> None:
    assert 0 <= hash_name(name.encode("utf-8", "replace").decode()) < SLOTS


def test_a_shape_has_a_sign_per_run() -> None:
    assert write_shape("Kaffee-12") == "Aa-9"
