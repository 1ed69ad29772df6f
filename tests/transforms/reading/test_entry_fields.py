"""The fast way through an entry says what the slow one says, whatever the entry is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pi.generated import Maker
from transforms.conversation.js_json import js_length, js_stringify
from transforms.reading.entry_fields import _unusual, fields_of
from transforms.tables.tokens import utf16_length

odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.text("\ud83d\ude00", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
parts = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "thinking", "toolCall", "other", 5, None])},
    optional={"text": odd, "thinking": odd, "name": odd, "arguments": odd, "data": odd},
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(
            ["user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage", "system", "new", 7, None]
        )
    },
    optional=dict.fromkeys(("provider", "model", "modelId", "isError", "toolName", "command", "output", "summary"), odd)
    | {
        "content": st.lists(parts | odd, max_size=4) | odd,
        "stopReason": st.sampled_from(["stop", "error", None, 5]),
        "errorMessage": odd,
        "usage": st.dictionaries(st.sampled_from(["input", "output", "cost", "cacheRead"]), odd, max_size=3) | odd,
    },
)
entries = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            [
                "message",
                "message",
                "message",
                "compaction",
                "custom_message",
                "label",
                "model_change",
                "thinking_level_change",
                5,
                None,
            ]
        )
    },
    optional={"message": messages | odd}
    | dict.fromkeys(
        ("usage", "content", "summary", "provider", "modelId", "model", "thinkingLevel", "name", "label", "text"), odd
    ),
)


@given(entries)
def test_any_entry_gives_the_same_fields_in_one_pass(entry: dict[str, Any]) -> None:
    assert fields_of(entry) == _unusual(entry)


@pytest.mark.parametrize("seed", range(20))
def test_entries_as_pi_writes_them_give_the_same_fields_in_one_pass(seed: int) -> None:
    maker = Maker(seed)
    for _ in range(20):
        entry = maker.entry()
        assert fields_of(entry) == _unusual(entry)


@given(odd)
def test_a_length_is_that_of_what_would_be_printed(value: object) -> None:
    assert js_length(value) == utf16_length(js_stringify(value))
