"""What the doubles on loopback share: a server with a thread of its own, and a silent exchange of JSON."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """Serves on a free port of 127.0.0.1 from `start` to `stop`, which waits for every exchange to end."""

    daemon_threads = False

    def __init__(self, exchange: type[BaseHTTPRequestHandler], *, name: str) -> None:
        super().__init__(("127.0.0.1", 0), exchange)
        self._serving = threading.Thread(target=self.serve_forever, args=(0.02,), name=name)

    @property
    def address(self) -> str:
        """Its URL, without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def start(self) -> None:
        """Begin to answer."""
        self._serving.start()

    def stop(self) -> None:
        """Answer no more."""
        self.shutdown()
        self._serving.join()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is none of ours to report."""


class LoopbackExchange(BaseHTTPRequestHandler):
    """One request and its answer, by whatever method; says nothing on standard error."""

    def do_GET(self) -> None:
        """A request to read."""
        self.exchange()

    def do_POST(self) -> None:
        """A request to write."""
        self.exchange()

    def do_DELETE(self) -> None:
        """A request to remove."""
        self.exchange()

    def exchange(self) -> None:
        """Answer the request; there is nothing here unless a double says what."""
        self.answer_json(404, {})

    def named_headers(self) -> dict[str, str]:
        """The headers of the request by lower-case name."""
        return {name.lower(): value for name, value in self.headers.items()}

    def body(self, *, max_bytes: int | None = None) -> bytes:
        """The body of the request, or the first `max_bytes` of it."""
        length = int(self.headers.get("content-length", "0"))
        return self.rfile.read(length if max_bytes is None else min(length, max_bytes))

    def answer_json(self, status: int, value: Any, **headers: str) -> None:
        """Answer with JSON."""
        written = json.dumps(value).encode()
        self.send_response(status)
        for name, said in {**headers, "content-type": "application/json", "content-length": str(len(written))}.items():
            self.send_header(name, said)
        self.end_headers()
        self.wfile.write(written)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""
