"""A loopback server that holds each request until a reader has written its answer to a file, however long that takes.

A folder holds `requests/KIND-NAME.md` (a self-contained request) and `answers/KIND-NAME.json` (the one JSON object that it asks
for). KIND is the part of the pipeline that asks; NAME is the hash of what the request shows, without the standing instructions,
so that an answer is found again when they were reworded. `pid` names the process that waits; `ended` appears when it waits no
more.
An answer that is no JSON is handed over as it is once its file rests: the pipeline then asks again, as it asks a model.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.model.recordings import MOST_LINES, find_object, format_reply
from tests.machine.loopback import QuietHandler, serving_on_loopback
from transforms.tables.tokens import count_tokens

KINDS = {
    "WindowAnswer": "observe",
    "ReadingAnswer": "read",
    "RelationAnswer": "relate",
    "ProposalAnswer": "propose",
    "PeriodAnswer": "condense",
    "FrictionAnswer": "friction",
}
"""Schema of an answer → the part of the pipeline that asks for it."""
PATIENCE_S = 7 * 24 * 3600.0
"""Seconds for which the pipeline must be willing to wait for a reader."""
POLL_S, REST_S = 0.3, 90.0
"""Seconds between two looks for an answer, and seconds after which a file is complete that does not look so."""
TRANSCRIPT = "<transcript>"


@dataclass
class Waiting:
    """The requests that were answered: by kind their number, and the tokens read and written."""

    folder: Path
    url: str = ""
    requests: Counter[str] = field(default_factory=Counter)
    tokens_read: int = 0
    tokens_written: int = 0
    lock: Lock = field(default_factory=Lock)

    def wait_for_answer(self, body: dict[str, Any]) -> str:
        """Write the request to its file and return the answer once it is there."""
        system, prompt = (str(message["content"]) for message in body["messages"][:2])
        kind = KINDS.get(_find_schema(body), "other")
        name = f"{kind}-{name_request(kind, prompt)}"
        request, stored = self.folder / "requests" / f"{name}.md", self.folder / "answers" / f"{name}.json"
        if not request.exists():
            draft = request.with_suffix(f".{time.monotonic_ns()}")
            draft.write_text(f"{system}\n---\n\n{prompt}\n", encoding="utf-8")
            draft.rename(request)
        while (answer := _read_answer(stored)) is None:
            time.sleep(POLL_S)
        with self.lock:
            self.requests[kind] += 1
            self.tokens_read += count_tokens(system) + count_tokens(prompt)
            self.tokens_written += count_tokens(answer)
        return answer


def name_request(kind: str, prompt: str) -> str:
    """Return the name of a request: of a window by its project and transcript, of the others by everything that they show."""
    head, _, rest = prompt.partition("\n")
    shown = f"{head.partition('.')[0]}{rest.partition(TRANSCRIPT)[2]}" if kind == "observe" else MOST_LINES.sub("", prompt)
    return sha256(shown.encode()).hexdigest()[:12]


@contextmanager
def serve_waiting(folder: Path) -> Iterator[Waiting]:
    """Run the server while the block runs; afterwards `ended` says how the block ended."""
    for name in ("requests", "answers"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "ended").unlink(missing_ok=True)
    (folder / "pid").write_text(str(os.getpid()), encoding="utf-8")
    waiting = Waiting(folder)

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.read_body())
            self.send_body(json.dumps(format_reply(body, waiting.wait_for_answer(body))))

    with serving_on_loopback(Handler) as port:
        waiting.url = f"http://127.0.0.1:{port}/v1"
        outcome = "stopped by an error"
        try:
            yield waiting
            outcome = "played to the end"
        finally:
            (folder / "ended").write_text(f"{outcome}\n", encoding="utf-8")


def _find_schema(body: dict[str, Any]) -> str:
    return str(body["tools"][0]["function"]["name"]) if body.get("tools") else ""


def _read_answer(stored: Path) -> str | None:
    """Return the answer of a file; None while there is none, or while it may still be written."""
    if not stored.exists():
        return None
    text = stored.read_text(encoding="utf-8", errors="replace")
    found = find_object(text)
    if found is not None and _is_json(found):
        return found
    return text if time.time() - stored.stat().st_mtime > REST_S else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
