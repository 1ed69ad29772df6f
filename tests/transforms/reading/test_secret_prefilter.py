from __future__ import annotations

import json

import orjson
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.redact import redact_value
from transforms.redaction.secret_rules import ASSIGNMENT_FILTERS, ASSIGNMENT_HINTS, COMMAND_FILTERS, COMMAND_HINT, FLAG_HINT

NAMES = [
    "token",
    "apiKey",
    "API_KEY",
    "password",
    "password_token",
    "secret",
    "auth",
    "x_key",
    "--token",
    "TOKEN",
    "client_secret",
]
MARKS = ["=", ": ", ":", " = ", "=>", " ", '\\"', "\n", "\t", *"\"'`;,([]{}\\\x1b./-"]
VALUES = [
    "Kx8rTq2L" + "m9vWp4Z",
    "options",
    "options.apiKey",
    "a+bcdefgh",
    "fooBar-BazQux",
    "hunter2",
    "some words",
    "0f" * 16,
    "12345678",
    "é",
    "await getApi",
]
PIECES = st.lists(st.sampled_from([*NAMES, *MARKS, *VALUES]), min_size=2, max_size=14).map("".join)
ASSIGNED = st.tuples(st.sampled_from(NAMES), st.sampled_from(MARKS), st.sampled_from(MARKS), st.sampled_from(VALUES), PIECES).map(
    "".join
)
TEXTS = st.lists(st.one_of(PIECES, ASSIGNED), min_size=1, max_size=3).map("".join)


def _may_be_assigned(line: str) -> bool:
    """Return the verdict of the exact filters alone on a row."""
    row = pl.Series([line])
    return any(row.str.contains(pattern)[0] for pattern in (*ASSIGNMENT_FILTERS, *(found for _, found in COMMAND_FILTERS)))


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(["text", "note", "token"]), st.booleans())
def test_a_row_that_is_left_out_holds_nothing_that_is_taken_out(text: str, key: str, is_nested: bool) -> None:
    value = {"type": "message", key: json.dumps({"inner": text}) if is_nested else text}
    line = orjson.dumps(value).decode()
    if _may_be_assigned(line) and not find_secret_candidates(pl.Series([line])):
        assert redact_value(value) == (value, 0)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_the_hints_find_whatever_the_filters_find(text: str) -> None:
    row = pl.Series([json.dumps(text)])
    if any(row.str.contains(pattern)[0] for pattern in ASSIGNMENT_FILTERS):
        assert any(row.str.contains(pattern)[0] for pattern in (*ASSIGNMENT_HINTS, FLAG_HINT))
    for literals, pattern in COMMAND_FILTERS:
        if row.str.contains(pattern)[0]:
            assert row.str.contains(COMMAND_HINT)[0]
            assert any(literal in row[0] for literal in literals)


def test_code_that_only_passes_a_key_on_is_left_out() -> None:
    code = ["const apiKey = await getApiKey(model);", "new Client({ apiKey: options.apiKey, token: this.token })"]
    assert find_secret_candidates(pl.Series([json.dumps({"text": line}) for line in code])) == {}
