"""`recollect mcp` over a real pipe: every line that asks for an answer has one, and the process ends with its client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from mcp_types import JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from recollect.commands.agents.mcp import NO_JSON, NO_MESSAGE, read_refused

ROOT = Path(__file__).resolve().parents[4]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
EMOJI_HALF = (
    r'{"jsonrpc":"2.0","id":"half","method":"tools/call","params":{"name":"memory_show","arguments":{"id":"a \ud83d b"}}}'
)


def write_request(name: object, method: object, params: object) -> str:
    """Return the line of a request."""
    return json.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": params})


def test_every_line_of_a_client_is_answered_over_a_pipe_and_the_server_ends_with_it(tmp_path: Path) -> None:
    """Broken JSON, halves of surrogate pairs and bytes of no UTF-8 were dropped, and the client waited for ever."""
    server = subprocess.Popen(
        [sys.executable, "-m", "recollect", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RECOLLECT_LAKE": str(tmp_path / "lake"), "RECOLLECT_OWNER": "joel"},
    )  # fmt: skip
    assert server.stdin is not None

    def ask(line: bytes) -> dict[str, Any]:
        """Send a line and wait for what comes back: the client of the next line is not there before."""
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(line + b"\n")
        server.stdin.flush()
        answer: dict[str, Any] = json.loads(server.stdout.readline())
        return answer

    watch = Timer(120, server.kill)  # a line that has no answer
    watch.start()
    try:
        assert ask(write_request(1, "initialize", HELLO).encode())["id"] == 1
        server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n\n')
        for broken in (b'{"jsonrpc":"2.0","id":7,', b"\xff\xfe", b"[" * 100_000):
            answer = ask(broken)
            assert (answer["id"], answer["error"]["code"]) == (None, NO_JSON)
        answer = ask(EMOJI_HALF.encode())
        assert (answer["id"], answer["result"]["isError"]) == ("half", True)
        answer = ask(b'{"jsonrpc":"2.0","id":8,"method":9}')
        assert (answer["id"], answer["error"]["code"]) == (8, NO_MESSAGE)
        assert len(ask(write_request(2, "tools/list", {}).encode())["result"]["tools"]) == 6
        assert server.communicate(b"{no end", timeout=60)[0].count(b"\n") == 1
        assert server.returncode == 0
    finally:
        watch.cancel()
        server.kill()
        server.wait()


def read_line(line: str) -> Any:
    """Return what is made of a line that the library refuses."""
    with pytest.raises(ValidationError) as refusal:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    return read_refused(refusal.value)


def test_a_message_that_is_none_is_refused_with_its_id_where_it_has_one() -> None:
    """A value that is no object, a list of messages, an older version, arguments that are a list."""
    for line, name in {
        "5": None, '"x"': None, "null": None, "[1, 2]": None, "{}": None, '{"id": true}': None, '{"id": 5}': 5,
        '{"jsonrpc":"1.0","id":"a","method":"x"}': "a", write_request(3, "x", [1]): 3, write_request(4, {"result": 3}, [1]): 4,
        '{"jsonrpc":"2.0","id":6,"method":"x","params":{"a":' + "[" * 300 + "]" * 300 + "}}": 6,
    }.items():  # fmt: skip
        refused = read_line(line)
        assert isinstance(refused, JSONRPCError), line
        assert (refused.id, refused.error.code) == (name, NO_MESSAGE), line


def test_halves_of_surrogate_pairs_are_replaced_in_every_text_of_a_request() -> None:
    request = read_line(r'{"jsonrpc":"2.0","id":"\ud83d","method":"x","params":{"\udc00":["\ud83d\ude00 \ude00"]}}')
    assert request == JSONRPCRequest(jsonrpc="2.0", id="\ufffd", method="x", params={"\ufffd": ["\U0001f600 \ufffd"]})


def test_blank_lines_and_broken_answers_of_a_client_are_passed_over() -> None:
    """An error that answers an answer would be answered in turn."""
    for line in ("", "  ", '{"jsonrpc":"2.0","id":5,"result":7}', '{"jsonrpc":"2.0","id":5,"error":7}'):
        assert read_line(line) is None, line
    assert read_refused(OSError("a closed pipe")) is not None
