"""A receiver of webhooks on loopback that notes what it gets and answers as it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, Mapping[str, str]]


@dataclass
class Received:
    """What came: headers by lower-case name, and the body's bytes."""

    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def id(self) -> str:
        """The message's id."""
        return self.headers["webhook-id"]


@dataclass
class WebhookReceiver:
    """Where it listens, and what it got so far. `answer` may be replaced at any moment."""

    port: int
    answer: Callable[[Received], Answer]
    received: list[Received] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/hook"


def always(status: int, **headers: str) -> Callable[[Received], Answer]:
    """The same answer to everything."""
    return lambda _received: (status, {name.replace("_", "-"): v for name, v in headers.items()})


@contextmanager
def receiver(
    answer: Callable[[Received], Answer] | None = None, port: int = 0
) -> Iterator[WebhookReceiver]:
    """A receiver until the block ends; it answers 204 unless something else is asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            fields = {name.lower(): value for name, value in self.headers.items()}
            message = Received(fields, body, self.path)
            listening.received.append(message)
            status, more = listening.answer(message)
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    listening = WebhookReceiver(server.server_address[1], answer or always(204))
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield listening
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
