"""A loopback model server that plays the assistant of a scene: an OpenAI-compatible endpoint with scripted replies.

pi asks `POST /v1/chat/completions` and wants server-sent events; every reply is taken from a queue that the driver
fills before each step. Summaries (compaction, branch) come from their own slots, since pi asks for them on its own.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Turn = dict[str, Any]


@dataclass
class Script:
    """The next replies of the server, and the folder for outputs of staged commands."""

    stubs: Path
    turns: deque[Turn] = field(default_factory=deque)
    summary: str = ""
    prefix: str = "## Original Request\n(see the kept messages)"
    branch_summary: str = ""
    calls: int = 0
    unexpected: list[str] = field(default_factory=list)

    def reply(self, body: dict[str, Any]) -> Turn:
        """Return the next turn; summaries are recognised by pi's own instructions."""
        last = join_text(body["messages"][-1].get("content"))
        if "PREFIX of a turn" in last:
            return {"say": self.prefix}
        if "conversation branch" in last and not body.get("tools"):
            return {"say": self.branch_summary}
        if not body.get("tools"):
            return {"say": self.summary}
        if not self.turns:
            self.unexpected.append(last[:200])
            return {"say": "(end of script)"}
        turn = self.turns.popleft()
        for call in turn.get("calls", []):
            stage_output(self.stubs, call)
        return turn


def stage_output(stubs: Path, call: dict[str, Any]) -> None:
    """Write the output of a staged command (`out`, `code`), or clear it so that the command really runs."""
    command = call.get("bash")
    if command is None:
        return
    key = hashlib.sha1(command.encode()).hexdigest()[:16]
    out, code = stubs / f"{key}.out", stubs / f"{key}.code"
    if "out" in call:
        out.write_text(str(call["out"]))
        code.write_text(str(call.get("code", 0)))
    else:
        out.unlink(missing_ok=True)


def join_text(content: Any) -> str:
    """Return the text of a chat message's content, string or parts."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def make_tool_call(call: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return tool and arguments of a scene's `{bash: CMD}`, `{read: PATH}`, `{write: PATH, text}` or `{edit: PATH, old, new}`."""
    if "bash" in call:
        return "bash", {"command": call["bash"]} | ({"timeout": call["timeout"]} if "timeout" in call else {})
    if "read" in call:
        return "read", {"path": call["read"]}
    if "write" in call:
        return "write", {"path": call["write"], "content": call["text"]}
    return "edit", {"path": call["edit"], "edits": [{"oldText": call["old"], "newText": call["new"]}]}


def split_turn(turn: Turn, number: int) -> tuple[list[dict[str, Any]], str, int]:
    """Return the deltas of a turn, its finish reason, and its output tokens."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    size = 0
    if "think" in turn:
        deltas.append({"reasoning_content": turn["think"].strip()})
        size += len(turn["think"])
    if "say" in turn:
        deltas.append({"content": turn["say"].strip()})
        size += len(turn["say"])
    for index, call in enumerate(turn.get("calls", [])):
        name, arguments = make_tool_call(call)
        text = json.dumps(arguments, ensure_ascii=False)
        size += len(text)
        function = {"name": name, "arguments": text}
        deltas.append(
            {"tool_calls": [{"index": index, "id": f"toolu_{number:04d}{index}", "type": "function", "function": function}]}
        )
    return deltas, "tool_calls" if turn.get("calls") else "stop", size // 4 + 1


def _make_handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Stay silent: the driver reports."""

        def _json(self, status: int, payload: object) -> None:
            data = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            self._json(200, {"object": "list", "data": []})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.calls += 1
            turn = script.reply(body)
            if "error" in turn:
                self._json(400, {"error": {"message": turn["error"], "type": "invalid_request_error"}})
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self._stream(turn, body)
            self.close_connection = True

        def _stream(self, turn: Turn, body: dict[str, Any]) -> None:
            base = {"id": f"chatcmpl-{script.calls:04d}", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
            deltas, finish, output = split_turn(turn, script.calls)
            for delta in deltas:
                self._event(base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            self._event(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
            prompt = 900 + sum(len(join_text(message.get("content"))) for message in body["messages"]) // 4
            cached = int(prompt * 0.8)
            usage = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
            self._event(base | {"choices": [], "usage": usage | {"prompt_tokens_details": {"cached_tokens": cached}}})
            self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, payload: object) -> None:
            self.wfile.write(b"data: " + json.dumps(payload).encode() + b"\n\n")
            self.wfile.flush()

    return Handler


def serve(script: Script) -> ThreadingHTTPServer:
    """Start the server on a free loopback port in a daemon thread."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(script))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
