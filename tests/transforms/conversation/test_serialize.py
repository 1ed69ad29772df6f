from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.conversation.js_json import format_js_number, stringify_as_javascript
from transforms.conversation.serialize import (
    convert_to_llm,
    cut_tool_result,
    estimate_tokens,
    project_entry,
    serialize_conversation,
)
from transforms.reading.json_lines import parse_chunk

CLIENT = Path(__file__).parents[4] / "shared" / "pi-client"


@each_case(
    ("number", "printed"),
    [
        (1.0, "1"), (-0.0, "0"), (0, "0"), (1e16, "10000000000000000"), (1e20, "100000000000000000000"), (1e21, "1e+21"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (123456789012345678901, "123456789012345680000"), (1.5e300, "1.5e+300"),
        (-2.5, "-2.5"), (100, "100"), (0.1, "0.1"), (10**400, "null"), (float("inf"), "null"), (5e-324, "5e-324"),
        (123.456, "123.456"),
    ],
)  # fmt: skip
def test_numbers_are_printed_as_javascript_prints_them(number: float, printed: str) -> None:
    assert format_js_number(number) == printed


def test_array_indices_come_first_in_order_and_only_what_must_be_is_escaped() -> None:
    value = {"b": 1, "10": "é/\u2028", "2": None, "a": {"1": True, "01": [], "0": 'q"\\\n\x01\ud83d'}}
    assert (
        stringify_as_javascript(value)
        == '{"2":null,"10":"é/\u2028","b":1,"a":{"0":"q\\"\\\\\\n\\u0001\\ud83d","1":true,"01":[]}}'
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_is_the_same_double(number: float) -> None:
    assert math.isclose(float(format_js_number(number)), number, rel_tol=0, abs_tol=0)


def test_simple_messages() -> None:
    assert serialize_conversation([{"role": "user", "content": "hi"}]) == "[User]: hi"
    assert serialize_conversation([{"role": "assistant", "content": [{"type": "text", "text": ""}]}]) == "[Assistant]: "
    call = {"role": "assistant", "content": [{"type": "toolCall", "name": "ls", "arguments": {}}]}
    assert serialize_conversation([call]) == "[Assistant tool calls]: ls()"
    assert serialize_conversation([]) == ""


def test_thinking_is_not_shown() -> None:
    message = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "do"}]}
    assert serialize_conversation([message]) == "[Assistant]: do"


def test_a_tool_result_is_cut_at_2000_units_and_half_an_emoji_is_left_out() -> None:
    cut = cut_tool_result("x" * 1999 + "😀tail")
    assert cut == "x" * 1999 + "\n\n[... 5 more characters truncated]"
    assert cut_tool_result("x" * 2000) == "x" * 2000


def test_summaries_and_bash_runs_become_user_messages_and_excluded_ones_vanish() -> None:
    messages = [
        {"role": "branchSummary", "summary": "A"},
        {"role": "compactionSummary", "summary": "B"},
        {"role": "bashExecution", "command": "ls", "output": "", "exitCode": 2},
        {"role": "bashExecution", "command": "pw", "output": "x", "excludeFromContext": True},
        {"role": "hookMessage", "content": "C"},
    ]
    text = serialize_conversation(convert_to_llm(messages))
    assert "<summary>\nA</summary>" in text
    assert "<summary>\nB\n</summary>" in text
    assert "Ran `ls`\n(no output)\n\nCommand exited with code 2" in text
    assert text.endswith("[User]: C")
    assert "pw" not in text


@each_case(
    ("message", "expected"),
    [
        ({"role": "user", "content": [{"type": "text", "text": "12345"}, {"type": "image", "data": "AA"}]}, 1202),
        ({"role": "toolResult", "content": [{"type": "image", "data": "AA"}]}, 1200),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "1234"}, {"type": "text", "text": "5"}]}, 2),
        ({"role": "assistant", "content": [{"type": "toolCall", "name": "read", "arguments": {"path": "a"}}]}, 4),
        ({"role": "system", "content": "1234", "sections": {"a": "5678", "b": None}}, 2),
        ({"role": "somebody", "content": "1234"}, 0),
    ],
)
def test_estimates(message: dict[str, object], expected: int) -> None:
    assert estimate_tokens(message) == expected


@pytest.mark.skipif(not CLIENT.exists(), reason="the worked example of the reference is not here")
def test_the_worked_example_is_reproduced_byte_for_byte() -> None:
    objects = parse_chunk((CLIENT / "example.jsonl").read_bytes()).objects
    messages = [message for parsed in objects if (message := project_entry(parsed.value))]
    text = serialize_conversation(convert_to_llm(messages))
    assert hashlib.sha256(text.encode()).hexdigest() == hashlib.sha256((CLIENT / "ex15.txt").read_bytes()).hexdigest()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_what_is_printed_is_json_with_the_same_value(value: object) -> None:
    assert json.loads(stringify_as_javascript(value)) == value
