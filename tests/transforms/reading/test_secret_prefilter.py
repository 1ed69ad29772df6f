from __future__ import annotations

import json

import orjson
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.reading.arrow_views import Lines
from transforms.reading.fast_parse import parse_plain
from transforms.reading.secret_prefilter import suspects
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
    """What the exact filters say of a row, without a closer look."""
    row = pl.Series([line])
    return any(row.str.contains(pattern)[0] for pattern in (*ASSIGNMENT_FILTERS, *(found for _, found in COMMAND_FILTERS)))


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(["text", "note", "token"]), st.booleans())
def test_a_row_that_is_left_out_holds_nothing_that_is_taken_out(text: str, key: str, is_nested: bool) -> None:
    value = {"type": "message", key: json.dumps({"inner": text}) if is_nested else text}
    line = orjson.dumps(value).decode()
    if _may_be_assigned(line) and not suspects(pl.Series([line])):
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
    assert suspects(pl.Series([json.dumps({"text": line}) for line in code])) == {}


SECRET = "sk-" + "ant-" + "aB3" * 9
PIECE = st.sampled_from(
    ["hello", "x" * 3000, "é" * 40, "", "a\nb", f"use {SECRET}", "password=hunter" + "22xyz", "-----BEGIN", "ghp_"]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.lists(PIECE, max_size=3), min_size=1, max_size=12), min_size=1, max_size=3), st.data())
def test_lines_searched_together_are_found_as_each_by_itself(files: list[list[list[str]]], data: st.DataObject) -> None:
    """Also rows of other files, changed and emptied ones, short ones, and ones longer than a span."""
    groups = []
    for file in files:
        lines = [orjson.dumps({"type": "message", "id": "a", "t": " ".join(words)}) if words else b"{}" for words in file]
        plain = parse_plain(b"".join(line + b"\n" for line in lines))
        assert plain is not None
        groups.append(plain)
    together = Lines(groups)
    rows = st.integers(0, sum(map(len, groups)) - 1)
    together.change(data.draw(st.dictionaries(rows, st.sampled_from([b"", b"{}", b'{"t":"changed and long"}', SECRET.encode()]))))
    texts, spans = together.series(), together.spans()
    assert suspects(texts, spans) == suspects(texts)
    assert spans.rows(pl.Series(range(len(spans.texts)))).to_list() == list(range(len(texts)))


def test_a_changed_line_that_lies_where_the_next_one_would_is_searched_all_the_same() -> None:
    """Its place in its own bytes continues the place of the line before it in the file's: only the bytes tell them apart."""
    line = b'{"type":"message","id":"a"}'
    plain = parse_plain((line + b"\n") * 3)
    assert plain is not None
    lines = Lines([plain])
    lines.change({0: b"x" * (2 * (len(line) + 1)), 2: SECRET.encode()})
    assert list(suspects(lines.series(), lines.spans())) == [2]
