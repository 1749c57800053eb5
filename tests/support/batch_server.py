"""A stand-in for the batch APIs of providers, on a real socket: the witness of what was posted, asked and deleted.

It speaks Anthropic's Message Batches, OpenAI's batches with their files, and Gemini's batchGenerateContent as
their documentation has them. Batches end when a test says so (`finish`), and with the outcomes that it wishes for.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.batch_protocols import route
from tests.support.batch_stand import BatchStand, CutOff


def handler_of(stand: BatchStand) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            with stand.lock:
                stand.asked.append((self.command, self.path))
                key = self.headers.get("x-api-key") or self.headers.get("authorization") or ""
                stand.keys.append(key or self.headers.get("x-goog-api-key") or "")
                try:
                    status, answer, headers = route(
                        stand, self.command, self.path, body, dict(self.headers)
                    )
                except CutOff:
                    self.close_connection = True
                    return
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = _serve  # noqa: N815 - the names that http.server looks for
        do_POST = _serve  # noqa: N815
        do_DELETE = _serve  # noqa: N815

    return Handler


@contextmanager
def batch_server() -> Iterator[BatchStand]:
    """The stand, served on loopback; `stand.url` is its address."""
    stand = BatchStand()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(stand))
    server.daemon_threads = True
    stand.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield stand
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
