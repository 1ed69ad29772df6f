"""Servers of the tests on a free port of this machine: handlers that log nothing, served by a thread while a block runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class QuietHandler(BaseHTTPRequestHandler):
    """Answers requests with whole bodies; a client that gave up waiting is no error."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""

    def read_body(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def send_body(
        self, text: str, status: int = 200, kind: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole answer."""
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True


@contextmanager
def serving_on_loopback(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Yield the port of a server that answers with the handler while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
