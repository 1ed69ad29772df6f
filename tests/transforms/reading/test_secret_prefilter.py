from __future__ import annotations

import json
from random import Random

import orjson
import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.reading.pattern_samples import draw_text, make_value
from transforms.reading.candidates.named_candidates import search_names
from transforms.reading.secret_prefilter import find_secret_candidates, find_spoken_candidates
from transforms.redaction.context import (
    FIRST_SURROUNDINGS,
    LISTS,
    PASSWORDS,
    TOKENS,
    find_bare_passwords,
    is_near_secret,
    lower_keeping_length,
)
from transforms.redaction.context_rules import CODE_LISTS, SEED_PHRASE, SURROUNDINGS, TOKEN_PLACE
from transforms.redaction.named_values import list_named_values
from transforms.redaction.redact import ASSIGNED as ASSIGNED_BIT
from transforms.redaction.redact import COMMANDS, EVERYTHING, redact_value
from transforms.redaction.secret_rules import ASSIGNMENT, BRIDGED, FLAG, SHAPES

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
    "4815" + "16",
    "2024.08-17",
    "é",
    "await getApi",
]
PIECES = st.lists(st.sampled_from([*NAMES, *MARKS, *VALUES]), min_size=2, max_size=14).map("".join)
ASSIGNED = st.tuples(st.sampled_from(NAMES), st.sampled_from(MARKS), st.sampled_from(MARKS), st.sampled_from(VALUES), PIECES).map(
    "".join
)
TEXTS = st.lists(st.one_of(PIECES, ASSIGNED), min_size=1, max_size=3).map("".join)


ROWS = 8
"""Rows that are searched at once: most of a search's time is not that of a row."""


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(["text", "note", "token"]), st.booleans()), min_size=ROWS, max_size=ROWS))
@example([('"options.apiKey', "token", False), ('"token\napiKey', "token", False)])
def test_a_row_that_is_left_out_holds_nothing_that_the_exact_rules_take_out(rows: list[tuple[str, str, bool]]) -> None:
    values = [{"type": "message", key: json.dumps({"inner": text}) if is_nested else text} for text, key, is_nested in rows]
    candidates = find_secret_candidates(pl.Series([orjson.dumps(value).decode() for value in values]))
    for value in (value for row, value in enumerate(values) if row not in candidates):
        assert redact_value(value, False, EVERYTHING, ASSIGNED_BIT | COMMANDS) == (value, 0)


RULES = [
    *((rule.pattern, ASSIGNED_BIT) for rule in (ASSIGNMENT, BRIDGED)), (FLAG.pattern, COMMANDS), (TOKEN_PLACE.pattern, TOKENS),
    (CODE_LISTS.pattern, LISTS), (SEED_PHRASE.pattern, LISTS),
    *((each.pattern.pattern, FIRST_SURROUNDINGS << number) for number, each in enumerate(SURROUNDINGS)),
    *((shape.pattern.pattern, 0) for shape in SHAPES),
]  # fmt: skip


@each_case("number", range(len(RULES)))
def test_the_hint_of_a_rule_finds_every_row_in_which_the_rule_finds_a_secret(number: int) -> None:
    pattern, bits = RULES[number]
    chance = Random(number)
    texts = [f"it is {draw_text(chance, pattern, make_value)} now" for _ in range(60)]
    values = [{"text": json.dumps({"inner": text}) if place % 3 == 0 else text} for place, text in enumerate(texts)]
    candidates = find_secret_candidates(pl.Series([orjson.dumps(value).decode() for value in values]))
    held = [redact_value(value, False, 0 if bits else EVERYTHING, bits)[1] > 0 for value in values]
    assert [value for row, value in enumerate(values) if held[row] and row not in candidates] == []


@each_case("text", ["token \n12345678{token=token", "token=\x1b: Kx8rTq2L" + "m9vWp4Z"], is_nested=[False, True])
def test_escapes_of_json_hide_no_value_from_the_judge(text: str, is_nested: bool) -> None:
    value = {"type": "message", "text": json.dumps({"inner": text}) if is_nested else text}
    if redact_value(value, False, EVERYTHING, EVERYTHING)[1]:
        assert find_secret_candidates(pl.Series([orjson.dumps(value).decode()]))


def test_code_that_only_passes_a_key_on_is_left_out() -> None:
    code = ["const apiKey = await getApiKey(model);", "new Client({ apiKey: options.apiKey, token: this.token })"]
    assert find_secret_candidates(pl.Series([json.dumps({"text": line}) for line in code])) == {}


NAMED = st.tuples(
    st.sampled_from(["password", "Kennwort", "PW", "deploy token", "apiKey", "пароль", "Ключ", "Zugangsdaten", "x7pass"]),
    st.sampled_from([": ", " is\n", "\": \"", " | ", "\\\\n", " для сервера — ", "=", " (see below, it changed) ", "\n\n\n\n"]),
    st.sampled_from(["Krokus77!xQ", "Kx8rTq2Lm9vWp4Z" + "a7Bd", "options", "v1.2.3", "0f" * 16, "été", "Krokus 77"]),
    st.sampled_from(["", "\"", "\n", ", thanks", "\\", " é\u2028"]),
).map("".join)  # fmt: skip
FLAGS = st.tuples(
    st.sampled_from(["7z x", "\tunzip", "run\n"]), st.sampled_from([" -p", " -P ", " -w "]), st.just("Krokus77!xQ")
).map("".join)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.one_of(NAMED, FLAGS, PIECES), min_size=1, max_size=4).map("".join), st.integers(0, 2)),
        min_size=ROWS,
        max_size=ROWS,
    )
)
@example([('password": "Krokus 77', 1)])
def test_a_row_that_is_left_out_holds_no_value_that_the_judge_takes(drawn: list[tuple[str, int]]) -> None:
    texts = [wrap_text(text, depth) for text, depth in drawn]
    values = [{"type": "message", "usage": {"totalTokens": 12345}, "text": text} for text in texts]
    rows = pl.Series([orjson.dumps(value).decode() for value in values])
    named, candidates = search_names(rows)[0], find_secret_candidates(rows)
    for row, (text, value) in enumerate(zip(texts, values, strict=True)):
        if row not in named:
            lower = lower_keeping_length(text)
            assert not any(is_near_secret(text, near) for near in list_named_values(text, lower))
        if row not in candidates:  # a value with blanks between marks is an assignment's
            assert redact_value(value, False, 0, PASSWORDS) == (value, 0)


def wrap_text(text: str, depth: int) -> str:
    """Return JSON that holds a text that many times."""
    return wrap_text(json.dumps({"inner": text}, ensure_ascii=False), depth - 1) if depth else text


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.lists(
            st.one_of(st.sampled_from(["Krokus77!xQ", "x9$Tw", "4b#Kr!77q", " ", "\n", "/", "é", "\\"]), PIECES), max_size=4
        ).map("".join),
        min_size=ROWS,
        max_size=ROWS,
    )
)
def test_a_row_that_is_left_out_holds_no_bare_password(texts: list[str]) -> None:
    lines = [orjson.dumps({"message": {"role": "user", "content": text}}).decode() for text in texts]
    candidates = find_spoken_candidates(pl.Series(lines))
    assert [text for row, text in enumerate(texts) if row not in candidates and list(find_bare_passwords(text))] == []
