from __future__ import annotations

import json
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent_lines import CLAUDE_ID, CODEX_ID, claude_prompt, codex_meta, read_rows
from tests.each_case import each_case
from transforms.reading.json_lines import parse_chunk
from transforms.reading.readers import recognise_session
from transforms.reading.session_header import SessionHeader

SNAPSHOT = json.dumps({"type": "file-history-snapshot", "messageId": "m", "isSnapshotUpdate": False, "snapshot": {}})
SUMMARY = json.dumps({"type": "summary", "summary": "A title", "leafUuid": "x"})
PI = json.dumps({"type": "session", "id": "s-1", "version": 3, "cwd": "/w"})


def recognise(*lines: str, name: str = "session", is_complete: bool = True) -> SessionHeader | str | None:
    return recognise_session(parse_chunk("".join(f"{line}\n" for line in lines).encode()).objects, name, is_complete)


@each_case(
    ("lines", "agent", "session_id", "version"),
    [
        ((PI,), "pi", "s-1", None),
        ((SUMMARY, SNAPSHOT, claude_prompt("p", None, 0, "hi")), "claude", CLAUDE_ID, "2.1.80"),
        ((codex_meta(),), "codex", CODEX_ID, "0.125.0"),
    ],
)
def test_the_content_of_a_file_tells_its_agent(lines: tuple[str, ...], agent: str, session_id: str, version: str | None) -> None:
    header = recognise(*lines)
    assert isinstance(header, SessionHeader)
    assert (header.agent, header.session_id, header.agent_version) == (agent, session_id, version)


def test_a_file_without_a_session_is_refused_in_words_once_it_is_complete() -> None:
    assert recognise(SUMMARY, is_complete=False) is None
    assert "accompany the sessions of other files" in str(recognise(SUMMARY))


def test_a_sub_agents_file_belongs_to_its_parent() -> None:
    line = claude_prompt("p", None, 0, "review", isSidechain=True, agentId="a1b2")
    header = recognise(line, name="agent-a1b2")
    assert isinstance(header, SessionHeader)
    assert (header.session_id, header.parent_session, header.is_subagent) == (f"agent-a1b2.{CLAUDE_ID}", CLAUDE_ID, True)


def test_a_resumed_session_has_the_id_of_its_file_and_names_the_one_that_it_continues() -> None:
    own = "99999999-2222-4333-8444-555555555555"
    header = recognise(claude_prompt("p", None, 0, "hi"), name=own)
    assert isinstance(header, SessionHeader)
    assert (header.session_id, header.parent_session) == (own, CLAUDE_ID)


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
)
_PARTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "thinking", "image"]) | _VALUES},
    optional=dict.fromkeys(("text", "id", "tool_use_id", "name", "input", "content", "is_error", "source"), _VALUES),
)
_MESSAGES = st.fixed_dictionaries(
    {"content": st.lists(_PARTS, max_size=2) | _VALUES},
    optional=dict.fromkeys(("id", "model", "usage", "stop_reason"), _VALUES),
)
_CLAUDE_MEMBERS = (
    "uuid parentUuid timestamp agentId isSidechain isMeta origin attachment version leafUuid planContent customTitle content "
    "permissionMode"
)
_CLAUDE = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["user", "assistant", "system", "attachment", "summary", "queue-operation"]) | _VALUES,
        "message": _MESSAGES | _VALUES,
    },
    optional=dict.fromkeys(_CLAUDE_MEMBERS.split(), _VALUES),
)
_CODEX_MEMBERS = (
    "role content arguments input output call_id name message info num_turns turn_id action parsed_cmd model source summary"
)
_CODEX_TYPES = (
    "message function_call function_call_output custom_tool_call reasoning user_message token_count exec_command_end "
    "thread_rolled_back"
)
_PAYLOADS = st.fixed_dictionaries(
    {"type": st.sampled_from(_CODEX_TYPES.split()) | _VALUES}, optional=dict.fromkeys(_CODEX_MEMBERS.split(), _VALUES)
)
_CODEX = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["response_item", "event_msg", "turn_context", "session_meta", "compacted"])
        | st.text(max_size=4),
        "payload": _PAYLOADS | _VALUES,
    },
    optional={"timestamp": _VALUES},
)


@settings(max_examples=30, deadline=None)
@given(st.lists(_CLAUDE, max_size=4))
def test_any_line_of_claude_code_becomes_an_entry_with_all_that_it_says(lines: list[dict[str, Any]]) -> None:
    first = claude_prompt("first", None, 0, "hello there")
    _check_all_said([first, *map(json.dumps, lines)])


@settings(max_examples=30, deadline=None)
@given(st.lists(_CODEX, max_size=4))
def test_any_line_of_codex_becomes_an_entry_with_all_that_it_says(lines: list[dict[str, Any]]) -> None:
    _check_all_said([codex_meta(), *map(json.dumps, lines)])


def _check_all_said(lines: list[str]) -> None:
    rows = read_rows(*lines)
    assert sorted(row["line_no"] for row in rows) == list(range(len(lines)))
    assert [row["ordinal"] for row in rows] == list(range(len(lines)))
    assert len({row["entry_id"] for row in rows}) == len(rows) or any("duplicate_id" in row["flags"] for row in rows)
    for row in rows:
        if not {"redacted"} & set(row["flags"]):
            kept = orjson.loads(row["raw_json"])
            written = json.loads(lines[row["line_no"]])
            assert set(kept) == set(written)
