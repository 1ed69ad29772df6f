"""Models on the loopback, with Anthropic's Messages or OpenAI's Responses interface: they say "Noted." or what they are told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from transforms.tables.json_object import JsonObject

REPLY = "Noted."
Speak = Callable[[str], str]
"""From the body of a request to the answer."""


@dataclass
class LoopbackModel:
    """The port of a model, and the bodies of all requests that it got."""

    port: int = 0
    requests: list[str] = field(default_factory=list)


def list_anthropic_events(reply: str) -> list[JsonObject]:
    """Return the events of a streamed message."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    usage = {"input_tokens": 10, "output_tokens": 2}
    return [
        {"type": "message_start", "message": {**message, "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": reply}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def list_openai_events(reply: str) -> list[JsonObject]:
    """Return the events of a streamed response."""
    content = [{"type": "output_text", "text": reply, "annotations": []}]
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


@contextmanager
def serve_model(list_events: Callable[[str], list[JsonObject]], speak: Speak = lambda _body: REPLY) -> Iterator[LoopbackModel]:
    """Serve a model on a port of this machine; it knows no other path than that of a request."""
    model = LoopbackModel()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(404, "text/plain", b"")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            model.requests.append(body)
            parts = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in list_events(speak(body))]
            self._send(200, "text/event-stream", "".join(parts).encode())

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Requests are kept in the model."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
