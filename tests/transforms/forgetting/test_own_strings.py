"""What an entry says is its message, the inputs and the results of its tools; its envelope is nobody's words."""

from __future__ import annotations

import json

from tests.each_case import each_case
from transforms.forgetting.own_strings import list_own_strings

ENVELOPE = {
    "cwd": "/w/hidden",
    "gitBranch": "hidden",
    "version": "hidden",
    "uuid": "hidden",
    "id": "hidden",
    "timestamp": "hidden",
}


@each_case(
    "entry",
    [
        {"message": {"role": "user", "content": "told", "id": "hidden", "model": "hidden"}},
        {"message": {"content": [{"type": "text", "text": "told"}]}},
        {"message": {"content": [{"type": "thinking", "thinking": "told", "signature": "hidden"}]}},
        {"message": {"content": [{"type": "tool_use", "id": "hidden", "name": "Bash", "input": {"command": ["a", "told"]}}]}},
        {"message": {"content": [{"type": "toolCall", "id": "hidden", "arguments": {"told": 1}}]}},
        {
            "message": {
                "content": [{"type": "tool_result", "tool_use_id": "hidden", "content": [{"type": "text", "text": "told"}]}]
            }
        },
        {"toolUseResult": {"stdout": "told"}, "message": {"content": []}},
        {"payload": {"type": "function_call", "call_id": "hidden", "arguments": '{"cmd": "told"}'}},
        {"payload": {"type": "function_call_output", "call_id": "hidden", "output": "told"}},
        {"payload": {"type": "message", "content": [{"type": "input_text", "text": "told"}], "cwd": "hidden"}},
        {"type": "summary", "summary": "told"},
    ],
)
def test_what_was_said_or_done_is_listed_and_the_envelope_is_not(entry: dict[str, object]) -> None:
    said = list(list_own_strings(json.dumps(ENVELOPE | entry)))
    assert any("told" in text for text in said)
    assert not any("hidden" in text for text in said)


def test_numbers_count_and_what_is_no_object_is_read_whole() -> None:
    assert "8080" in list(
        list_own_strings('{"message": {"content": [{"type": "tool_use", "input": {"port": 8080, "no": null}}]}}')
    )
    assert list(list_own_strings("cut {")) == ["cut {"]
    assert list(list_own_strings("[1]")) == ["[1]"]
