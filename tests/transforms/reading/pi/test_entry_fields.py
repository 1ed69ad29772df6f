from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.pi.generated import Maker
from transforms.conversation.js_json import count_js_units, stringify_as_javascript
from transforms.conversation.serialize import estimate_tokens, project_entry
from transforms.reading.pi.entry_fields import read_entry_fields
from transforms.reading.redact_entries import clean_entries
from transforms.tables.schema import ENTRIES
from transforms.tables.tokens import count_utf16_units

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


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries)
def test_any_entry_gives_fields_that_the_table_takes(entry: dict[str, Any]) -> None:
    (clean,) = clean_entries([entry], [b""]).entries
    fields = read_entry_fields(clean)
    for name, value in fields._asdict().items():
        pl.Series([list(value) if name == "flags" else value], dtype=ENTRIES.row_schema[name])


@each_case("seed", range(5))
def test_a_token_count_is_the_estimate_of_what_the_entry_puts_into_the_context(seed: int) -> None:
    maker = Maker(seed)
    for _ in range(20):
        entry = maker.entry()
        message = project_entry(entry)
        assert read_entry_fields(entry).token_count == (estimate_tokens(message) if message else 0)


@given(odd)
def test_a_length_is_that_of_the_printed_value(value: object) -> None:
    assert count_js_units(value) == count_utf16_units(stringify_as_javascript(value))
