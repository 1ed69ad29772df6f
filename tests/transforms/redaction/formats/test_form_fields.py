"""Passwords that an agent enters into the fields of a page."""

from __future__ import annotations

from typing import Any

import orjson
import polars as pl

from tests.each_case import each_case
from tests.transforms.redaction.plain_redaction import redact_value
from transforms.reading.secret_prefilter import find_agent_candidates

ENTERED = "lemon" + "kettle" + "42"


@each_case("arguments", [
    {"element": "Password field", "ref": "e12", "text": ENTERED},
    {"selector": "input[type=password]", "value": ENTERED},
    {"fields": [{"name": "Email", "ref": "e2", "value": "a@b.test"}, {"name": "Password", "ref": "e3", "value": ENTERED}]},
    {"text": ENTERED, "selector": "#password"},
    {"label": "Kennwort", "text": ENTERED},
])  # fmt: skip
def test_the_words_entered_into_a_password_field_are_a_secret(arguments: dict[str, Any]) -> None:
    entry = {"message": {"content": [{"type": "toolCall", "arguments": arguments}]}}
    assert ENTERED not in str(redact_value(entry)[0])
    assert find_agent_candidates(pl.Series([orjson.dumps(entry).decode()])) == {0: 0}


@each_case("arguments", [
    {"element": "Search field", "ref": "e1", "text": ENTERED},
    {"path": "src/password.ts", "text": ENTERED},
    {"type": "text", "text": "The password field is empty."},
    {"selector": "#password", "text": "***"},
    {"selector": "#password", "value": "${PASSWORD}"},
])  # fmt: skip
def test_other_fields_files_and_placeholders_stay(arguments: dict[str, Any]) -> None:
    assert redact_value(arguments)[0] == arguments
    assert find_agent_candidates(pl.Series([orjson.dumps(arguments).decode()])) == {}
