"""Models on the loopback, with Anthropic's Messages or OpenAI's Responses interface: they say "Noted." or what they are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.machine.loopback import QuietHandler, serving_on_loopback
from transforms.tables.json_object import JsonObject

REPLY = "Noted."
CODEX_CONFIG = """model = "loop"
model_provider = "loop"
[model_providers.loop]
name = "loop"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
"""
"""Settings of Codex for a model on the loopback."""
Speak = Callable[[str], str]
"""From the body of a request to the answer."""


@dataclass
class LoopbackModel:
    """The port of a model, the bodies and headers of all requests that it got, and the refusal that it answers with, if any."""

    port: int = 0
    requests: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Refusal:
    """A status that is no answer, its body and its headers."""

    status: int
    body: JsonObject
    headers: dict[str, str] = field(default_factory=dict)


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


def list_structured_events(reply: str) -> list[JsonObject]:
    """Return the events of a streamed message that gives an object for the schema, as Claude Code asks for it."""
    start, _, _, stop, delta, end = list_anthropic_events("")
    tool = {"type": "tool_use", "id": "toolu_1", "name": "StructuredOutput", "input": {}}
    part = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": reply}}
    called = delta | {"delta": {"stop_reason": "tool_use", "stop_sequence": None}}
    return [start, {"type": "content_block_start", "index": 0, "content_block": tool}, part, stop, called, end]


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

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_body("", 404, "text/plain")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = self.read_body().decode()
            model.requests.append(body)
            model.headers.append(dict(self.headers))
            if model.refusal:
                self.send_body(json.dumps(model.refusal.body), model.refusal.status, headers=model.refusal.headers)
                return
            parts = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in list_events(speak(body))]
            self.send_body("".join(parts), kind="text/event-stream")

    with serving_on_loopback(Handler) as model.port:
        yield model
