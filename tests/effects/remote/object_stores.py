"""A loopback S3 server for tests: moto's, with faults in front of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "word", "AWS_REGION": "us-east-1"}


class Faults:
    """WSGI in front of a server: answers some requests with 503, loses the answers of others after they were carried out."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.chance = random.Random(0)
        self.busy = self.lost = 0.0
        self.is_down = False
        self.counts = {"busy": 0, "lost": 0, "requests": 0}
        self._one_at_a_time = threading.Lock()
        """Conditions are checked and applied together, as a real store does; moto's threads do not."""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self._one_at_a_time:
            self.counts["requests"] += 1
            roll = self.chance.random()
            if self.is_down or roll < self.busy:
                self.counts["busy"] += 1
                return self._refuse(environ, start_response)
            if roll < self.busy + self.lost:
                self.counts["lost"] += 1
                list(self.application(environ, lambda *_: None))
                start_response("500 Internal Server Error", [("Content-Length", "0")])
                return [b""]
            return list(self.application(environ, start_response))

    @staticmethod
    def _refuse(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("503 Slow Down", [("Content-Length", "0")])
        return [b""]


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
    thread = threading.Thread(target=server.serve_forever, daemon=True)
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
