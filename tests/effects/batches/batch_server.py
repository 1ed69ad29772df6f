"""A scripted server with the batch interfaces of OpenAI and Anthropic on the loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.effects.engines.model_server import Said, Script, anthropic, openai, text_of
from tests.machine.loopback import QuietHandler, serving_on_loopback


@dataclass
class BatchServer:
    """Batches by id, each a list of items; `waits` is how often a batch is asked about before it ends, `fails` are the numbers of
    items that fail, `ends_as` is the state in the end; `loses` submissions are accepted, and their answer is a gateway's."""

    script: Script
    url: str = ""
    waits: int = 1
    fails: tuple[int, ...] = ()
    ends_as: str = "completed"
    accepts: bool = True
    loses: int = 0
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    direct: int = 0

    @property
    def submitted(self) -> int:
        """The requests in all batches."""
        return sum(len(batch["items"]) for batch in self.batches.values())


@contextmanager
def serving_batches(script: Script) -> Iterator[BatchServer]:  # noqa: C901  one small server in one place
    """Run the server while the block runs."""
    server = BatchServer(script)

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            data = self.read_body()
            if self.path.endswith("/files"):
                name = f"file-{len(server.files)}"
                server.files[name] = data[data.index(b'{"custom_id"') : data.rindex(b"}\r\n") + 1]
                kept = {"id": name, "object": "file", "bytes": 1, "created_at": 1, "filename": "x", "purpose": "batch"}
                return self.send_body(json.dumps(kept))
            body = json.loads(data)
            if not self.path.endswith("/batches"):
                server.direct += 1
                request_text = server.script(text_of(body["messages"][-1]["content"]), server.direct)
                make = anthropic if self.path.endswith("/messages") else openai
                return self.send_body(json.dumps(make(body, request_text)))
            if not server.accepts:
                return self.send_body(json.dumps({"error": {"message": "no such page"}}), 404)
            items = body.get("requests") or [json.loads(line) for line in server.files[body["input_file_id"]].splitlines()]
            name = f"batch-{len(server.batches)}"
            server.batches[name] = {"items": items, "asked": 0, "metadata": body.get("metadata")}
            if server.loses:
                server.loses -= 1
                return self.send_body(json.dumps({"error": {"message": "bad gateway"}}), 502)
            return self.send_body(json.dumps(self.show(name)))

        def do_GET(self) -> None:
            if match := re.search(r"/(batch-\d+)/results", self.path):
                return self.send_body("\n".join(json.dumps(row) for row in self.results(match[1], anthropic)))
            if match := re.search(r"/files/out-(batch-\d+)/content", self.path):
                return self.send_body("\n".join(json.dumps(row) for row in self.results(match[1], openai)))
            if match := re.search(r"/(batch-\d+)$", self.path):
                server.batches[match[1]]["asked"] += 1
                return self.send_body(json.dumps(self.show(match[1])))
            listed = {"object": "list", "data": [self.show(name) for name in server.batches], "has_more": False}
            return self.send_body(json.dumps(listed))

        def show(self, name: str) -> dict[str, Any]:
            batch = server.batches[name]
            is_ended = batch["asked"] >= server.waits
            counts = {
                "completed": 0,
                "failed": 0,
                "total": 1,
                "succeeded": 0,
                "errored": 0,
                "expired": 0,
                "canceled": 0,
                "processing": 0 if is_ended else len(batch["items"]),
            }
            return {
                "id": name, "object": "batch", "type": "message_batch", "endpoint": "x", "input_file_id": "x",
                "completion_window": "24h", "created_at": 1 if "/v1/batches" in self.path else "2026-01-01T00:00:00Z",
                "expires_at": None, "status": server.ends_as if is_ended else "in_progress", "metadata": batch["metadata"],
                "processing_status": "ended" if is_ended else "in_progress", "request_counts": counts,
                "output_file_id": f"out-{name}" if is_ended and server.ends_as != "failed" else None,
                "results_url": f"{server.url}/messages/batches/{name}/results" if is_ended else None,
            }  # fmt: skip

        def results(self, name: str, make: Any) -> Iterator[dict[str, Any]]:
            for number, item in enumerate(server.batches[name]["items"]):
                body = item.get("body") or item["params"]
                if number in server.fails:
                    yield {
                        "custom_id": item["custom_id"],
                        "response": {"status_code": 500, "body": {}},
                        "result": {"type": "expired"},
                    }
                    continue
                reply = make(body, server.script(text_of(body["messages"][-1]["content"]), number))
                yield {
                    "custom_id": item["custom_id"], "response": {"status_code": 200, "body": reply},
                    "result": {"type": "succeeded", "message": reply},
                }  # fmt: skip

    with serving_on_loopback(Handler) as port:
        server.url = f"http://127.0.0.1:{port}"
        yield server


__all__ = ["BatchServer", "Said", "serving_batches"]
