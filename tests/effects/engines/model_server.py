"""A scripted model server on the loopback, in the wire formats of OpenAI chat completions and Anthropic messages.

It answers about the transcript that it was sent: a script is a function from the request (as text) to a `Said`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.machine.loopback import QuietHandler, serving_on_loopback


@dataclass(frozen=True)
class Said:
    """The server's reply to one request; `stop` is OpenAI's finish_reason."""

    text: str = ""
    stop: str = "stop"
    status: int = 200
    refusal: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    complaint: str = "no"
    wait: threading.Event | None = None
    billed: tuple[int, int] = (1000, 200)
    cached: dict[str, int] = field(default_factory=dict)


Script = Callable[[str, int], Said]


@dataclass
class ModelServer:
    """The address, requests and script of a server; `script` gets the prompt and the number of the request."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def prompts(self) -> list[str]:
        """Return the user messages of the requests."""
        return [text_of(body["messages"][-1]["content"]) for body in self.requests]


def text_of(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def references(prompt: str) -> list[int]:
    """Return the references of the blocks in the transcript."""
    return [int(number) for number in re.findall(r"^\[\d\d:\d\d\] #(\d+) ", prompt, re.M)]


def topics(prompt: str) -> int:
    return len(re.findall(r"^=== topic \d+ ===$", prompt, re.M))


def answer(prompt: str, *facts: dict[str, Any], narrative: str = "The importer was built and its tables were locked.") -> str:
    """Return a good answer about any transcript: a narrative per topic, facts in the first that cite its first block."""
    first = references(prompt)[0]
    said_facts = [{"text": "The user asked to build the importer.", "kind": "request", "priority": "high"}, *facts]
    filled = [{"category": "projects", "refs": [first]} | fact for fact in said_facts]
    segments = [
        {"topic": number, "title": "Importer", "narrative": narrative, "refs": [], "facts": filled if number == 1 else []}
        for number in range(1, topics(prompt) + 1)
    ]
    return json.dumps({"segments": segments, "current_task": "", "suggested_response": "Session completed normally."})


def good(prompt: str, _number: int) -> Said:
    return Said(answer(prompt))


@contextmanager
def serving(script: Script) -> Iterator[ModelServer]:
    """Run the server while the block runs."""
    server = ModelServer(script)

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.read_body())
            with server.lock:
                server.requests.append(body | {"_path": self.path, "_headers": dict(self.headers)})
                number = len(server.requests)
            said = server.script(text_of(body["messages"][-1]["content"]), number)
            if said.wait is not None:
                said.wait.wait(20)
            if said.status != 200:
                reply = {"type": "error", "error": {"message": said.complaint, "type": "server_error"}}
                return self.send_body(json.dumps(reply), said.status, headers=said.headers)
            if body.get("stream"):
                return self.stream(body, said)
            make = anthropic if self.path.endswith("/messages") else openai
            return self.send_body(json.dumps(make(body, said)), headers=said.headers)

        def stream(self, body: dict[str, Any], reply: Said) -> None:
            """Send the reply as pi asks for it: chunks as server-sent events."""
            base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
            chunks = [
                {"choices": [{"index": 0, "delta": {"role": "assistant", "content": reply.text}, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.stop}]},
                {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}},
            ]
            events = [f"data: {json.dumps(base | chunk)}\n\n" for chunk in chunks]
            self.send_body("".join([*events, "data: [DONE]\n\n"]), kind="text/event-stream")

    with serving_on_loopback(Handler) as port:
        server.url = f"http://127.0.0.1:{port}/v1"
        yield server


def openai(body: dict[str, Any], reply: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if reply.refusal:
        message["refusal"] = reply.refusal
    elif body.get("tools"):
        name = body["tools"][0]["function"]["name"]
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": {"name": name, "arguments": reply.text}}]
    else:
        message["content"] = reply.text
    usage = {"prompt_tokens": reply.billed[0], "completion_tokens": reply.billed[1], "total_tokens": sum(reply.billed)}
    choice = {"index": 0, "message": message, "finish_reason": reply.stop}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice], "usage": usage}


def anthropic(body: dict[str, Any], reply: Said) -> dict[str, Any]:
    stop = {"stop": "tool_use", "length": "max_tokens"}.get(reply.stop, reply.stop)
    try:
        part: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": body["tools"][0]["name"], "input": json.loads(reply.text)}
    except (ValueError, KeyError):
        part = {"type": "text", "text": reply.text or reply.refusal or "-"}
    return {
        "id": "m1", "type": "message", "role": "assistant", "model": body["model"], "content": [part],
        "stop_reason": "refusal" if reply.refusal else stop, "stop_sequence": None,
        "usage": {"input_tokens": reply.billed[0], "output_tokens": reply.billed[1], **reply.cached},
    }  # fmt: skip
