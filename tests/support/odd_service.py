"""A service on a real socket that answers as a test wishes, and what it was sent."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class OddService:
    """Where it is, and the requests that it got: their paths, and the tokens that came with them."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)


Answer = Callable[[BaseHTTPRequestHandler], None]


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes = b"", **headers: str) -> None:
    """Answer in full."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def odd_service(answer: Answer, certificate: Path | None = None) -> Iterator[OddService]:
    """It answers every request with `answer`; with a certificate it speaks TLS."""
    service = OddService()

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            service.paths.append(self.path)
            service.tokens.append(self.headers.get("Authorization"))
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                answer(self)
            except OSError:
                self.close_connection = True

        do_GET = do_POST = do_DELETE = _take  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that went away, or refused our certificate, is what is tested."""

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    service.url = f"{scheme}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
