"""A loopback S3 server for tests: moto's, with faults in front of it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args
from urllib.request import Request, urlopen

import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "word", "AWS_REGION": "us-east-1"}


Fault = Literal["busy", "lost", "late", "late_lost", "cut"]
"""503; carried out, and 500; too late, and not carried out; too late, and carried out; half an answer."""
FAULTS: tuple[Fault, ...] = get_args(Fault)


class Faults:
    """WSGI in front of a server: faults by chance, or once for every kind of request."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.chance = random.Random(0)
        self.busy = self.lost = self.late = 0.0
        self.late_s = 1.0
        """A late answer comes after so many seconds."""
        self.once: Fault | None = None
        """The first request of every kind meets this fault."""
        self.met: list[str] = []
        """The kinds of request that met it."""
        self.is_down = False
        self.counts = {"requests": 0} | dict.fromkeys(FAULTS, 0)
        self._one_at_a_time = threading.Lock()
        """Conditions are checked and applied together, as a real store does; moto's threads do not."""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self._one_at_a_time:
            self.counts["requests"] += 1
            fault = self._choose_fault(environ)
            if fault is not None:
                self.counts[fault] += 1
            if fault in ("busy", "late"):
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                answer = [b""]
            else:
                answer = list(self.application(environ, (lambda *_: None) if fault in ("lost", "late_lost") else start_response))
        if fault in ("late", "late_lost"):
            time.sleep(self.late_s)
        if fault == "cut" and environ["REQUEST_METHOD"] == "GET":
            body = b"".join(answer)
            return [body[: len(body) // 2]]
        if fault in ("busy", "late", "lost", "late_lost"):
            start_response("503 Slow Down" if fault == "busy" else "500 Internal Server Error", [("Content-Length", "0")])
            return [b""]
        return answer

    def _choose_fault(self, environ: dict[str, Any]) -> Fault | None:
        roll = self.chance.random()
        if self.is_down:
            return "busy"
        kind = self._name_kind(environ)
        if self.once is not None and kind not in self.met:
            self.met.append(kind)
            return self.once
        bounds = (("busy", self.busy), ("lost", self.busy + self.lost), ("late", self.busy + self.lost + self.late))
        return next((fault for fault, bound in bounds if roll < bound), None)

    @staticmethod
    def _name_kind(environ: dict[str, Any]) -> str:
        """Return method and kind of object; writes with a condition apart from others."""
        last = str(environ["PATH_INFO"]).rpartition("/")[2]
        what = last if last.startswith("_") else "list" if "list-type" in str(environ["QUERY_STRING"]) else "data"
        condition = " if" * any(name in environ for name in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"))
        return f"{environ['REQUEST_METHOD']} {what}{condition}"


@contextmanager
def serve_s3(monkeypatch: pytest.MonkeyPatch, bucket: str) -> Iterator[Faults]:
    """Serve a fresh bucket on this machine and point the variables of S3 at it."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, *_: Any) -> None:
            return

    faults = Faults(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, faults, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.port}"
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    urlopen(Request(f"{address}/{bucket}", method="PUT")).close()
    try:
        yield faults
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
